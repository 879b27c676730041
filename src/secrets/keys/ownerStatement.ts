// Statements signed by the owner key: approval of a scope, lifting a freeze, accepting a policy file, a principals
// file or another ledger, exporting decisions. The signed bytes are canonical JSON after a fixed first line, so that
// they cannot be mistaken for a transaction message.

import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { z } from 'zod';
import { canonicalJson, jsonDigest } from '../../base/canonicalJson.ts';
import { verifySignature } from '../../base/ed25519.ts';
import { isRecord } from '../../base/record.ts';
import { SecretError } from '../errors.ts';

export const OWNER_STATEMENT_KINDS = [
  'approval',
  'unfreeze',
  'policy',
  'principals',
  'ledger',
  'export',
] as const;
export type OwnerStatementKind = (typeof OWNER_STATEMENT_KINDS)[number];

/** JSON without numbers that lose precision: integers up to 2^53, larger ones as strings. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

export const LONGEST_STATEMENT_MS = 24 * 60 * 60 * 1000;
/** Milliseconds since 1970. */
const time = z.int().min(0);
const statementSchema = z
  .strictObject({
    version: z.literal(1),
    kind: z.enum(OWNER_STATEMENT_KINDS),
    /** SHA-256 of the payload's canonical JSON, hex. */
    payloadSha256: z.string().regex(/^[0-9a-f]{64}$/),
    issuedAt: time,
    expiresAt: time,
    /** 16 random bytes, hex: the ledger accepts each nonce once. */
    nonce: z.string().regex(/^[0-9a-f]{32}$/),
    /** Base58. */
    publicKey: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
    /** Base58 Ed25519 signature over `ownerStatementBytes`. */
    signature: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/),
  })
  .refine(({ issuedAt, expiresAt }) => expiresAt > issuedAt && expiresAt - issuedAt <= LONGEST_STATEMENT_MS);
export type OwnerStatement = Readonly<z.infer<typeof statementSchema>>;

const CLOCK_SKEW_MS = 60_000;
const FIRST_LINE = 'countersign owner statement v1\n';

const invalid = (message: string) =>
  new SecretError(
    'STATEMENT_INVALID',
    message,
    'Run the command again; `countersign pending` lists the open questions.',
  );

/** Returns the bytes the owner key signs. */
export function ownerStatementBytes(statement: Omit<OwnerStatement, 'signature'>): Uint8Array {
  const { version, kind, payloadSha256, issuedAt, expiresAt, nonce, publicKey } = statement;
  const body = canonicalJson({ version, kind, payloadSha256, issuedAt, expiresAt, nonce, publicKey });
  return new TextEncoder().encode(FIRST_LINE + body);
}

/** An opened owner key. Only `signOwnerStatement` uses `sign`. */
export interface OwnerKey {
  /** Base58 public key. */
  readonly publicKey: string;
  sign(message: Uint8Array): Uint8Array;
  lock(): void;
}

export interface SignOwnerStatementParameters {
  ownerKey: OwnerKey;
  kind: OwnerStatementKind;
  payload: JsonValue;
  /** Milliseconds since 1970. */
  now: number;
  /** Lifetime in milliseconds, at most 24 hours. */
  ttlMs: number;
}

/** Signs a statement about `payload`. Throws `STATEMENT_INVALID` for a lifetime outside (0, 24 h]. */
export function signOwnerStatement(parameters: SignOwnerStatementParameters): OwnerStatement {
  const { ownerKey, kind, payload, now, ttlMs } = parameters;
  if (!(ttlMs > 0 && ttlMs <= LONGEST_STATEMENT_MS)) throw invalid('A statement holds for up to 24 hours.');
  const statement = {
    version: 1,
    kind,
    payloadSha256: jsonDigest(payload),
    issuedAt: Math.floor(now),
    expiresAt: Math.floor(now + ttlMs),
    nonce: randomBytes(16).toString('hex'),
    publicKey: ownerKey.publicKey,
  } as const;
  return { ...statement, signature: bs58.encode(ownerKey.sign(ownerStatementBytes(statement))) };
}

export type StatementRefusal =
  | 'malformed'
  | 'other key'
  | 'other kind'
  | 'other payload'
  | 'not yet valid'
  | 'expired'
  | 'bad signature';

export interface VerifyOwnerStatementParameters {
  /** Base58 public key from the wallet's store, never the one in the statement; verification fails without it. */
  publicKey: string | undefined;
  /** Unparsed: a stored row or a request body. */
  statement: unknown;
  kind: OwnerStatementKind;
  payload: JsonValue;
  /** Milliseconds since 1970. */
  now: number;
}

/** Returns when a statement claims to be issued, milliseconds since the epoch; 0 if absent. Not verified. */
export const issuedAt = (statement: unknown): number =>
  isRecord(statement) && typeof statement.issuedAt === 'number' ? statement.issuedAt : 0;

/**
 * Checks form, key, kind, payload, time and signature. A valid statement may be a replay: the caller records `nonce`
 * and accepts it once.
 */
export function verifyOwnerStatement(
  parameters: VerifyOwnerStatementParameters,
): { ok: true; statement: OwnerStatement } | { ok: false; reason: StatementRefusal } {
  const { publicKey, kind, payload, now } = parameters;
  const { data: statement } = statementSchema.safeParse(parameters.statement);
  const refuse = (reason: StatementRefusal) => ({ ok: false, reason }) as const;
  if (statement === undefined) return refuse('malformed');
  if (statement.publicKey !== publicKey) return refuse('other key');
  if (statement.kind !== kind) return refuse('other kind');
  if (statement.payloadSha256 !== jsonDigest(payload)) return refuse('other payload');
  if (statement.issuedAt > now + CLOCK_SKEW_MS) return refuse('not yet valid');
  if (now >= statement.expiresAt) return refuse('expired');
  const key = bs58.decodeUnsafe(statement.publicKey);
  const signature = bs58.decodeUnsafe(statement.signature);
  if (key === undefined || signature === undefined) return refuse('malformed');
  return verifySignature(key, signature, ownerStatementBytes(statement))
    ? { ok: true, statement }
    : refuse('bad signature');
}
