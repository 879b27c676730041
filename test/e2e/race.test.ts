import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RaceScene } from './racing.ts';

describe('two server processes on one home that race for one intent', () => {
  let scene: RaceScene;
  beforeAll(async () => {
    scene = await RaceScene.start();
  });
  afterAll(() => scene.close());

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
  );
});
