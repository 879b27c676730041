import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KillScene } from './killing.ts';

/** Timeout for hangs only; the duration of servers, sandbox and execution is irrelevant. */
const HANGS_MS = 300_000;

describe('kill -9 of the built server', () => {
  let scene: KillScene;
  beforeAll(async () => {
    scene = await KillScene.start();
  }, HANGS_MS);
  afterAll(() => scene.close(), HANGS_MS);

  // All boundaries and hundreds of random instants: `npm run kill`.
  it.each(['before:9', 'after:9'] as const)(
    '%s of its writes: the next server executes the plan once',
    async (instant) => {
      const { died, problems, stages } = await scene.kill(instant);
      expect(problems).toEqual([]);
      expect(died).toBe(true);
      expect(stages).toBeGreaterThan(1);
    },
    HANGS_MS,
  );
});
