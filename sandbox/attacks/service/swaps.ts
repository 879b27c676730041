/** Changes of the swap of a trade or a first buy, at a venue or through the router. */

import { readAs } from '../../../src/programs/account.ts';
import { pool as poolLayout } from '../../../src/programs/dammV2/accounts.ts';
import { derivedAddress } from '../../../src/programs/derived.ts';
import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import type { SandboxChain } from '../../chain/chain.ts';
import { ROUTER_PROGRAM } from '../../programs/addresses.ts';
import { type PoolTokens, poolAddress, poolSwap2 } from '../../programs/dammV2.ts';
import type { Draft } from '../../service/build/compile.ts';
import { ata, createAta, type TokenAsset, wrap } from '../../service/build/tokens.ts';
import { Onchain } from '../../service/onchain.ts';
import { tokensOf } from '../../service/records/pools.ts';
import { attackerKey, TAKEN_LAMPORTS } from './assets.ts';
import { altered, alters, both, type ReadOf, rewrite } from './drafts.ts';
import type { AttackTools, DraftHook } from './types.ts';

/** Wrapped SOL. */
export const SOL: TokenAsset = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 9 };

/** Fields of a swap. Amounts in base units. */
export interface Swap {
  readonly source: Address;
  readonly destination: Address;
  readonly amountIn: bigint;
  readonly minOut: bigint;
}

type Change = Partial<Pick<Swap, 'destination' | 'amountIn' | 'minOut'>> | readonly EncodedInstruction[];

const BASIS_POINTS = 10_000n;

/** Changes or replaces every swap of a draft; `undefined` keeps it. */
export function rewriteSwaps(draft: Draft, change: (swap: Swap) => Change | undefined): Draft {
  const atVenue = (found: ReadOf<'dammV2.swap2'> | ReadOf<'dbc.swap2'>) => {
    const { accounts, args } = found;
    const [source, destination] = [accounts.inputTokenAccount.address, accounts.outputTokenAccount.address];
    const swap = { source, destination, amountIn: args.amount0, minOut: args.amount1 };
    const changed = change(swap);
    if (changed === undefined || isList(changed)) return changed;
    const { amountIn, minOut, destination: to } = { ...swap, ...changed };
    const how = { accounts: { outputTokenAccount: to }, args: { amount0: amountIn, amount1: minOut } };
    return [found.kind === 'dbc.swap2' ? altered(found, how) : altered(found, how)];
  };
  const routed = (found: ReadOf<'jupiter.routeV2'>) => {
    const { accounts, args, rest } = found;
    const destination = accounts.userDestinationTokenAccount.address;
    const swap = {
      source: accounts.userSourceTokenAccount.address,
      destination,
      amountIn: args.inAmount,
      minOut: (args.quotedOutAmount * (BASIS_POINTS - BigInt(args.slippageBps))) / BASIS_POINTS,
    };
    const changed = change(swap);
    if (changed === undefined || isList(changed)) return changed;
    const to = changed.destination ?? destination;
    return [
      altered(found, {
        accounts: to === destination ? {} : { destinationTokenAccount: to },
        args: {
          inAmount: changed.amountIn ?? swap.amountIn,
          ...(changed.minOut === undefined ? {} : { quotedOutAmount: changed.minOut, slippageBps: 0 }),
        },
        rest: rest.map((each) => (each.address === destination ? { ...each, address: to } : each)),
      }),
    ];
  };
  const direct = rewrite(rewrite(draft, 'dammV2.swap2', atVenue), 'dbc.swap2', atVenue);
  return rewrite(direct, 'jupiter.routeV2', routed);
}

/** Converts a plan of one step for the older router instructions, in per cent instead of basis points. */
const planBefore = (plan: Uint8Array) => Uint8Array.of(...plan.subarray(0, 5), 100, ...plan.subarray(7));

/** Returns a token account of a key, opened at the attacker's expense if missing. */
function opened({ onchain, attacker, fund }: AttackTools, owner: Address, mint: Address): Address {
  const tokenProgram = onchain.mint(mint)?.tokenProgram ?? TOKEN_PROGRAM;
  const account = ata(owner, { mint, tokenProgram });
  if (onchain.tokenAccount(account) !== undefined) return account;
  fund(attacker.address, TAKEN_LAMPORTS);
  onchain.landBy(attacker, [createAta(attacker.address, owner, { mint, tokenProgram })]);
  return account;
}

/** Replaces routed swaps by `route`, with the output or half a per cent of it for the attacker. */
export const byRoute = (draft: Draft, tools: AttackTools, takes: 'all' | 'platform fee'): Draft =>
  rewrite(draft, 'jupiter.routeV2', ({ accounts, args, rest }) => {
    const { destinationMint, sourceTokenProgram, userDestinationTokenAccount: bought, ...own } = accounts;
    const to = opened(tools, tools.attacker.address, destinationMint.address);
    const isAll = takes === 'all';
    return [
      encodeInstruction('jupiter.route', {
        accounts: {
          tokenProgram: sourceTokenProgram.address,
          userTransferAuthority: own.userTransferAuthority,
          userSourceTokenAccount: own.userSourceTokenAccount,
          userDestinationTokenAccount: bought,
          destinationMint,
          ...(isAll ? { destinationTokenAccount: to } : { platformFeeAccount: to }),
        },
        args: { ...amountsOf(args), platformFeeBps: isAll ? 0 : 50 },
        rest: isAll
          ? rest.map((each) => (each.address === bought.address ? { ...each, address: to } : each))
          : rest,
      }),
    ];
  });

/** Makes the step of a route pay the attacker; the router's accounts are unchanged. */
export const stepPaysElsewhere = alters('jupiter.routeV2', ({ accounts, rest }, tools) => {
  const to = opened(tools, tools.attacker.address, accounts.destinationMint.address);
  const own = accounts.userDestinationTokenAccount.address;
  return { rest: rest.map((each) => (each.address === own ? { ...each, address: to } : each)) };
});

/** Replaces routed swaps by `shared_accounts_route`, through the router's token accounts to the attacker. */
export const bySharedRoute = (draft: Draft, tools: AttackTools): Draft =>
  rewrite(draft, 'jupiter.routeV2', ({ accounts, args, rest }) => {
    const { sourceMint, destinationMint, userTransferAuthority } = accounts;
    const programAuthority = derivedAddress(ROUTER_PROGRAM, [{ text: 'authority' }, 0]);
    const source = opened(tools, programAuthority, sourceMint.address);
    const destination = opened(tools, programAuthority, destinationMint.address);
    const inPlaceOf = new Map([
      [userTransferAuthority.address, programAuthority],
      [accounts.userSourceTokenAccount.address, source],
      [accounts.userDestinationTokenAccount.address, destination],
    ]);
    return [
      encodeInstruction('jupiter.sharedAccountsRoute', {
        accounts: {
          ...{ tokenProgram: accounts.sourceTokenProgram.address, programAuthority, userTransferAuthority },
          ...{ sourceTokenAccount: accounts.userSourceTokenAccount, sourceMint, destinationMint },
          ...{ programSourceTokenAccount: source, programDestinationTokenAccount: destination },
          destinationTokenAccount: opened(tools, tools.attacker.address, destinationMint.address),
        },
        args: { id: 0, ...amountsOf(args), platformFeeBps: 0 },
        rest: rest.map(({ address, writable }) => ({
          ...{ address: inPlaceOf.get(address) ?? address, writable, signer: false },
        })),
      }),
    ];
  });

const amountsOf = ({ routePlan, ...args }: ReadOf<'jupiter.routeV2'>['args']) => ({
  routePlan: planBefore(routePlan),
  inAmount: args.inAmount,
  quotedOutAmount: args.quotedOutAmount,
  slippageBps: args.slippageBps,
});

const isList = (changed: Change): changed is readonly EncodedInstruction[] => Array.isArray(changed);

/** Reads a pool. Throws RangeError if it does not exist. */
export function poolState(chain: Pick<SandboxChain, 'getAccount'>, { mintA, mintB }: PoolTokens) {
  const account = chain.getAccount(poolAddress(mintA, mintB));
  const fields = account && readAs(poolLayout, account);
  if (fields === null || typeof fields === 'string') throw new RangeError('there is no such pool');
  return fields;
}

/** Returns the pool of the sample trades. */
export const tradedPool = ({ keys }: AttackTools): PoolTokens => tokensOf(keys.tokenMint(0).address, SOL);

/** In a trial: another key buys before the wallet's trade lands, which raises the price. */
export function buyBefore(copy: SandboxChain, tools: AttackTools, lamports: bigint): void {
  const trader = attackerKey(tools, 'trade before');
  const tokens = tradedPool(tools);
  const base = { mint: tokens.mintA, tokenProgram: tokens.programA };
  copy.airdrop(trader.address, 2n * lamports);
  const sides = { input: ata(trader.address, SOL), output: ata(trader.address, base), payer: trader.address };
  new Onchain(copy).landBy(trader, [
    ...wrap(trader.address, lamports),
    createAta(trader.address, trader.address, base),
    poolSwap2(tokens, sides, lamports, 1n),
  ]);
  copy.advanceSlots(1);
}

export type PoolArgs = ReadOf<'dammV2.initializeCustomizablePool'>['args'];

/** Opens the pool of a launch at other prices with other, locked liquidity. */
export const reopened = (
  prices: (args: PoolArgs) => Partial<PoolArgs>,
  liquidity: (of: bigint) => bigint,
): DraftHook =>
  both(
    alters('dammV2.initializeCustomizablePool', ({ args }) => ({
      args: { ...prices(args), liquidity: liquidity(args.liquidity) },
    })),
    alters('dammV2.addLiquidity', ({ args }) => ({
      args: { liquidityDelta: liquidity(args.liquidityDelta) },
    })),
    alters('dammV2.permanentLockPosition', ({ args }) => ({
      args: { permanentLockLiquidity: liquidity(args.permanentLockLiquidity) },
    })),
  );
