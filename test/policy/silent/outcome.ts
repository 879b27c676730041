/**
 * The result of a changed stage compared with the honest one, by the oracle: the wallet's assets and rights, the
 * receipts of other parties, and the state of program accounts. Both run on the same chain.
 */
import { type Account, Bytes } from '../../oracle/accounts.ts';
import { decodeAccountData } from '../../oracle/idl.ts';
import { inventoryOf } from '../../oracle/inventory.ts';
import { allowanceOf, worse } from '../../oracle/judge.ts';

export type State = ReadonlyMap<string, Account>;

/** Parameters of a comparison of two results. */
export interface Comparison {
  /** Whether amounts count; on a changed chain the simulation before signing shows them. */
  readonly amounts: boolean;
  /** Maximum extra lamports of the wallet for additional signatures. */
  readonly fee: bigint;
  /** Accounts whose every value counts. */
  readonly terms: readonly string[];
  /** Addresses in the request, which may not receive less. */
  readonly named: readonly string[];
}

const TOKEN_PROGRAMS = [
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
];
const SYSTEM = '11111111111111111111111111111111';
const TOKENS_BYTES = 165;

/** Accounts after a run. */
export function after(before: State, written: readonly Account[]): State {
  const all = new Map(before);
  for (const account of written) {
    if (account.lamports === 0n) all.delete(account.address);
    else all.set(account.address, account);
  }
  return all;
}

/** Returns every difference between two results from the same start, as texts; empty if there is none. */
export function differences(
  wallet: string,
  before: State,
  honest: State,
  changed: State,
  { amounts, fee, terms, named }: Comparison,
): string[] {
  const taken = (state: State) => inventoryOf([wallet], state.values());
  const start = taken(before);
  const allowed = allowanceOf(start, taken(honest));
  const { SOL = 0n } = allowed.in ?? {};
  const paid = (allowed.out?.SOL ?? 0n) - SOL + fee;
  const sol = paid > 0n ? { out: { ...allowed.out, SOL: paid } } : { in: { ...allowed.in, SOL: -paid } };
  const { SOL: _, ...least } = allowed.in ?? {};
  const harms = worse(start, taken(changed), { ...allowed, in: least, ...sol });
  const lamports = (state: State, address: string) => state.get(address)?.lamports ?? 0n;
  // Payments between others are ignored, unless the request names the payee.
  const onlyPays = (address: string) =>
    (honest.get(address) ?? changed.get(address))?.owner === SYSTEM &&
    !(named.includes(address) && lamports(changed, address) < lamports(honest, address));
  const addresses = [...new Set([...honest.keys(), ...changed.keys()])].filter(
    (each) => each !== wallet && !onlyPays(each),
  );
  return [
    ...harms.filter((harm) => amounts || !/less than allowed$/.test(harm) || harm.startsWith('shares')),
    ...addresses.flatMap((address) =>
      unlike(
        honest.get(address),
        changed.get(address),
        amounts,
        before.has(address) && !terms.includes(address),
      ),
    ),
  ];
}

function unlike(
  honest: Account | undefined,
  changed: Account | undefined,
  amounts: boolean,
  isOld: boolean,
): string[] {
  if (/^(BPFLoader|NativeLoader)/.test((honest ?? changed)?.owner ?? '')) return [];
  const [one, other] = [statementsOf(honest, amounts, isOld), statementsOf(changed, amounts, isOld)];
  const address = honest?.address ?? changed?.address ?? '';
  return [...new Set([...one.keys(), ...other.keys()])]
    .filter((name) => one.get(name) !== other.get(name))
    .map((name) => `${name} of ${address}: ${other.get(name)} for ${one.get(name)}`);
}

type Statements = Map<string, string>;

/** The state of an account by field; amounts that trades move only if they count. */
function statementsOf(account: Account | undefined, amounts: boolean, isOld: boolean): Statements {
  if (account === undefined) return new Map();
  const { owner, lamports, data } = account;
  if (owner === SYSTEM && data.length === 0) return new Map(amounts ? [['lamports', `${lamports}`]] : []);
  const statements: Statements = new Map([['owner', owner]]);
  if (TOKEN_PROGRAMS.includes(owner) && data.length >= TOKENS_BYTES && data[TOKENS_BYTES] !== 1) {
    const bytes = new Bytes(data);
    statements.set('mint', bytes.key(0)).set('holder', bytes.key(32));
    if (amounts) statements.set('tokens', `${bytes.u64(64)}`);
    statements.set('delegate', hex(bytes.slice(72, 36))).set('state', hex(bytes.slice(108, 1)));
    return statements.set('close authority', hex(bytes.slice(129, 36)));
  }
  const decoded = decodeAccountData(owner, data);
  if (decoded === undefined) return statements.set('data', hex(data));
  for (const { name, type, value } of decoded.fields) {
    const isAmount = /^u(64|128)$/.test(type) || /per_(liquidity|token)/.test(name);
    if (!/padding|bump/.test(name) && !(isAmount && isOld)) statements.set(`${decoded.name} ${name}`, value);
  }
  return withoutEffect(statements);
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const isZero = (value: string | undefined) => value !== undefined && /^0*$/.test(value);

/** Drops fields that, by the programs' public sources, have no effect without others. */
function withoutEffect(statements: Statements): Statements {
  const drop = (isIdle: boolean, ...fields: readonly RegExp[]) => {
    if (isIdle)
      for (const name of [...statements.keys()])
        if (fields.some((field) => field.test(name))) statements.delete(name);
  };
  const at = (field: string) => statements.get(`PoolConfig .${field}`);
  const base = 'pool_fees.base_fee';
  // A schedule of no periods or no reduction leaves the fee unchanged, as does a rate limiter of zero.
  const mode = at(`${base}.base_fee_mode`);
  const isFlat = isZero(at(`${base}.first_factor`)) || isZero(at(`${base}.third_factor`));
  const isEmpty = ['first', 'second', 'third'].every((each) => isZero(at(`${base}.${each}_factor`)));
  drop(
    mode !== undefined && (mode < '02' ? isFlat : isEmpty),
    /base_fee\.((first|second|third)_factor|base_fee_mode)/,
    /\.activation_type/,
  );
  drop(isZero(at('pool_fees.dynamic_fee.initialized')), /\.dynamic_fee\./);
  drop(isZero(at('migration_fee_percentage')), /creator_migration_fee_percentage/);
  // The pool after the curve uses a schedule only with a custom fee, and none without a first fee.
  drop(!['06', undefined].includes(at('migration_fee_option')), /migrated_pool_base_fee/);
  const vested = 'locked_vesting_config';
  const perPeriod = isZero(at(`${vested}.amount_per_period`)) || isZero(at(`${vested}.number_of_period`));
  drop(perPeriod && isZero(at(`${vested}.cliff_unlock_amount`)), /locked_vesting_config/);
  for (const of of ['partner', 'creator'])
    drop(
      isZero(at(`${of}_liquidity_vesting_info.vesting_percentage`)) ||
        isZero(at(`${of}_liquidity_vesting_info.is_initialized`)),
      new RegExp(`${of}_liquidity_vesting_info`),
    );
  return flatPool(statements);
}

/** Reduces the fee of a pool with a constant fee to its number. */
function flatPool(statements: Statements): Statements {
  const byte = (i: number) => statements.get(`Pool .pool_fees.base_fee.base_fee_info.data ${i}`) ?? '';
  const [mode, number, reduction] = [
    byte(8),
    byte(14) + byte(15),
    Array.from({ length: 8 }, (_, i) => byte(24 + i)).join(''),
  ];
  if ((mode === '00' || mode === '01') && (isZero(number) || isZero(reduction)))
    for (let i = 8; i < 32; i += 1) statements.delete(`Pool .pool_fees.base_fee.base_fee_info.data ${i}`);
  return statements;
}
