/** Behaviour of the router stand-in: swaps through another program, and its own minimum output. */

import { beforeEach, describe, expect, test } from 'vitest';
import { DBC_PROGRAM } from '../../../sandbox/programs/addresses.ts';
import { route } from '../../../sandbox/programs/router.ts';
import { standInPrograms } from '../../../sandbox/programs/standIns.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { curveSwap, poolSwap } from './instructions.ts';
import { errorOf, Scene, SOL } from './scene.ts';
import { launchCurve, launchPool, trader } from './worlds.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await Scene.start(standInPrograms());
});

const venues = {
  dbc: () => {
    const { place, base } = launchCurve(scene);
    const user = trader(scene, 'user', base);
    return { ...user, base, swap: (amount: bigint) => curveSwap(place, user.buy, amount, 0n) };
  },
  dammV2: () => {
    const { tokens, base } = launchPool(scene);
    const user = trader(scene, 'user', base);
    return { ...user, base, swap: (amount: bigint) => poolSwap(tokens, user.buy, amount, 0n) };
  },
};

function world(venue: keyof typeof venues) {
  const { wallet, quote, token, base, swap } = venues[venue]();
  const routed = (amount: bigint, quoted: bigint, slippageBps = 100) =>
    route(
      {
        user: wallet.address,
        source: quote,
        destination: token,
        sourceMint: WSOL_MINT,
        destinationMint: base.mint,
        sourceProgram: TOKEN_PROGRAM,
        destinationProgram: TOKEN_PROGRAM,
        venue,
        venueSwap: swap(0n),
      },
      amount,
      quoted,
      slippageBps,
    );
  return { wallet, quote, token, swap, routed };
}

describe.each(['dbc', 'dammV2'] as const)('a swap through the router at %s', (venue) => {
  test('returns the same as the venue itself', async () => {
    const direct = world(venue);
    scene.done([direct.wallet], direct.swap(SOL));
    const expected = scene.tokens(direct.token);
    scene = await Scene.start(standInPrograms());
    const { wallet, quote, token, routed } = world(venue);
    scene.done([wallet], routed(SOL, expected));
    expect(scene.tokens(token)).toBe(expected);
    expect(scene.tokens(quote)).toBe(49n * SOL);
  });

  test('is refused below the quote less the slippage', async () => {
    const first = world(venue);
    scene.done([first.wallet], first.swap(SOL));
    const out = scene.tokens(first.token);
    scene = await Scene.start(standInPrograms());
    const { wallet, quote, routed } = world(venue);
    expect(errorOf(scene.land([wallet], routed(SOL, (out * 10_000n) / 9_900n + 2n, 100)))).toBe(6001);
    expect(scene.tokens(quote)).toBe(50n * SOL);
    scene.done([wallet], routed(SOL, (out * 10_000n) / 9_900n, 100));
  });
});

test('calls no program except the venue of its plan', () => {
  const { wallet, routed } = world('dammV2');
  const built = routed(SOL, 1n);
  const accounts = built.accounts.map((each, i) => (i === 10 ? { ...each, address: DBC_PROGRAM } : each));
  const { err } = scene.land([wallet], { ...built, accounts });
  expect(err).toEqual({ InstructionError: [2, 'IncorrectProgramId'] });
});
