/** Claimable amounts and past payouts of a token's fee share, read from accounts and transactions. */

import { DEPLOYER_SHARE_BPS } from '../../../src/contract/constants.ts';
import { readAs } from '../../../src/programs/account.ts';
import { FEE_SHARE_PROGRAM } from '../../../src/programs/feeShare/addresses.ts';
import * as accounts from '../../../src/programs/feeShare/feeAccounts.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { isOnCurve } from '../../../src/transaction/derive.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import {
  claimDammV2,
  claimDbc,
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
import { earnedBy, heldBy, tokensOf } from './pools.ts';
import { curveAccounts, curveOf } from './venues.ts';

/** Share of a custody pool's fees that the fee claimer's position earns (the treasury's earns the rest). */
export const CUSTODY_CLAIMER_BPS = 5_000;

/** A launched token with its config and the uncollected fees of its curve or pool. */
export interface EarningToken {
  readonly launch: Launch;
  readonly issued: IssuedConfig;
  readonly config: ConfigAccount;
  readonly pair: FeePair;
  /** Source kind of its claims: the holding of a curve or the position in a pool. */
  readonly source: 'holding' | 'position';
  /** Uncollected quote units at the venue. */
  readonly uncollected: bigint;
  /** Collects them into the fee share. */
  collect(payer: Address): EncodedInstruction;
}

export function earningTokens(service: ServiceContext): EarningToken[] {
  return [...service.state.launches.values()].flatMap((launch) => {
    const landed = landedConfig(service, launch.tokenMint);
    const fees = landed && feesAt(service, landed);
    return landed === undefined || fees === undefined ? [] : [{ launch, ...landed, ...fees }];
  });
}

function feesAt(
  service: ServiceContext,
  { issued, config }: { readonly issued: IssuedConfig; readonly config: ConfigAccount },
): Omit<EarningToken, 'launch' | 'issued' | 'config'> | undefined {
  const pair = pairOf(issued);
  const partner = config.partner ?? undefined;
  const curve = curveOf(issued);
  if (curve !== undefined) {
    const found = curveAccounts(service, curve);
    return (
      found && {
        pair,
        source: 'holding',
        uncollected: found.pool.partnerQuoteFee,
        collect: (payer) => claimDbc(payer, pair, curve.config, partner),
      }
    );
  }
  const nftMint = service.keys.position(issued.baseMint, 'feeClaimer').address;
  const nftAccount = heldBy(service, nftMint, feeShareAuthority(pair));
  const tokens = tokensOf(issued.baseMint, {
    mint: issued.quoteMint,
    tokenProgram: issued.quoteTokenProgram,
  });
  if (nftAccount === undefined) return undefined;
  return {
    pair,
    source: 'position',
    uncollected: earnedBy(service, tokens, nftMint),
    collect: (payer) => claimDammV2(payer, pair, nftMint, partner, nftAccount),
  };
}

/** Collects a token's fees from its venue into the fee share, which divides them. The service pays. */
export function collectShared(service: ServiceContext, { uncollected, collect }: EarningToken): void {
  if (uncollected === 0n) return;
  const { sponsor } = service.keys;
  service.onchain.landBy(sponsor, [collect(sponsor.address)]);
}

/** Returns a partner's config; `undefined` before it is on chain. */
export function partnerAccount(service: ServiceContext, partner: Address, pair: Pick<FeePair, 'quoteMint'>) {
  const account = service.onchain.account(partnerConfig(partner, pair));
  if (account === null || account.owner !== feeShareProgram(pair)) return undefined;
  const fields = readAs(accounts.partnerConfig, { owner: FEE_SHARE_PROGRAM, data: account.data });
  return typeof fields === 'string' ? undefined : fields;
}

const RESERVED_AT = 96;
const share = (amount: bigint, bps: number) => (amount * BigInt(bps)) / 10_000n;

/** Splits the uncollected fees: the partner's share first, then the deployer's (SOL only), then the claimers'. */
export function dividedOf(service: ServiceContext, { config, pair, uncollected }: EarningToken) {
  const partner = config.partner === null ? undefined : partnerAccount(service, config.partner, pair);
  const rest = uncollected - share(uncollected, partner?.bps ?? 0);
  const deployer = pair.quoteMint === WSOL_MINT ? share(rest, DEPLOYER_SHARE_BPS) : 0n;
  return { deployer, claimers: rest - deployer };
}

/** Returns the deployer's earnings that are still in the fee share, read at the offset of the stand-in. */
export function reservedFor(service: ServiceContext, pair: FeePair): bigint {
  const account = service.onchain.account(feeShareAuthority(pair));
  return account === null ? 0n : Buffer.from(account.data).readBigUInt64LE(RESERVED_AT);
}

/** Returns a claimer's claimable amounts: divided already, coming from uncollected fees, and in its vault. */
export function claimable(service: ServiceContext, token: EarningToken, wallet: Address) {
  const { config, pair } = token;
  const index = config.claimers.findIndex(({ address }) => address === wallet);
  const { claimers: divided } = dividedOf(service, token);
  const owed = index < 0 ? 0n : (config.owed[index] ?? 0n);
  const coming = share(divided, config.claimers[index]?.basisPoints ?? 0);
  const vault = ata(userFeeVault(wallet, pair), { mint: pair.quoteMint, tokenProgram: pair.quoteProgram });
  return { index, owed, coming, inVault: service.onchain.balance(vault) };
}

/** Returns payouts of the fee share to wallets, oldest first. */
export function claimEvents(service: ServiceContext, { launch, pair }: EarningToken): ClaimEvent[] {
  const authority = feeShareAuthority(pair);
  const held = ata(authority, { mint: pair.quoteMint, tokenProgram: pair.quoteProgram });
  const records = service.onchain.chain.transactionsFor(held).toReversed();
  return records.flatMap((record) => {
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
