import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RaceScene } from './racing.ts';

/** Timeout for hangs only; the duration of servers, sandbox and execution is irrelevant. */
const HANGS_MS = 300_000;

describe('two server processes on one home that race for one intent', () => {
  let scene: RaceScene;
  beforeAll(async () => {
    scene = await RaceScene.start();
  }, HANGS_MS);
  afterAll(() => scene.close(), HANGS_MS);

  // A hundred races of each kind: `npm run race`.
  it.each([
    ['configs', 1],
    ['swaps', 0],
    ['swaps', 1],
  ] as const)(
    'store one plan and sign each stage once, by the ledger and the chain: %s, race %i (T90)',
    async (kind, race) => {
      const { problems, stages, signed, landed } = await scene.race(kind, race);
      expect(problems).toEqual([]);
      expect(stages).toBeGreaterThan(0);
      expect({ signed, landed }).toEqual({ signed: stages, landed: stages });
    },
    HANGS_MS,
  );
});
