/** Honest runs ask once; hostile runs ask again before the harmful signature, whatever lands, fails or lands late. */

import { describe, expect, test } from 'vitest';
import fc from '../fc.ts';
import { type Built, FakeChain, Home } from './chain.ts';
import { type Build, KINDS, type Kind } from './plans.ts';

type Outcome = 'lands' | 'fails' | 'dead' | 'rebuilt';

interface Script {
  readonly flavour: number;
  readonly picks: readonly number[];
  readonly outcomes: readonly Outcome[];
}

const script: fc.Arbitrary<Script> = fc.record({
  flavour: fc.nat(1),
  picks: fc.array(fc.nat(10_000), { minLength: 40, maxLength: 40 }),
  outcomes: fc.array(fc.constantFrom<Outcome>('lands', 'lands', 'lands', 'fails', 'dead', 'rebuilt'), {
    minLength: 6,
    maxLength: 6,
  }),
});

/** Plays a plan to its end; `evil` starts with the build after the first approval, or after the first landing. */
function play(kind: Kind, { flavour, picks, outcomes }: Script, evil?: string, after = 0) {
  const chain = new FakeChain();
  const home = new Home(chain, kind.wish);
  const landed: string[] = [];
  const memory = new Map<string, string>();
  let [at, fails] = [0, 0];
  const pick = (below: number) => {
    at += 1;
    return (picks[at % picks.length] ?? 0) % below;
  };
  const b: Build = { chain, landed, pick, flavour, memory };
  const build = (turned: boolean): readonly (readonly [string, Built])[] => {
    home.later = kind.later?.(landed);
    return kind.build(b, turned ? evil : undefined);
  };
  const mustSwap = () => evil !== undefined && home.askLimit > 0 && landed.length >= after;
  let todo = build(false);
  for (let step = 0; step < 40 && todo.length > 0; step++) {
    if (home.askLimit === 0) {
      home.approve(todo.map(([, built]) => built));
      memory.set('begun', 'yes');
      if (mustSwap()) todo = build(true);
      continue;
    }
    const [name, built] = todo[0] ?? [];
    if (name === undefined || built === undefined) break;
    const row =
      evil === undefined
        ? home.sign(todo.map(([, each]) => each))
        : home.reserve(todo.map(([, each]) => each));
    if (row === undefined) return home;
    const outcome = evil !== undefined || fails > 2 ? 'lands' : (outcomes[step % outcomes.length] ?? 'lands');
    if (outcome === 'lands') {
      home.land(row, built);
      landed.push(name);
      for (const role of ['pool', 'big', 'small']) {
        const made = memory.get(`next ${role}`);
        if (made !== undefined) memory.set(role, made);
      }
      todo = evil !== undefined && !mustSwap() ? todo.slice(1) : build(mustSwap());
      if (mustSwap() && evil !== undefined && home.rows.length > 8) break;
    } else {
      fails += 1;
      row.state = outcome === 'fails' ? 'failed' : 'released';
      if (outcome === 'rebuilt' || pick(2) === 0) todo = build(false);
    }
  }
  return Object.assign(home, { finished: todo.length === 0 });
}

describe.each(Object.entries(KINDS))('%s', (name, kind) => {
  test('an honest run with rounds, rebuilds, failures and new quotes asks once', () => {
    fc.assert(
      fc.property(script, (each) => {
        const home = play(kind, each);
        expect([home.askLimit, home.refusal]).toEqual([1, '']);
      }),
      { numRuns: 40 },
    );
  });

  test.each(Object.entries(kind.hostile))('%s is not covered by the honest approval', (evil, lines) => {
    fc.assert(
      fc.property(script, (each) => {
        const home = play(kind, each, evil, name === 'config' ? 1 : 0);
        expect(lines).toContain(home.refusal.split(' ')[0]);
      }),
      { numRuns: 10 },
    );
  });
});
