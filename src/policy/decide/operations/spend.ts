/**
 * Upper bounds of what acts take from the wallet: the maximum input of a swap, rent of accounts that may already exist, and
 * known surcharges.
 */
import type { Act, Holder } from '../../../programs/acts.ts';
import { poolConfig } from '../../../programs/dbc/accounts.ts';
import { METADATA_BYTES } from '../../../programs/tokenMetadata/addresses.ts';
import type { Address } from '../../../transaction/types.ts';
import { type Amounts, add } from '../amounts.ts';
import { assetOf, rentOf, type StageContext, tokenAccountAt } from '../decisionContext.ts';
import { accountAt } from './chain.ts';
import {
  CURVE_CONFIG_BYTES,
  claimersDeposit,
  configDeposit,
  madeBytes,
  TOKEN_ACCOUNT_BYTES,
} from './deposits.ts';
import { countOfClaimers } from './request.ts';

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
  }
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
