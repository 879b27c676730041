/**
 * How the sandbox's service keeps its records in accounts of stock programs, and how to read them back. The product reads
 * with it too: the policy for a decision, `src/landing/readback/` after landing.
 *
 * A fee share config is a Token-2022 mint whose metadata fields hold the split. The service writes those fields
 * with `tokenMetadata.updateField`; the policy reads them from the bytes of a plan and from the account. Both use
 * this module, so that a claimer, a share or an admin has one written form (C-CONFIG).
 */
import { DEFAULT_CONFIG_TYPE } from './configTypes.ts';
import { WRAPPED_SOL } from './constants.ts';

/** Name, symbol and uri in the metadata of every config account. */
export const CONFIG_NAME = 'Fee share';
export const CONFIG_SYMBOL = 'FEESHARE';
export const CONFIG_URI = '';

/**
 * Keys of the fields that describe the whole config, in the order they are written. A field that holds its default
 * is not written (quote mint: wrapped SOL, deployer: the admin, config type: Default, first swap: false), so that
 * a config of three claimers is one v0 transaction.
 */
export const CONFIG_KEYS = [
  'baseMint',
  'flow',
  'quoteMint',
  'admin',
  'deployer',
  'configType',
  'claimers',
  'firstSwapMinFee',
  'partner',
  'partnerConfig',
  'feeLimits',
] as const;
export type ConfigKey = (typeof CONFIG_KEYS)[number];
const REQUIRED_KEYS: readonly ConfigKey[] = ['baseMint', 'flow', 'admin', 'claimers'];

/** One claimer of a config. `basisPoints` is 0 to 10000. */
export interface Claimer {
  readonly address: string;
  readonly basisPoints: number;
}

/** A fee limit as it is written to a config: keys in this order, nothing else. */
export interface FeeLimitText {
  readonly asset: { readonly mint: string; readonly tokenProgram: string };
  readonly basisPoints: number;
  readonly maximumFeeRaw: string;
}

/** Everything a config account holds. */
export interface ConfigRecord {
  readonly baseMint: string;
  readonly flow: string;
  readonly quoteMint: string;
  readonly admin: string;
  /** The payer of the config's creation. */
  readonly deployer: string;
  readonly configType: string;
  readonly firstSwapMinFee: boolean;
  readonly partner?: string;
  readonly partnerConfig?: string;
  /** Canonical JSON text, see `feeLimitsText`. */
  readonly feeLimits?: string;
  readonly claimers: readonly Claimer[];
}

/** A metadata field: its key and its value. */
export type Field = readonly [key: string, value: string];

const CLAIMER_KEY = /^claimer\.(0|[1-9][0-9]?)$/;
const CLAIMER_VALUE = /^([1-9A-HJ-NP-Za-km-z]{32,44}):(0|[1-9][0-9]{0,4})$/;

/** The field of the claimer at `index` (from 0): `claimer.0` = `<address>:<basis points>`. */
export function claimerField(index: number, claimer: Claimer): Field {
  return [claimerKey(index), `${claimer.address}:${claimer.basisPoints}`];
}

/** The key of the claimer at `index`, from 0. */
export function claimerKey(index: number): string {
  return `claimer.${index}`;
}

/** The index a claimer key names, or `null` when the key is not one. */
export function claimerIndex(key: string): number | null {
  const match = CLAIMER_KEY.exec(key);
  return match?.[1] === undefined ? null : Number(match[1]);
}

/** The claimer a field's value names, or `null` when it is not in the one written form. */
export function parseClaimer(value: string): Claimer | null {
  const match = CLAIMER_VALUE.exec(value);
  const [, address, digits] = match ?? [];
  if (address === undefined || digits === undefined) return null;
  const basisPoints = Number(digits);
  return basisPoints <= 10_000 ? { address, basisPoints } : null;
}

/** Fee limits as one canonical text: keys sorted as in `FeeLimitText`, no spaces, in the order given. */
export function feeLimitsText(limits: readonly FeeLimitText[]): string {
  return JSON.stringify(
    limits.map(({ asset, basisPoints, maximumFeeRaw }) => ({
      asset: { mint: asset.mint, tokenProgram: asset.tokenProgram },
      basisPoints,
      maximumFeeRaw,
    })),
  );
}

/** The fields that describe the whole config, without its claimers, in written order. */
export function headFields(record: ConfigRecord): Field[] {
  const values: Readonly<Record<ConfigKey, string | undefined>> = {
    baseMint: record.baseMint,
    flow: record.flow,
    quoteMint: unless(WRAPPED_SOL, record.quoteMint),
    admin: record.admin,
    deployer: unless(record.admin, record.deployer),
    configType: unless(DEFAULT_CONFIG_TYPE, record.configType),
    claimers: String(record.claimers.length),
    firstSwapMinFee: unless('false', String(record.firstSwapMinFee)),
    partner: record.partner,
    partnerConfig: record.partnerConfig,
    feeLimits: record.feeLimits,
  };
  return CONFIG_KEYS.flatMap((key): Field[] => {
    const value = values[key];
    return value === undefined ? [] : [[key, value]];
  });
}

const unless = (normal: string, value: string): string | undefined => (value === normal ? undefined : value);

/** Every field of a config, head first, then the claimers in order. */
export function configFields(record: ConfigRecord): Field[] {
  return [...headFields(record), ...record.claimers.map((claimer, index) => claimerField(index, claimer))];
}

/** What the fields of a config account say. */
export type ConfigReading =
  | { readonly complete: true; readonly record: ConfigRecord }
  /** Some fields are not there yet. `present` has those that are. */
  | {
      readonly complete: false;
      readonly missing: readonly string[];
      readonly present: ReadonlyMap<string, string>;
    }
  /** A field is there that this code would never have written. */
  | { readonly complete: false; readonly problem: string };

/**
 * Reads a config from the metadata fields of its account. Fields written later win over earlier ones, as in the
 * program. Unknown keys, claimers past the count and values in another form are a `problem`, never ignored.
 */
export function readConfig(fields: Iterable<Field>): ConfigReading {
  const values = new Map<string, string>();
  for (const [key, value] of fields) values.set(key, value);
  const known = new Set<string>(CONFIG_KEYS);
  const claimers: (Claimer | undefined)[] = [];
  for (const [key, value] of values) {
    if (known.has(key)) continue;
    const index = claimerIndex(key);
    const claimer = parseClaimer(value);
    if (index === null) return { complete: false, problem: 'a field is not one of a config' };
    if (claimer === null) return { complete: false, problem: `${key} is not an address and a share` };
    claimers[index] = claimer;
  }
  const count = values.get('claimers');
  if (count !== undefined && !/^([1-9][0-9]?|100)$/.test(count)) {
    return { complete: false, problem: 'claimers is not a count of 1 to 100' };
  }
  const expected = Number(count ?? 0);
  if (count !== undefined && claimers.length > expected) {
    return { complete: false, problem: 'there are more claimers than counted' };
  }
  const missing = [
    ...REQUIRED_KEYS.filter((key) => !values.has(key)),
    ...Array.from({ length: expected }, (_, index) => index)
      .filter((index) => claimers[index] === undefined)
      .map(claimerKey),
  ];
  if (missing.length > 0) return { complete: false, missing, present: values };
  return {
    complete: true,
    record: recordOf(
      values,
      claimers.filter((claimer) => claimer !== undefined),
    ),
  };
}

function recordOf(values: ReadonlyMap<string, string>, claimers: readonly Claimer[]): ConfigRecord {
  const text = (key: ConfigKey) => values.get(key) ?? '';
  const partner = values.get('partner');
  const partnerConfig = values.get('partnerConfig');
  const feeLimits = values.get('feeLimits');
  return {
    baseMint: text('baseMint'),
    flow: text('flow'),
    quoteMint: values.get('quoteMint') ?? WRAPPED_SOL,
    admin: text('admin'),
    deployer: values.get('deployer') ?? text('admin'),
    configType: values.get('configType') ?? DEFAULT_CONFIG_TYPE,
    firstSwapMinFee: text('firstSwapMinFee') === 'true',
    ...(partner === undefined ? {} : { partner }),
    ...(partnerConfig === undefined ? {} : { partnerConfig }),
    ...(feeLimits === undefined ? {} : { feeLimits }),
    claimers,
  };
}

/** Memo of a custody launch, signed by the launch authority: who earns the fees of the locked position. */
export function custodyMemo(feeClaimer: string, partner?: string): string {
  return `position custody: feeClaimer=${feeClaimer} partner=${partner ?? 'none'}`;
}

/** Memo of a launch with a fee share config, signed by the launch authority. */
export function launchMemo(feeShareConfig: string): string {
  return `launch: feeShareConfig=${feeShareConfig}`;
}

/** Memo a claim carries with the wallet as its signer. */
export function claimMemo(kind: string, quoteMint: string): string {
  return `claim ${kind} ${quoteMint}`;
}
