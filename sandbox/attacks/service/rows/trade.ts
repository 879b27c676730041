/** Attacks on trades and first buys: a smaller output, a larger input, or another token (T19, T20, T25, T26, T64). */

import type { EncodedInstruction } from '../../../../src/programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../../src/transaction/programs.ts';
import type { Address } from '../../../../src/transaction/types.ts';
import { DAMM_V2_PROGRAM, DBC_PROGRAM, ROUTER_PROGRAM } from '../../../programs/addresses.ts';
import { initializePool, poolSwap2 } from '../../../programs/dammV2.ts';
import { createMetadata } from '../../../programs/tokenMetadata.ts';
import type { Draft } from '../../../service/build/compile.ts';
import {
  ata,
  createAta,
  createMint,
  mintTo,
  systemTransfer,
  transfer,
  wrap,
} from '../../../service/build/tokens.ts';
import { poolTerms, tokensOf } from '../../../service/records/pools.ts';
import { attackerKey, lookalike, TAKEN_LAMPORTS } from '../assets.ts';
import { both, read, rewrite } from '../drafts.ts';
import { deploys, relayed } from '../relay.ts';
import {
  buyBefore,
  byRoute,
  bySharedRoute,
  poolState,
  reopened,
  rewriteSwaps,
  SOL,
  stepPaysElsewhere,
  tradedPool,
} from '../swaps.ts';
import {
  type Attack,
  type Attacks,
  type AttackTools,
  type DraftHook,
  type Fields,
  service,
} from '../types.ts';

/** Sets a swap's minimum output to a percentage of the original. */
const leastOf =
  (percent: bigint): DraftHook =>
  (draft) =>
    rewriteSwaps(draft, ({ minOut }) => ({ minOut: (minOut * percent) / 100n }));

/** Sends the input to the attacker through `through`, without a swap. */
const taken =
  (through: (transfer: EncodedInstruction) => EncodedInstruction): DraftHook =>
  (draft, { wallet }, { attacker, onchain }) =>
    rewriteSwaps(draft, ({ source, amountIn }) => {
      const account = onchain.tokenAccount(source);
      const mint = onchain.mint(account?.mint ?? WSOL_MINT);
      if (mint === undefined) throw new RangeError('the input of the swap is no token');
      const asset = { mint: mint.address, tokenProgram: mint.tokenProgram, decimals: mint.decimals };
      return [
        createAta(wallet, attacker.address, asset),
        through(transfer(asset, source, ata(attacker.address, asset), wallet, amountIn)),
      ];
    });

/** Depth of the fake token's pool in lamports. */
const FAKE_DEPTH = TAKEN_LAMPORTS;
const FAKE_SUPPLY = 10n ** 15n;

/** A token of the attacker with the real one's name, and its pool. */
function makeFake(tools: AttackTools): undefined {
  const { attacker, onchain, fund } = tools;
  const fake = attackerKey(tools, 'fake mint');
  const asset = { mint: fake.address, tokenProgram: TOKEN_PROGRAM, decimals: 6 };
  if (onchain.mint(fake.address) !== undefined) return undefined;
  fund(attacker.address, 5n * FAKE_DEPTH);
  const owner = attacker.address;
  const named = {
    mint: fake.address,
    mintAuthority: owner,
    payer: owner,
    updateAuthority: owner,
    updateAuthoritySigns: true,
  };
  onchain.landBy(
    attacker,
    [
      ...createMint(owner, fake.address, TOKEN_PROGRAM, 6, owner, (size) => onchain.rent(size)),
      createMetadata(named, {
        name: 'Harbor Light',
        symbol: 'HARBOR',
        uri: 'https://sandbox.example/harbor.json',
        mutable: true,
      }),
      createAta(owner, owner, asset),
      mintTo(TOKEN_PROGRAM, fake.address, ata(owner, asset), owner, FAKE_SUPPLY),
      ...wrap(owner, FAKE_DEPTH),
    ],
    fake,
  );
  const real = poolState(onchain.chain, tradedPool(tools));
  const position = attackerKey(tools, 'fake position');
  const accounts = { creator: owner, nftMint: position.address, payer: owner };
  const price = real.sqrtMinPrice;
  const liquidity = (FAKE_SUPPLY / 2n) * price;
  onchain.landBy(
    attacker,
    [
      initializePool(
        tokensOf(fake.address, SOL),
        { ...accounts, tokenA: ata(owner, asset), tokenB: ata(owner, SOL) },
        { ...poolTerms(100), minPrice: price, price, liquidity },
      ),
    ],
    position,
  );
  return undefined;
}

/** The attacker's token program: a forwarding program at an address that resembles the real one. */
const FAKE_PROGRAM = lookalike(TOKEN_PROGRAM);

/** Scales the amounts of a quote by a percentage. */
function quoted(answer: unknown, names: readonly string[], percent: bigint): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  const fields: Fields = { ...answer };
  const changed = names.map((name) => [name, String((BigInt(String(fields[name])) * percent) / 100n)]);
  return { ...fields, ...Object.fromEntries(changed) };
}

/** Multiplies everything the wallet pays into a trade. */
const pays =
  (factor: bigint): DraftHook =>
  (draft, { wallet }) => {
    const own = ata(wallet, SOL);
    const wrapped = rewrite(draft, 'system.transfer', ({ accounts, args }) =>
      accounts.to.address === own ? [systemTransfer(wallet, own, args.lamports * factor)] : undefined,
    );
    return rewriteSwaps(wrapped, ({ amountIn }) => ({ amountIn: amountIn * factor }));
  };

/** The square root of ten in millionths, and slightly reduced liquidity, so that the supply suffices. */
const ROOT_OF_TEN = 3_162_277n;
const MILLION = 1_000_000n;
const times = (value: bigint, less = 0n): bigint => (value * (ROOT_OF_TEN - less)) / MILLION;

/** Opens a launch's pool at ten times the price with the same token amount, and lowers the minimum of the first buy. */
const tenfoldOpening: DraftHook = both(
  reopened(
    ({ sqrtPrice, sqrtMinPrice }) => ({ sqrtPrice: times(sqrtPrice), sqrtMinPrice: times(sqrtMinPrice) }),
    (liquidity) => times(liquidity, 1n),
  ),
  (draft) => rewriteSwaps(draft, ({ minOut }) => ({ minOut: minOut / 12n })),
);

/** A quote at a tenth of the price and a matching swap, with another trade landing first. */
const tenthOfOutput: Pick<Attack, 'endpoints' | 'draft' | 'meanwhile' | 'answer'> = {
  endpoints: ['tradeQuote', 'tradeSwap'],
  draft: leastOf(10n),
  meanwhile: (copy, _, tools) => buyBefore(copy, tools, 120n * TAKEN_LAMPORTS),
  answer: (answer, _, __, endpoint) =>
    endpoint === 'tradeQuote' ? quoted(answer, ['outAmount', 'minOutAmount'], 10n) : answer,
};

/** Programs that swap. */
const SWAPPING: readonly Address[] = [DAMM_V2_PROGRAM, DBC_PROGRAM, ROUTER_PROGRAM];

/** Returns the mint of the account that a draft opens for the bought tokens. */
function firstBought(draft: Draft, account: Address): { readonly mint: Address } | undefined {
  for (const instruction of draft.instructions) {
    const known = read(instruction);
    if (known.kind !== 'associatedToken.createIdempotent') continue;
    if (known.accounts.associatedToken.address === account) return { mint: known.accounts.mint.address };
  }
  return undefined;
}

/** The id of the first quote of the attack. */
let firstId: unknown;

export const tradeAttacks: Attacks = {
  'fake-token-program': service({
    row: 'T19',
    does: 'calls its own program, whose address resembles the token program’s, instead of the venue',
    takes: 'the whole input of the trade',
    code: 'PROGRAM_NOT_ALLOWED',
    endpoints: ['tradeSwap'],
    begin: deploys(() => FAKE_PROGRAM),
    draft: taken(relayed(FAKE_PROGRAM)),
  }),
  'fake-mint': service({
    row: 'T20',
    does: 'swaps in the pool of another token of the same name and symbol',
    takes: 'the whole input of the trade',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    begin: makeFake,
    draft: (draft, { wallet }, tools) => {
      const tokens = tokensOf(attackerKey(tools, 'fake mint').address, SOL);
      const fake = { mint: tokens.mintA, tokenProgram: tokens.programA };
      return rewriteSwaps(draft, ({ source, amountIn }) => [
        createAta(wallet, wallet, fake),
        poolSwap2(tokens, { input: source, output: ata(wallet, fake), payer: wallet }, amountIn, 1n),
      ]);
    },
  }),
  'less-arrives': service({
    row: 'T25',
    does: 'sets the minimum to half of the quoted minimum, and has another trade land first',
    takes: 'half of the proceeds',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    draft: leastOf(40n),
    meanwhile: (copy, _, tools) => buyBefore(copy, tools, 30n * TAKEN_LAMPORTS),
  }),
  'nothing-arrives': service({
    row: 'T25',
    does: 'takes the input and makes no swap',
    takes: 'the whole input of the trade',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    draft: taken((transfer) => transfer),
  }),
  'delivered-elsewhere': service({
    row: 'T25',
    does: 'has the venue deliver the proceeds to the attacker',
    takes: 'the whole input of the trade',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap', 'dammLaunch', 'dammLaunchV2', 'curveLaunch', 'curveLaunchV2'],
    draft: (draft, { wallet }, { attacker, onchain }) => {
      const opened: EncodedInstruction[] = [];
      const changed = rewriteSwaps(draft, ({ destination }) => {
        const found = firstBought(draft, destination) ?? onchain.tokenAccount(destination);
        const mint = onchain.mint(found?.mint ?? '');
        const asset = { mint: found?.mint ?? '', tokenProgram: mint?.tokenProgram ?? TOKEN_PROGRAM };
        opened.push(createAta(wallet, attacker.address, asset));
        return { destination: ata(attacker.address, asset) };
      });
      const at = changed.instructions.findIndex(({ programAddress }) => SWAPPING.includes(programAddress));
      return { ...changed, instructions: changed.instructions.toSpliced(Math.max(at, 0), 0, ...opened) };
    },
  }),
  'route-elsewhere': service({
    row: 'T25',
    does: 'swaps with an older router instruction that delivers the proceeds to the attacker',
    takes: 'the whole input of the trade',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    draft: (draft, _, tools) => byRoute(draft, tools, 'all'),
  }),
  'route-step-elsewhere': service({
    row: 'T187',
    does: 'lets a step of the route pay the attacker, while the router instruction names the wallet’s account',
    takes: 'the whole input of the trade',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    draft: stepPaysElsewhere,
  }),
  'shared-route-elsewhere': service({
    row: 'T25',
    does: 'swaps through token accounts of the router, which forward the proceeds to the attacker',
    takes: 'the whole input of the trade',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeSwap'],
    draft: (draft, _, tools) => bySharedRoute(draft, tools),
  }),
  'first-buy-inflated': service({
    row: 'T26',
    does: 'makes the first buy of a launch ten times as large as requested',
    takes: 'nine times the first buy',
    code: 'REQUEST_MISMATCH',
    endpoints: ['dammLaunchV2', 'dammLaunch', 'curveLaunch', 'curveLaunchV2'],
    draft: pays(10n),
  }),
  'first-buy-overpriced': service({
    row: 'T26',
    does: 'opens the pool at ten times the price, so that the first buy brings a tenth of its value',
    takes: 'nine tenths of the first buy',
    code: 'LIMIT_EXCEEDED',
    endpoints: ['dammLaunch', 'dammLaunchV2'],
    draft: tenfoldOpening,
  }),
  'quote-inflated': service({
    row: 'T64',
    does: 'quotes five times the requested amount, and builds the swap to match',
    takes: 'four times the input',
    code: 'REQUEST_MISMATCH',
    endpoints: ['tradeQuote', 'tradeSwap'],
    draft: pays(5n),
    answer: (answer, _, __, endpoint) =>
      endpoint === 'tradeQuote' ? quoted(answer, ['inAmount'], 500n) : answer,
  }),
  'quote-poisoned': service({
    row: 'T64',
    does: 'quotes a tenth of the real price, and builds the swap to match',
    takes: 'nine tenths of the input’s value',
    code: 'LIMIT_EXCEEDED',
    ...tenthOfOutput,
  }),
  'quote-far-off': service({
    row: 'T181',
    does: 'quotes a tenth of the pool’s price, under a rule without a rate',
    takes: 'nine tenths of the input’s value',
    code: 'PRICE_DEVIATES',
    ...tenthOfOutput,
  }),
  'quote-id-reused': service({
    row: 'T68',
    does: 'gives a second quote the id of the first, so that a swap below the first quote matches the second',
    takes: 'the difference between the quotes',
    code: 'QUOTE_CONFLICT',
    endpoints: ['tradeQuote'],
    begin: () => {
      firstId = undefined;
      return undefined;
    },
    answer: (answer) => {
      const quote: Fields = Object(answer);
      firstId ??= quote.requestId;
      return { ...quote, requestId: firstId };
    },
  }),
};
