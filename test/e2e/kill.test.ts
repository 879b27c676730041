import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KillScene } from './killing.ts';

describe('kill -9 of the built server', () => {
  let scene: KillScene;
  beforeAll(async () => {
    scene = await KillScene.start();
  });
  afterAll(() => scene.close());

  // All boundaries and hundreds of random instants: `npm run kill`.
  it.each(['before:9', 'after:9'] as const)(
    '%s of its writes: the next server executes the plan once',
    async (instant) => {
      const { died, problems, stages } = await scene.kill(instant);
      expect(problems).toEqual([]);
      expect(died).toBe(true);
      expect(stages).toBeGreaterThan(1);
    },
  );
});
