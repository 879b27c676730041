/**
 * The principals file: the agents an HTTP server works for, and their permissions. Written by the user, read when the
 * server starts and again when the owner accepts its new content (roster.ts). It names wallets by address or label;
 * labels are resolved when the file is read, and the digest the owner accepts is over addresses: moving a label to
 * another wallet has no effect until then (T132).
 */
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { jsonDigest, sha256Text } from '../../base/canonicalJson.ts';
import { JsonError, readJson } from '../../base/strictJson.ts';
import { parsePolicy } from '../../policy/file/file.ts';
import { isLabel } from '../../secrets/wallets/label.ts';
import { type HomeWallet, walletCalled } from '../../secrets/wallets/wallets.ts';
import type { Address } from '../../transaction/types.ts';
import { SetupError } from '../backends/backend.ts';
import { readPolicyFile } from '../policyFile.ts';

const DEFAULT_CALLS_PER_MINUTE = 120;
const DEFAULT_CALLS_AT_ONCE = 8;

const wallet = z
  .string()
  .refine(
    (text) => isLabel(text) || /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text),
    'must be an address or a label',
  );
const identity = z.union([
  z.strictObject({ issuer: z.url().max(500), subject: z.string().min(1).max(256) }),
  z.strictObject({ tokenFile: z.string().min(1) }),
]);
const principal = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'must be lower-case letters, digits and hyphens'),
  is: z.array(identity).min(1).max(16),
  wallets: z.union([z.literal('all'), z.array(wallet).min(1).max(64)]),
  policy: z.string().min(1),
  toolsets: z.array(z.string()).min(1).optional(),
  readOnly: z.boolean().optional(),
  images: z.string().min(1).optional(),
  callsPerMinute: z.int().min(1).max(100_000).optional(),
  callsAtOnce: z.int().min(1).max(1_000).optional(),
});
const principalsFile = z.strictObject({
  version: z.literal(1),
  principals: z.array(principal).min(1).max(10_000),
});

/** One principal of the file, with absolute paths. */
export interface PrincipalEntry {
  readonly name: string;
  readonly is: readonly (
    | { readonly issuer: string; readonly subject: string }
    | { readonly tokenFile: string }
  )[];
  /**
   * `all`: every wallet of the home. Otherwise addresses; an unknown label stays as written and matches no wallet.
   */
  readonly wallets: 'all' | readonly Address[];
  /** Path of the policy file. */
  readonly policy: string;
  /** Hash of the policy in that file at reading time; absent if it was unusable. */
  readonly policyHash?: string | undefined;
  readonly toolsets?: readonly string[] | undefined;
  readonly readOnly: boolean;
  readonly images?: string | undefined;
  readonly callsPerMinute: number;
  readonly callsAtOnce: number;
}

/** A principals file and the policies it names. */
export interface PrincipalsFile {
  readonly entries: readonly PrincipalEntry[];
  /**
   * Hex SHA-256 over the file's content and the policies it names, independent of their location: the same on each
   * host with the same files. Tokens of token files are not included.
   */
  readonly digest: string;
}

/**
 * Reads the file. Its paths are relative to its folder. `wallets` are the home's wallets, to resolve labels.
 * @throws SetupError that names the first invalid line, a duplicate name or identity, or an unsafe file
 */
export async function readPrincipals(
  path: string,
  wallets: readonly HomeWallet[] = [],
): Promise<PrincipalsFile> {
  const file = await readPolicyFile(path);
  if ('problem' in file)
    throw wrong(
      path,
      file.problem.replace('the policy file', 'the principals file').replace('policy path', 'path'),
    );
  const folder = dirname(resolve(path));
  const parsed = parse(path, file.text).map((entry) => ({
    ...entry,
    wallets: resolved(entry.wallets, wallets),
  }));
  const entries = parsed.map(
    ({
      callsPerMinute = DEFAULT_CALLS_PER_MINUTE,
      callsAtOnce = DEFAULT_CALLS_AT_ONCE,
      readOnly = false,
      ...entry
    }) => ({
      ...entry,
      readOnly,
      callsPerMinute,
      callsAtOnce,
      is: entry.is.map((each) =>
        'tokenFile' in each ? { tokenFile: resolve(folder, each.tokenFile) } : each,
      ),
      policy: resolve(folder, entry.policy),
      ...(entry.images === undefined ? {} : { images: resolve(folder, entry.images) }),
    }),
  );
  const name = firstTwice(entries.map((each) => each.name));
  if (name !== undefined) throw wrong(path, `the name ${name} is given twice`);
  const twice = firstTwice(entries.flatMap(({ is }) => is.map(wordsOf)));
  if (twice !== undefined) throw wrong(path, `${twice} is given to two principals`);
  const policies = new Map<string, PolicyRead>();
  for (const { policy } of entries) if (!policies.has(policy)) policies.set(policy, await policyIn(policy));
  const named = entries.map((entry) => policies.get(entry.policy));
  return {
    entries: entries.map((entry, index) => ({ ...entry, policyHash: named[index]?.hash })),
    digest: jsonDigest({ principals: parsed, policies: named.map((each) => each?.digest ?? null) }),
  };
}

/** Resolves labels to addresses; unknown labels stay as written. */
const resolved = (
  named: PrincipalEntry['wallets'],
  wallets: readonly HomeWallet[],
): PrincipalEntry['wallets'] =>
  named === 'all' ? 'all' : named.map((name) => walletCalled(wallets, name)?.address ?? name);

/** Returns whether the file uses labels, for which the home's wallets are needed. */
export const namesLabels = (entries: readonly Partial<Pick<PrincipalEntry, 'wallets'>>[]): boolean =>
  entries.some(({ wallets = 'all' }) => wallets !== 'all' && wallets.some(isLabel));

/** The policy hash of a policy file, if it is valid, and a digest of its content. */
interface PolicyRead {
  readonly hash?: string;
  readonly digest: string;
}

async function policyIn(path: string): Promise<PolicyRead> {
  const file = await readPolicyFile(path);
  if ('problem' in file) return { digest: file.problem };
  const parsed = parsePolicy(file.text);
  return 'errors' in parsed ? { digest: sha256Text(file.text) } : { hash: parsed.hash, digest: parsed.hash };
}

function parse(path: string, text: string): z.output<typeof principalsFile>['principals'] {
  try {
    const document = readJson(text);
    const parsed = principalsFile.safeParse(document.value);
    if (parsed.success) return parsed.data.principals;
    const [issue] = parsed.error.issues;
    const at = issue === undefined ? { line: 1, column: 1 } : document.at(issue.path);
    throw wrong(`${path}:${at.line}:${at.column}`, issue?.message ?? 'it cannot be read');
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw wrong(`${path}:${error.position.line}:${error.position.column}`, error.message);
  }
}

const wordsOf = (identity: PrincipalEntry['is'][number]): string =>
  'tokenFile' in identity
    ? `the token file ${identity.tokenFile}`
    : `the subject ${identity.subject} of ${identity.issuer}`;

const firstTwice = (texts: readonly string[]): string | undefined =>
  texts.find((text, index) => texts.indexOf(text) !== index);

const wrong = (where: string, why: string): SetupError =>
  new SetupError(
    `The principals file cannot be used: ${where}: ${why}.`,
    'docs/fleet.md describes its format.',
  );
