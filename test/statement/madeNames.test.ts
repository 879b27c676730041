/** Names of created accounts: independent of addresses and order, and different for accounts that differ. */
import { describe, expect, test } from 'vitest';
import type { Act } from '../../src/programs/acts.ts';
import { statementDigest, statementOf } from '../../src/statement/aggregate.ts';
import type { Run } from '../../src/statement/types.ts';
import fc from '../fc.ts';
import {
  at,
  BASE,
  FakeChain,
  feeBound,
  fresh,
  Home,
  OTHER,
  PAYEE,
  STRANGER,
  stage,
  VENUE,
  WALLET,
} from './chain.ts';

const home = () => new Home(new FakeChain(), { request: [feeBound], fixed: [PAYEE, BASE] });

describe('names of created accounts', () => {
  const opens = (position: string, pool: string, owner: string): Act => ({
    ...{ act: 'openPosition', venue: 'v', pool, position, nftMint: position, owner, payer: STRANGER },
  });
  const fills = (position: string, pool: string, liquidity: bigint): Act => ({
    ...{ act: 'addLiquidity', venue: 'v', pool, position, liquidity, deposits: [], authority: STRANGER },
  });
  const creates = (pool: string): Act => ({
    ...{
      act: 'createPool',
      venue: 'v',
      pool,
      base: BASE,
      quote: OTHER,
      creator: PAYEE,
      payer: STRANGER,
      makes: [],
    },
  });
  const run = (acts: readonly Act[]): Run => home().run([stage([[VENUE, ...acts]])]);

  test('are the same for fresh addresses and another order, however similar the accounts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ pool: fc.nat(2), owner: fc.nat(1), liquidity: fc.nat(1) }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.array(fc.nat(1_000), { minLength: 20, maxLength: 20 }),
        (positions, order) => {
          const build = (shuffled: boolean) => {
            const pools = [fresh(), fresh(), fresh()];
            const acts = positions.flatMap(({ pool, owner, liquidity }) => {
              const [position, its] = [fresh(), pools[pool] ?? ''];
              return [
                opens(position, its, [PAYEE, WALLET][owner] ?? ''),
                fills(position, its, BigInt(liquidity)),
              ];
            });
            const all = [...pools.map(creates), ...acts].map((act, i) => [act, order[i % 20] ?? 0] as const);
            const sorted = shuffled ? all.toSorted((a, b) => a[1] - b[1]) : all;
            return statementDigest(statementOf(run(sorted.map(([act]) => act))));
          };
          expect(build(true)).toBe(build(false));
        },
      ),
      { numRuns: 25 },
    );
  });

  test('distinguish accounts that differ in one line, even with the same number of lines', () => {
    // Two rings: the assignment of positions to pools distinguishes six positions of three pools from two times three.
    const rings = (pairs: readonly (readonly [number, number])[]) => {
      const pools = Array.from({ length: 6 }, fresh);
      const acts = pairs.flatMap(([a, b]) => {
        const position = fresh();
        return [a, b]
          .map((i) => fills(position, pools[i] ?? '', 1n))
          .concat(opens(position, pools[a] ?? '', PAYEE));
      });
      return statementDigest(statementOf(run([...pools.map(creates), ...acts])));
    };
    const one = rings([
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 5],
      [5, 0],
    ]);
    const two = rings([
      [0, 1],
      [1, 2],
      [2, 0],
      [3, 4],
      [4, 5],
      [5, 3],
    ]);
    expect(one).toBe(
      rings([
        [3, 2],
        [2, 5],
        [5, 4],
        [4, 1],
        [1, 0],
        [0, 3],
      ]),
    );
    expect(one).not.toBe(two);
  });

  /** Pools that each appear in two lines, in rings of these sizes, built from pool `turn` on. */
  const ringsOf = (sizes: readonly number[], turn = 0): Act[] => {
    const pools = sizes.map((size) => Array.from({ length: size }, fresh));
    const all = pools.flat();
    const edges = pools.flatMap((ring) =>
      ring.map((pool, i) => fills(pool, ring[(i + 1) % ring.length] ?? '', 1n)),
    );
    const turned = (acts: readonly Act[]) => [...acts.slice(turn), ...acts.slice(0, turn)];
    return [...turned(all.map(creates)), ...turned(edges)];
  };
  const digestOf = (acts: readonly Act[]) => statementDigest(statementOf(run(acts)));

  test('resolve ties between accounts that are not interchangeable', () => {
    // A triangle and a square: every pool appears in equally many lines, so that only backtracking assigns it.
    const digests = [0, 1, 2, 3, 4, 5, 6].map((turn) => digestOf(ringsOf([3, 4], turn)));
    expect(new Set(digests)).toEqual(new Set([digests[0]]));
  });

  test('stay resolvable beside many interchangeable accounts', () => {
    const alike = (pool: string) => Array.from({ length: 7 }, () => opens(fresh(), pool, PAYEE));
    const digests = [0, 3].map((turn) => digestOf([...ringsOf([3, 4], turn), ...alike(at('another pool'))]));
    expect(new Set(digests)).toEqual(new Set([digests[0]]));
  });

  test('are stated even for a plan with more orders than can be tried', () => {
    const stated = statementOf(run(ringsOf([3, 3, 3, 3, 3]))).lines;
    expect(stated.filter(({ id }) => id === 'position')).toHaveLength(15);
  });

  test('are roles only if a landed stage, or the same one, creates the account', () => {
    const pool = fresh();
    const uses = stage([[VENUE, fills(fresh(), pool, 1n)]]);
    const ledger = home();
    const row = ledger.sign([stage([[VENUE, creates(pool)]]), uses]);
    expect(ledger.reserve([uses])).toBeUndefined();
    ledger.land(row, stage([]));
    expect(ledger.reserve([uses])).toBeDefined();
    // An existing account is not created by the run.
    const other = home();
    other.approve([stage([[VENUE, creates(pool)]])]);
    other.chain.there.add(pool);
    expect(other.reserve([stage([[VENUE, creates(pool)]])])).toBeUndefined();
  });

  test('the token account of a position stands for the position', () => {
    const [pool, big, small] = [fresh(), fresh(), fresh()];
    const acts = [creates(pool), opens(big, pool, PAYEE), fills(big, pool, 9n), opens(small, pool, PAYEE)];
    const gives = (nft: string): Act => ({ act: 'setRight', right: 'owner', of: nft, to: STRANGER });
    const digest = (nft: string) => statementDigest(statementOf(run([...acts, gives(nft)])));
    expect(digest(big)).not.toBe(digest(small));
  });

  test('a stranger’s share of the liquidity is a line', () => {
    const [pool, big, small] = [fresh(), fresh(), fresh()];
    const acts = [
      creates(pool),
      opens(big, pool, WALLET),
      fills(big, pool, 6n),
      opens(small, pool, STRANGER),
      fills(small, pool, 4n),
    ];
    const earns = statementOf(run(acts)).lines.filter((line) => line.id === 'earns');
    expect(earns).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ party: STRANGER, shareBps: 4_000, of: 'position' }),
        expect.objectContaining({ party: WALLET, shareBps: 6_000, of: 'position' }),
      ]),
    );
  });
});
