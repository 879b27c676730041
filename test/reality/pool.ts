/** DAMM v2 scenarios: pools of several kinds, positions, locks, swaps, fees, and our own custody. */

import { DAMM_V2_PROGRAM, ROUTER_PROGRAM } from '../../sandbox/programs/addresses.ts';
import {
  collectHeldFees,
  custodyAuthority,
  earningsVault,
  lockHeldPosition,
  openCustody,
} from '../../sandbox/programs/custody.ts';
import {
  addLiquidity,
  claimPositionFee,
  createPosition,
  initializePool,
  lockPosition,
  type PoolParameters,
  type PoolTokens,
  poolAddress,
  poolSwap2,
  poolVault,
  positionAddress,
  positionNftAccount,
  removeLiquidity,
} from '../../sandbox/programs/dammV2.ts';
import { route, VENUES } from '../../sandbox/programs/router.ts';
import { ata, createAta, wrap } from '../../sandbox/service/build/tokens.ts';
import { derivedAddress } from '../../src/programs/derived.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import type { Address } from '../../src/transaction/types.ts';
import { poolSwap } from '../sandbox/programs/instructions.ts';
import { SOL, WSOL } from '../sandbox/programs/scene.ts';
import { POOL, trader } from '../sandbox/programs/worlds.ts';
import type { Player, Scenario } from './play.ts';

const falling = { cliff: 200_000_000n, periods: 20, frequency: 1n, reduction: 5_000_000n, mode: 0 };

const POOLS: Readonly<Record<string, Partial<PoolParameters>>> = {
  'both tokens and a fee in SOL': {},
  'the token alone': { minPrice: POOL.price },
  'SOL alone': { maxPrice: POOL.price },
  'fees in whatever comes out': { collectFeeMode: 0 },
  'a fee that falls evenly': { baseFee: falling, minPrice: POOL.price },
  'a fee that falls by a part': { baseFee: { ...falling, reduction: 500n, mode: 1 } },
};

/** Signs for the router's own token accounts. */
const ROUTER_AUTHORITY = derivedAddress(ROUTER_PROGRAM, [{ text: 'authority' }, 0]);
/** One step at DAMM v2 with the whole input. */
const PLAN = Uint8Array.of(1, 0, 0, 0, VENUES.dammV2, 100, 0, 1);

interface Older {
  readonly quoted: bigint;
  readonly platformAccount?: Address;
  /** Alternative destination. */
  readonly other?: Address;
}

/** Buys for 1 SOL with the router's older instructions: between the buyer's accounts, and through the router's. */
function olderRoutes(tokens: PoolTokens, user: Address, own: { source: Address; destination: Address }) {
  const { source, destination } = own;
  const args = { routePlan: PLAN, inAmount: SOL, slippageBps: 100 };
  const through = (payer: Address, input: Address, output: Address) => {
    const swap = poolSwap(tokens, { input, output, payer }, 0n, 0n);
    const uses = swap.accounts.map((each) => ({ ...each, signer: each.signer && payer === user }));
    return [{ address: swap.programAddress }, ...uses];
  };
  const before = ({ quoted, platformAccount, other }: Older) =>
    encodeInstruction('jupiter.route', {
      accounts: {
        ...{ tokenProgram: TOKEN_PROGRAM, userTransferAuthority: user, destinationMint: tokens.mintA },
        ...{ userSourceTokenAccount: source, userDestinationTokenAccount: destination },
        ...(platformAccount === undefined ? {} : { platformFeeAccount: platformAccount }),
        ...(other === undefined ? {} : { destinationTokenAccount: other }),
      },
      args: { ...args, quotedOutAmount: quoted, platformFeeBps: platformAccount === undefined ? 0 : 50 },
      rest: through(user, source, other ?? destination),
    });
  const [routerSource, routerDestination] = [tokens.mintB, tokens.mintA].map((mint) =>
    ata(ROUTER_AUTHORITY, { mint, tokenProgram: TOKEN_PROGRAM }),
  );
  const throughShared = ({ quoted, other = destination }: Older) =>
    encodeInstruction('jupiter.sharedAccountsRoute', {
      accounts: {
        ...{ tokenProgram: TOKEN_PROGRAM, userTransferAuthority: user, sourceTokenAccount: source },
        ...{ programSourceTokenAccount: routerSource ?? '', destinationTokenAccount: other },
        ...{ programDestinationTokenAccount: routerDestination ?? '' },
        ...{ sourceMint: tokens.mintB, destinationMint: tokens.mintA },
      },
      args: { ...args, id: 0, quotedOutAmount: quoted, platformFeeBps: 0 },
      rest: through(ROUTER_AUTHORITY, routerSource ?? '', routerDestination ?? ''),
    });
  return [before, throughShared] as const;
}

const opened = (payer: Address, { mintA, mintB }: PoolTokens, platform: Address) => [
  createAta(payer, platform, { mint: mintA, tokenProgram: TOKEN_PROGRAM }),
  createAta(payer, ROUTER_AUTHORITY, { mint: mintA, tokenProgram: TOKEN_PROGRAM }),
  createAta(payer, ROUTER_AUTHORITY, { mint: mintB, tokenProgram: TOKEN_PROGRAM }),
];

function pool({ scene, step, watch }: Player, change: Partial<PoolParameters>, isHeld: boolean): void {
  const [owner, nft, second] = [scene.rich('owner'), scene.key('nft'), scene.key('second nft')];
  const base = scene.token('pool mint', owner, 10n ** 15n);
  const tokens = { mintA: base.mint, programA: TOKEN_PROGRAM, mintB: WSOL_MINT, programB: TOKEN_PROGRAM };
  const at = poolAddress(base.mint, WSOL_MINT);
  const [tokenA, tokenB] = [ata(owner.address, base), ata(owner.address, WSOL)];
  scene.done([owner], ...wrap(owner.address, 50n * SOL));
  watch('pool', at);
  for (const [name, mint] of [
    ['first', nft.address],
    ['second', second.address],
  ] as const) {
    watch(`the ${name} position`, positionAddress(mint));
    watch(`the NFT of the ${name} position`, mint);
    watch(`the holder of the ${name} NFT`, positionNftAccount(mint));
  }
  watch('vault of the token', poolVault(base.mint, at));
  watch('vault of SOL', poolVault(WSOL_MINT, at));
  watch('the owner’s tokens', tokenA);
  watch('the owner’s wrapped SOL', tokenB);
  watch('owner', owner.address);
  const creator = isHeld ? custodyAuthority(at) : owner.address;
  const accounts = { creator, nftMint: nft.address, payer: owner.address, tokenA, tokenB };
  step('the pool is made', [owner, nft], initializePool(tokens, accounts, { ...POOL, ...change }));
  step(
    'a second position',
    [owner, second],
    createPosition(at, owner.address, second.address, owner.address),
  );
  const { wallet, buy, sell, quote, token } = trader(scene, 'buyer', base, 100n * SOL);
  watch('the buyer’s tokens', token);
  watch('the buyer’s wrapped SOL', quote);
  step('a buy', [wallet], poolSwap(tokens, buy, SOL, 1n));
  step('a buy in the newer encoding', [wallet], poolSwap2(tokens, buy, 15n * SOL, 1n));
  step('a sale', [wallet], poolSwap(tokens, sell, scene.tokens(token) / 3n, 1n));
  step('a buy with a referrer', [wallet], poolSwap(tokens, { ...buy, referral: tokenB }, SOL, 1n));
  const routed = (quoted: bigint) =>
    route(
      {
        user: wallet.address,
        source: quote,
        destination: token,
        sourceMint: WSOL_MINT,
        destinationMint: base.mint,
        sourceProgram: TOKEN_PROGRAM,
        destinationProgram: TOKEN_PROGRAM,
        venue: 'dammV2',
        venueSwap: poolSwap(tokens, buy, 0n, 0n),
      },
      SOL,
      quoted,
      100,
    );
  step('a buy through the router', [wallet], routed(1n));
  step('a buy through the router below its quote', [wallet], routed(10n ** 18n));
  const [before, throughShared] = olderRoutes(tokens, wallet.address, { source: quote, destination: token });
  const platform = scene.rich('platform').address;
  const platformAccount = ata(platform, base);
  step('accounts of the router and a platform', [wallet], ...opened(wallet.address, tokens, platform));
  watch('the platform’s tokens', platformAccount);
  watch('the router’s tokens', ata(ROUTER_AUTHORITY, base));
  watch('the router’s wrapped SOL', ata(ROUTER_AUTHORITY, WSOL));
  step('a buy through the older router', [wallet], before({ quoted: 1n }));
  step('a buy below its quote', [wallet], before({ quoted: 10n ** 18n }));
  step('a buy of which a platform is paid', [wallet], before({ quoted: 1n, platformAccount }));
  step('a buy delivered to another', [wallet], before({ quoted: 1n, other: platformAccount }));
  step('a buy through accounts of the router', [wallet], throughShared({ quoted: 1n }));
  step('the same, below its quote', [wallet], throughShared({ quoted: 10n ** 18n }));
  step('the same, for another', [wallet], throughShared({ quoted: 1n, other: platformAccount }));
  step('a buy below the least asked for', [wallet], poolSwap(tokens, buy, SOL, 10n ** 18n));
  step('a buy of nothing', [wallet], poolSwap(tokens, buy, 0n, 0n));
  const mine = { nftMint: second.address, owner: owner.address, tokenA, tokenB };
  const most = 10n ** 18n;
  step('liquidity is added', [owner], addLiquidity(tokens, mine, POOL.liquidity / 10n, most, most));
  step('liquidity is added above a bound', [owner], addLiquidity(tokens, mine, POOL.liquidity / 10n, 1n, 1n));
  step('a buy', [wallet], poolSwap(tokens, buy, 7n * SOL, 1n));
  step('liquidity is taken', [owner], removeLiquidity(tokens, mine, POOL.liquidity / 100n, 0n, 0n));
  step('more than all is taken', [owner], removeLiquidity(tokens, mine, POOL.liquidity, 0n, 0n));
  step('a part is locked', [owner], lockPosition(at, second.address, owner.address, POOL.liquidity / 20n));
  step('what is locked is taken', [owner], removeLiquidity(tokens, mine, POOL.liquidity / 11n, 0n, 0n));
  const theirs = { nftMint: second.address, owner: wallet.address, tokenA: token, tokenB: quote };
  step('a stranger takes liquidity', [wallet], removeLiquidity(tokens, theirs, 1n, 0n, 0n));
  step('a stranger claims', [wallet], claimPositionFee(tokens, theirs));
  step('the owner claims', [owner], claimPositionFee(tokens, mine));
  if (!isHeld) {
    step(
      'the owner claims of the first',
      [owner],
      claimPositionFee(tokens, { ...mine, nftMint: nft.address }),
    );
    return;
  }
  const terms = {
    treasuryNft: second.address,
    claimerNft: nft.address,
    treasury: scene.rich('treasury').address,
    feeClaimer: scene.rich('claimer').address,
    partner: { wallet: scene.rich('partner').address, bps: 1_000 },
  };
  watch('the fee claimer’s vault', earningsVault('deployer', terms.feeClaimer, WSOL));
  watch('the partner’s vault', earningsVault('partner', terms.partner.wallet, WSOL));
  step('the custody is opened', [owner], openCustody(owner.address, at, terms));
  step('the custody locks', [owner], lockHeldPosition(at, nft.address, POOL.liquidity));
  step('the custody collects', [wallet], collectHeldFees(wallet.address, tokens, terms, nft.address));
}

export const poolScenarios: readonly Scenario[] = [
  ...Object.entries(POOLS).map(
    ([name, change]): Scenario => ({
      name: `DAMM v2 with ${name}`,
      programs: [DAMM_V2_PROGRAM, ROUTER_PROGRAM],
      play: (player) => pool(player, change, false),
    }),
  ),
  {
    name: 'DAMM v2 with a position in custody',
    programs: [DAMM_V2_PROGRAM, ROUTER_PROGRAM],
    play: (player) => pool(player, {}, true),
  },
];
