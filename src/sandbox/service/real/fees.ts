/** What waits for a wallet in the fee share of a curve, and what was paid out of it, as accounts and transactions say. */
import { readAs } from '../../../programs/account.ts';
import * as accounts from '../../../programs/feeShare/accounts.ts';
import { FEE_SHARE_PROGRAM } from '../../../programs/feeShare/addresses.ts';
import { isOnCurve } from '../../../transaction/derive.ts';
import type { Address } from '../../../transaction/types.ts';
import type { CurvePool } from '../../programs/dbc.ts';
import {
  type FeePair,
  feeShareAuthority,
  feeShareProgram,
  partnerConfig,
  userFeeVault,
} from '../../programs/feeShare.ts';
import { ata } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import type { ClaimEvent, IssuedConfig, Launch } from '../state.ts';
import { type ConfigAccount, landedConfig, pairOf } from './configAccount.ts';
import { curveAccounts, curveOf } from './venues.ts';

/** A launched curve with its config and what its pool owes the fee share. */
export interface EarningCurve {
  readonly launch: Launch;
  readonly issued: IssuedConfig;
  readonly config: ConfigAccount;
  readonly place: CurvePool;
  readonly pair: FeePair;
  /** Quote units in the pool that were not collected yet. */
  readonly uncollected: bigint;
}

export function earningCurves(service: ServiceContext): EarningCurve[] {
  return [...service.state.launches.values()].flatMap((launch) => {
    const landed = landedConfig(service, launch.tokenMint);
    const place = landed && curveOf(landed.issued);
    const found = place && curveAccounts(service, place);
    if (landed === undefined || place === undefined || found === undefined) return [];
    const pair = pairOf(landed.issued);
    return [{ launch, ...landed, place, pair, uncollected: found.pool.partnerQuoteFee }];
  });
}

/** A partner's config, while it is on chain. */
export function partnerAccount(service: ServiceContext, partner: Address, pair: Pick<FeePair, 'quoteMint'>) {
  const account = service.onchain.account(partnerConfig(partner, pair));
  if (account === null || account.owner !== feeShareProgram(pair)) return undefined;
  const fields = readAs(accounts.partnerConfig, { owner: FEE_SHARE_PROGRAM, data: account.data });
  return typeof fields === 'string' ? undefined : fields;
}

const share = (amount: bigint, bps: number) => (amount * BigInt(bps)) / 10_000n;

/** What a claimer may claim: what is divided already, and its part of what the pool holds after the partner's. */
export function claimable(service: ServiceContext, curve: EarningCurve, wallet: Address) {
  const { config, pair, uncollected } = curve;
  const index = config.claimers.findIndex(({ address }) => address === wallet);
  const partner = config.partner === null ? undefined : partnerAccount(service, config.partner, pair);
  const divided = uncollected - share(uncollected, partner?.bps ?? 0);
  const owed = index < 0 ? 0n : (config.owed[index] ?? 0n);
  const coming = share(divided, config.claimers[index]?.basisPoints ?? 0);
  const vault = ata(userFeeVault(wallet, pair), { mint: pair.quoteMint, tokenProgram: pair.quoteProgram });
  return { index, owed, coming, inVault: service.onchain.balance(vault) };
}

/** Payments out of the fee share to wallets, oldest first. */
export function claimEvents(service: ServiceContext, { launch, pair }: EarningCurve): ClaimEvent[] {
  const authority = feeShareAuthority(pair);
  const held = ata(authority, { mint: pair.quoteMint, tokenProgram: pair.quoteProgram });
  return service.onchain.chain.transactionsFor(held).flatMap((record) => {
    if (record.err !== null) return [];
    const amounts = new Map<Address, bigint>();
    const note = (balances: typeof record.postTokenBalances, sign: bigint) => {
      for (const { owner, mint, amount } of balances) {
        if (mint === pair.quoteMint) amounts.set(owner, (amounts.get(owner) ?? 0n) + sign * amount);
      }
    };
    note(record.preTokenBalances, -1n);
    note(record.postTokenBalances, 1n);
    // The fee share's own accounts are owned by derived addresses; a wallet has a key.
    const paid = [...amounts].filter(([owner, amount]) => amount > 0n && isOnCurve(owner));
    return paid.map(([wallet, amount]) => ({
      tokenMint: launch.tokenMint,
      wallet,
      isCreator: wallet === launch.launchWallet,
      amount,
      signature: record.signature,
      timestamp: record.blockTime,
    }));
  });
}
