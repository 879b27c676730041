/**
 * What a fee share config must say, from the request that asked for it, and what has been written of it: by this
 * stage, by the other stages of the plan, by what is on the chain already.
 */

import { remember } from '../../../../base/remember.ts';
import { DEFAULT_CONFIG_TYPE } from '../../../../contract/configTypes.ts';
import {
  CONFIG_NAME,
  CONFIG_SYMBOL,
  CONFIG_URI,
  type ConfigRecord,
  configFields,
  type FeeLimitText,
  type Field,
  feeLimitsText,
} from '../../../../contract/stockPrograms.ts';
import { decodeInstruction } from '../../../../programs/instructions.ts';
import { TransactionError } from '../../../../transaction/errors.ts';
import { TOKEN_2022_PROGRAM, WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { type DecisionContext, mintAt } from '../../decisionContext.ts';
import { readStage } from '../../decoded.ts';
import type { Facts } from '../../types.ts';
import { type Recipient, textOf } from '../profile.ts';

/** Shares of a request, index by index. */
export function requestedClaimers(
  request: Facts['plan']['request'],
): { address: Address; basisPoints: number }[] {
  const claimers = Array.isArray(request.claimersArray) ? request.claimersArray : [];
  const shares = Array.isArray(request.basisPointsArray) ? request.basisPointsArray : [];
  return claimers.map((address, i) => ({ address: String(address), basisPoints: Number(shares[i]) }));
}

/** What a request asks a config to say: as a record, and field by field. */
export interface RequestedConfig {
  readonly record: ConfigRecord;
  readonly fields: ReadonlyMap<string, string>;
  /** Every address the config lets earn or manage. */
  readonly recipients: readonly Recipient[];
}

/** Requests of sealed facts cannot change, so what follows from them is worked out once. */
const requested = new WeakMap<object, RequestedConfig>();

/** The whole config a request asks for, every default of the contract written out (T63). */
export function requestedConfig({
  request,
  wallet,
}: Pick<Facts['plan'], 'request' | 'wallet'>): RequestedConfig {
  const known = requested.get(request);
  if (known !== undefined && known.record.deployer === wallet) return known;
  const record = recordOf(request, wallet);
  const recipients: Recipient[] = record.claimers.map(({ address }) => ({ address, role: 'claimer' }));
  recipients.push({ address: record.admin, role: 'admin' });
  if (record.partner !== undefined) recipients.push({ address: record.partner, role: 'partner' });
  const wanted = { record, fields: new Map(configFields(record)), recipients };
  if (Object.isFrozen(request)) requested.set(request, wanted);
  return wanted;
}

function recordOf(request: Facts['plan']['request'], wallet: Address): ConfigRecord {
  const claimers = requestedClaimers(request);
  // The contract's default; where no claimer holds everything, only the payer may become manager.
  const whole = claimers.find((each) => each.basisPoints === 10_000);
  const partner = textOf(request, 'partner');
  const partnerConfig = partner === undefined ? undefined : textOf(request, 'partnerConfig');
  const limits = request.feeLimits;
  return {
    baseMint: textOf(request, 'baseMint') ?? '',
    flow: textOf(request, 'flow') ?? '',
    quoteMint: textOf(request, 'quoteMint') ?? WSOL_MINT,
    admin: textOf(request, 'admin') ?? whole?.address ?? wallet,
    deployer: wallet,
    configType: textOf(request, 'serviceConfigType') ?? DEFAULT_CONFIG_TYPE,
    firstSwapMinFee: request.enableFirstSwapWithMinFee === true,
    ...(partner === undefined ? {} : { partner }),
    ...(partnerConfig === undefined ? {} : { partnerConfig }),
    ...(Array.isArray(limits) ? { feeLimits: feeLimitsText(limits.filter(isFeeLimit)) } : {}),
    claimers,
  };
}

/** Whether a value has the shape of a fee limit. */
export function isFeeLimit(value: unknown): value is FeeLimitText {
  if (typeof value !== 'object' || value === null || !('asset' in value)) return false;
  const { asset } = value;
  const named =
    typeof asset === 'object' && asset !== null && 'mint' in asset && typeof asset.mint === 'string';
  const rate = 'basisPoints' in value && typeof value.basisPoints === 'number';
  const cap = 'maximumFeeRaw' in value && typeof value.maximumFeeRaw === 'string';
  return named && rate && cap && /^[0-9]{1,20}$/.test(String(value.maximumFeeRaw));
}

/** A Token-2022 mint with a metadata pointer. */
const POINTER_MINT_BYTES = 234;

/** Bytes of a text in metadata: its length, then UTF-8. */
const textBytes = (value: string): number => 4 + Buffer.byteLength(value);
const HEAD_BYTES =
  POINTER_MINT_BYTES +
  4 +
  32 +
  32 +
  textBytes(CONFIG_NAME) +
  textBytes(CONFIG_SYMBOL) +
  textBytes(CONFIG_URI) +
  4;

/** The fields of a plan are the same for all its stages, and a hundred claimers are many of them. */
const sizes = new WeakMap<ReadonlyMap<string, string>, number>();

/** Bytes of a config account that holds these fields, which must not change any more: mint, pointer, metadata. */
export function configBytes(fields: ReadonlyMap<string, string>): number {
  const known = sizes.get(fields);
  if (known !== undefined) return known;
  let bytes = HEAD_BYTES;
  for (const [key, value] of fields) bytes += textBytes(key) + textBytes(value);
  sizes.set(fields, bytes);
  return bytes;
}

/** What one transaction does to metadata fields: a value, or `null` for a removed key. */
type Writes = ReadonlyMap<string, string | null>;

const written = new Map<string, Writes>();

/** Fields a stage's bytes write, in any account. Unreadable bytes write nothing; they are denied when their stage is decided. */
function writesOf(transaction: string): Writes {
  const known = written.get(transaction);
  if (known !== undefined) return known;
  const writes = new Map<string, string | null>();
  try {
    const { instructions, staticAccounts } = readStage(transaction);
    for (const [index, { programIndex, accountIndexes, data }] of instructions.entries()) {
      const program = staticAccounts[programIndex] ?? '';
      if (program !== TOKEN_2022_PROGRAM) continue;
      // Only the data matters here; the accounts are compared when the stage itself is decided.
      const accounts = accountIndexes.map(() => ({ address: '', signer: false, writable: false }));
      const instruction = decodeInstruction({ index, program, accounts, data });
      if (instruction.kind === 'tokenMetadata.updateField' && 'key' in instruction.args.field) {
        writes.set(instruction.args.field.key, instruction.args.value);
      }
      if (instruction.kind === 'tokenMetadata.removeKey') writes.set(instruction.args.key, null);
    }
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
  }
  return remember(written, transaction, writes, 512);
}

/** The fields an account has now, by our own view of the chain. */
export function fieldsOnChain(c: DecisionContext, config: Address): readonly Field[] {
  return mintAt(c, config)?.metadata?.additional ?? [];
}

type ConfigKind = 'config' | 'manager_update';

/** The config as it will be when the whole plan has landed, compared with what it should be. */
export interface PlannedConfig {
  /** Keys that would be absent or say something else. */
  readonly missing: readonly string[];
  /** Keys that were not asked for. */
  readonly surplus: readonly string[];
}

/** What the stage under decision writes counts before what its siblings write, and that before the chain. */
export function plannedConfig(
  c: DecisionContext,
  config: Address,
  kind: ConfigKind,
  wanted: ReadonlyMap<string, string>,
): PlannedConfig {
  const { stage, siblings } = c.facts;
  const chain = fieldsOnChain(c, config);
  const writes = siblings.flatMap(({ stage: each }) => {
    if (each.kind !== kind) return [];
    return [writesOf(each.id === stage.id ? stage.transaction : each.transaction)];
  });
  if (!siblings.some(({ stage: each }) => each.id === stage.id)) writes.push(writesOf(stage.transaction));
  if (isExactly(wanted, chain, writes)) return { missing: [], surplus: [] };

  const planned: Map<string, string | null> = new Map(chain);
  for (const written of writes) for (const [key, value] of written) planned.set(key, value);
  return {
    missing: [...wanted.keys()].filter((key) => planned.get(key) !== wanted.get(key)),
    surplus: [...planned.keys()].filter((key) => planned.get(key) !== null && !wanted.has(key)),
  };
}

/** Sources of fields that agree with what is wanted, by what is wanted. Both never change once they are read. */
const agreeing = new WeakMap<ReadonlyMap<string, string>, WeakMap<object, boolean>>();

/**
 * The usual case, checked without merging a hundred fields again for every stage: every source holds only expected
 * values, and together they hold all of them.
 */
function isExactly(
  wanted: ReadonlyMap<string, string>,
  chain: readonly Field[],
  writes: readonly Writes[],
): boolean {
  const known = agreeing.get(wanted) ?? new WeakMap<object, boolean>();
  agreeing.set(wanted, known);
  const agrees = (source: Iterable<readonly [string, string | null]> & object) => {
    let yes = known.get(source);
    if (yes === undefined) {
      yes = [...source].every(([key, value]) => wanted.get(key) === value);
      known.set(source, yes);
    }
    return yes;
  };
  if (!agrees(chain) || !writes.every(agrees)) return false;
  // Sources may overlap (what landed is on the chain as well), so keys are counted once.
  const said = writes.reduce((sum, written) => sum + written.size, 0);
  if (said === wanted.size && disjoint(writes)) return true;
  const keys = new Set(chain.map(([key]) => key));
  for (const written of writes) for (const key of written.keys()) keys.add(key);
  return keys.size === wanted.size;
}

/** Whether no two of a plan's transactions write the same key. */
const disjointPlans = new WeakMap<
  Writes,
  { readonly writes: readonly Writes[]; readonly disjoint: boolean }
>();

function disjoint(writes: readonly Writes[]): boolean {
  const [first] = writes;
  if (first === undefined) return true;
  const known = disjointPlans.get(first);
  if (known?.writes.length === writes.length && known.writes.every((each, i) => each === writes[i])) {
    return known.disjoint;
  }
  const keys = new Set(writes.flatMap((written) => [...written.keys()]));
  const answer = keys.size === writes.reduce((sum, written) => sum + written.size, 0);
  disjointPlans.set(first, { writes, disjoint: answer });
  return answer;
}
