/**
 * Upper bound of what a transaction takes from the wallet, from its acts alone: fee, transfers, funded accounts, the maximum
 * input of a swap, surcharges, and rent of accounts that may already exist (T14, T15). Amounts that return in the same
 * transaction are not deducted, with two exceptions: wrapping SOL into the wallet's own account (T18), and rent of an own
 * account that the same transaction closes to the wallet.
 */
import type { Act, ActOf, Asset, Holder } from '../../../programs/acts.ts';
import { poolConfig } from '../../../programs/dbc/accounts.ts';
import { METADATA_BYTES } from '../../../programs/tokenMetadata/addresses.ts';
import { associatedTokenAddress } from '../../../transaction/derive.ts';
import { TOKEN_PROGRAM, TOKEN_PROGRAMS, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { type Amounts, add } from '../amounts.ts';
import {
  assetOf,
  type DecisionContext,
  isControlledByOthers,
  rentOf,
  type StageContext,
  tokenAccountAt,
} from '../decisionContext.ts';
import { accountAt } from './chain.ts';
import {
  CURVE_CONFIG_BYTES,
  claimersDeposit,
  configDeposit,
  madeBytes,
  TOKEN_ACCOUNT_BYTES,
} from './deposits.ts';
import { countOfClaimers } from './request.ts';

const CLASSIC_ACCOUNT_BYTES = 165;
const TABLE_META_BYTES = 56;

/**
 * Acts without a spend of their own: they take nothing from the wallet, or every operation denies them. A new act compiles
 * only if it is listed here or has a case in `addActSpend`.
 */
type SpendsNothing =
  | 'accountRule'
  | 'closeAccount'
  | 'computeBudget'
  | 'createMint'
  | 'createPartner'
  | 'freeze'
  | 'lockLiquidity'
  | 'memo'
  | 'mintRule'
  | 'mintTo'
  | 'named'
  | 'nothing'
  | 'setManager'
  | 'setRight'
  | 'tableClose'
  | 'tableDeactivate'
  | 'tableFreeze'
  | 'unsupported'
  | 'useNonce';

/** Returns an upper bound of what the supported instructions take from the wallet, including the fee if it pays. */
export function staticSpend(c: DecisionContext): Amounts {
  const spend: Amounts = new Map();
  if (c.own.has(c.feePayer)) add(spend, 'SOL', c.fee.total);
  for (const act of c.acts) addActSpend(c, act, spend);
  return spend;
}

/** Adds the spend of one act. */
export function addActSpend(c: StageContext, act: Act, spend: Amounts): void {
  const pays = (payer: Address | undefined) => payer !== undefined && c.own.has(payer);
  const rent = (...bytes: number[]) =>
    add(
      spend,
      'SOL',
      bytes.reduce((sum, each) => sum + rentOf(c.inputs, each), 0n),
    );
  switch (act.act) {
    case 'transfer': {
      // The account may have been closed or emptied by an earlier act; what it held before counts.
      const asset = act.asset ?? tokenAccountAt(c, act.from.account)?.mint;
      if (asset !== undefined && leavesUs(c, act, asset)) add(spend, assetOf(asset), act.amount);
      return;
    }
    case 'tip':
      if (c.own.has(act.from)) add(spend, 'SOL', act.amount);
      return;
    case 'burn':
      if (c.own.has(act.authority)) add(spend, assetOf(act.mint), act.amount);
      return;
    case 'openAccount':
      if (!pays(act.payer)) return;
      if (typeof act.deposit === 'bigint') add(spend, 'SOL', act.deposit);
      else if (act.kind === 'token' && !isRefunded(c, act)) rent(tokenAccountBytes(c, act));
      return;
    case 'tableCreate':
      if (pays(act.payer)) rent(TABLE_META_BYTES);
      return;
    case 'tableExtend':
      if (pays(act.payer))
        add(spend, 'SOL', rentOf(c.inputs, 32 * act.addresses.length) - rentOf(c.inputs, 0));
      return;
    case 'swap':
      if (act.input !== undefined && isOurs(c, act.source, act.authority))
        add(spend, assetOf(act.input), act.maxIn);
      return;
    case 'createConfig':
      // The program may allocate space for all claimers at once, even if a later stage writes some of them.
      if (pays(act.payer))
        add(
          spend,
          'SOL',
          configDeposit(c.inputs, Math.max(act.claimers.length, countOfClaimers(c.inputs.plan.request))),
        );
      return;
    case 'extendConfig':
      if (pays(act.payer)) add(spend, 'SOL', claimersDeposit(c.inputs, act.claimers.length));
      return;
    case 'changeShares':
      if (pays(act.payer))
        add(spend, 'SOL', claimersDeposit(c.inputs, act.claimers.length - (act.toIndex - act.fromIndex)));
      return;
    case 'createPoolConfig':
      if (pays(act.payer)) rent(CURVE_CONFIG_BYTES);
      return;
    case 'createPool':
      if (!pays(act.payer)) return;
      rent(...act.makes.map(({ bytes }) => madeBytes(bytes)));
      add(spend, 'SOL', (act.surcharge ?? 0n) + creationFee(c, act.config));
      return;
    case 'openPosition':
      // `createPool` already counts the first position of a pool.
      if (pays(act.payer) && !madeWithPool(c, act.position))
        rent(POSITION_BYTES, NFT_MINT_BYTES, TOKEN_ACCOUNT_BYTES);
      return;
    case 'addLiquidity':
      for (const { asset, from, most } of act.deposits) {
        if (most !== undefined && isOurs(c, from, act.authority)) add(spend, assetOf(asset), most);
      }
      return;
    case 'setMetadata':
      if (!pays(act.payer)) return;
      rent(METADATA_BYTES);
      add(spend, 'SOL', act.surcharge ?? 0n);
      return;
    case 'claim': {
      if (!pays(act.payer)) return;
      const missing = act.payouts.filter(({ to }) => c.accounts.get(to.account)?.exists !== true);
      rent(...missing.map(() => TOKEN_ACCOUNT_BYTES));
      return;
    }
    default:
      act.act satisfies SpendsNothing;
  }
}

/** Whether a transfer takes an asset from us: the source is ours, and the destination does not keep it for us. */
function leavesUs(c: StageContext, { from, to, authority }: ActOf<'transfer'>, asset: Asset): boolean {
  const isSol = asset === 'SOL';
  const [mint, programs] = isSol ? [WSOL_MINT, [TOKEN_PROGRAM]] : [asset, TOKEN_PROGRAMS];
  // Only the chain shows an owner; if it is unknown, the transfer authority counts.
  const held = tokenAccountAt(c, from.account);
  const isOurSource =
    held === undefined
      ? c.own.has(authority) || isNewAccount(c, from.account, mint, programs)
      : c.own.has(held.owner);
  const isKept = (isSol && c.own.has(to.account)) || keepsForUs(c, to.account, mint, programs);
  return isOurSource && !isKept;
}

/**
 * Whether tokens sent to an account stay with our wallet: the account is ours, or the wallet's associated address if it
 * does not exist yet, and no other key can take its contents.
 */
function keepsForUs(c: StageContext, account: Address, mint: Address, programs: readonly Address[]): boolean {
  const state = tokenAccountAt(c, account);
  if (state === undefined) return isNewAccount(c, account, mint, programs);
  return c.own.has(state.owner) && state.mint === mint && !isControlledByOthers(c.own, state);
}

/** Whether an account is the wallet's associated token account under one of the programs and does not exist yet. */
const isNewAccount = (
  { accounts, wallet }: StageContext,
  account: Address,
  mint: Address,
  programs: readonly Address[],
): boolean =>
  !accounts.get(account)?.exists &&
  programs.some((program) => associatedTokenAddress(wallet, mint, program) === account);

/** Whether a later act closes a new account of ours to a wallet of ours. */
function isRefunded({ acts, own }: StageContext, opened: ActOf<'openAccount'>): boolean {
  return (
    own.has(opened.owner ?? '') &&
    acts
      .slice(acts.indexOf(opened))
      .some(
        (act) =>
          act.act === 'closeAccount' &&
          act.account.account === opened.account &&
          own.has(act.refundTo) &&
          own.has(act.authority),
      )
  );
}

/** Token-2022 accounts carry at least an immutable owner, and a withheld fee where the mint has fees. */
function tokenAccountBytes({ readings }: StageContext, opened: ActOf<'openAccount'>): number {
  const made = readings.find(({ acts }) => acts.includes(opened))?.reading.instruction?.accounts;
  const isClassic =
    made !== undefined && 'tokenProgram' in made && made.tokenProgram.address === TOKEN_PROGRAM;
  return isClassic ? CLASSIC_ACCOUNT_BYTES : TOKEN_ACCOUNT_BYTES;
}

/** Returns the non-refundable creation fee of a curve config in lamports; 0 if the config is unknown. */
export const creationFee = (c: StageContext, config: Address | undefined): bigint =>
  (config === undefined ? undefined : accountAt(c, config, poolConfig))?.poolCreationFee ?? 0n;

const [POSITION_BYTES, NFT_MINT_BYTES] = [408, 640];

const madeWithPool = ({ acts }: StageContext, position: Address): boolean =>
  acts.some((act) => act.act === 'createPool' && act.makes.some(({ account }) => account === position));

/** Whether a source account is ours: by its owner or, if unknown, by the signing authority. */
const isOurs = (c: StageContext, { account, owner }: Holder, authority: Address): boolean =>
  c.own.has(owner ?? tokenAccountAt(c, account)?.owner ?? authority);
