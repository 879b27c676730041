/**
 * What a fee share config must say, from the request that asked for it, and what has been written of it: by this
 * stage, by the other stages of the plan, by what is on the chain already.
 */
import { DEFAULT_CONFIG_TYPE } from '../../contract/configTypes.ts';
import {
  CONFIG_NAME,
  CONFIG_SYMBOL,
  CONFIG_URI,
  type ConfigRecord,
  configFields,
  type FeeLimitText,
  type Field,
  feeLimitsText,
} from '../../contract/stockPrograms.ts';
import { remember } from '../../transaction/base58.ts';
import { TransactionError } from '../../transaction/errors.ts';
import { decodeInstruction } from '../../transaction/instructions.ts';
import { TOKEN_2022_PROGRAM, WSOL_MINT } from '../../transaction/programs.ts';
import { readTransaction } from '../../transaction/read.ts';
import type { Address } from '../../transaction/types.ts';
import { decodeWire } from '../../transaction/wire.ts';
import { type Case, mintAt } from '../case.ts';
import type { Facts } from '../types.ts';
import { textOf } from './profile.ts';

/** Shares of a request, index by index. */
export function requestedClaimers(
  request: Facts['plan']['request'],
): { address: Address; basisPoints: number }[] {
  const claimers = Array.isArray(request.claimersArray) ? request.claimersArray : [];
  const shares = Array.isArray(request.basisPointsArray) ? request.basisPointsArray : [];
  return claimers.map((address, i) => ({ address: String(address), basisPoints: Number(shares[i]) }));
}

/** The whole config a request asks for, every default of the contract written out (T63). */
export function requestedConfig({ request, wallet }: Facts['plan']): ConfigRecord {
  const claimers = requestedClaimers(request);
  // The contract's default; where nobody holds everything, only the payer may end up as manager.
  const admin =
    textOf(request, 'admin') ?? claimers.find((each) => each.basisPoints === 10_000)?.address ?? wallet;
  const partner = textOf(request, 'partner');
  const partnerConfig = partner === undefined ? undefined : textOf(request, 'partnerConfig');
  const limits = request.feeLimits;
  return {
    baseMint: textOf(request, 'baseMint') ?? '',
    flow: textOf(request, 'flow') ?? '',
    quoteMint: textOf(request, 'quoteMint') ?? WSOL_MINT,
    admin,
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

/** Bytes of a config account that holds these fields: mint, metadata pointer, metadata. */
export function configBytes(fields: readonly Field[]): number {
  const text = (value: string) => 4 + Buffer.byteLength(value);
  const head = 4 + 32 + 32 + text(CONFIG_NAME) + text(CONFIG_SYMBOL) + text(CONFIG_URI) + 4;
  return 234 + head + fields.reduce((sum, [key, value]) => sum + text(key) + text(value), 0);
}

/** What one transaction does to metadata fields: a value, or `null` for a removed key. */
type Writes = ReadonlyMap<string, string | null>;

const written = new Map<string, Writes>();

/** Fields a stage's bytes write, whoever's they are. Unreadable bytes write nothing; they are denied in their turn. */
function writesOf(transaction: string): Writes {
  const known = written.get(transaction);
  if (known !== undefined) return known;
  const writes = new Map<string, string | null>();
  try {
    const { instructions, staticAccounts } = readTransaction(decodeWire(transaction, 'base64'));
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
export function fieldsOnChain(c: Case, config: Address): readonly Field[] {
  return mintAt(c, config)?.metadata?.additional ?? [];
}

/** The config as it will be when the whole plan has landed: chain first, then every stage of the kind. */
export function plannedFields(
  c: Case,
  config: Address,
  kind: 'config' | 'manager_update',
): Map<string, string> {
  const fields = new Map(fieldsOnChain(c, config));
  for (const { stage } of c.facts.siblings) {
    const candidate = stage.id === c.facts.stage.id ? c.facts.stage : stage;
    if (candidate.kind !== kind) continue;
    for (const [key, value] of writesOf(candidate.transaction)) {
      if (value === null) fields.delete(key);
      else fields.set(key, value);
    }
  }
  return fields;
}

/** What the fields of a config should be, by key. */
export const fieldsOf = (record: ConfigRecord): Map<string, string> => new Map(configFields(record));
