/** Scene with tampered answers, the resulting plans, and a check that nothing was sent. */
import { expect } from 'vitest';
import { type Fields, object, objects, someAddress, text } from './harness.ts';
import type { Change } from './recorder.ts';
import { type LiveScene, startLiveScene, withRule } from './scene.ts';

export const SOL = 'So11111111111111111111111111111111111111112';
/** Wallet without a key here. */
export const friend = someAddress();

/** Starts a live scene without freezes after denials, whose rules admit only our own wallet. */
export const startTamperedScene = (): Promise<LiveScene> =>
  startLiveScene({
    policy: (file) => ({
      ...withRule(withRule(file, 'launch', { feeClaimer: 'own' }), 'fee-plans', { admin: 'own', tip: 'own' }),
      freeze: { afterDenials: { count: 1000, windowSeconds: 600 } },
    }),
  });

/** Returns a traded token of the sandbox. */
export async function tradedToken({ server }: LiveScene): Promise<string> {
  const { launches } = await server.ok('get_launch_feed');
  return text(objects(launches).find(({ symbol }) => symbol === 'HARBOR')?.tokenMint);
}

/** Returns a config request for a new token, with changes. */
export const configOf = async (scene: LiveScene, more: Fields = {}): Promise<Fields> => ({
  baseMint: (await scene.token()).tokenMint,
  flow: 'damm_v2_direct',
  claimersArray: [scene.wallet.address, friend],
  basisPointsArray: [6000, 4000],
  admin: scene.wallet.address,
  ...more,
});

/** Builds with a tampered answer, submits any resulting plan, and checks that nothing was sent. */
export async function outcome(
  scene: LiveScene,
  change: Change,
  tool: string,
  args: Fields,
): Promise<{ codes: unknown[]; text: string }> {
  scene.service.change(change);
  const sent = scene.chain.sent.length;
  const plans = objects((await scene.server.ok('list_plans', { limit: 100 })).plans).length;
  const built = await scene.server.call(tool, args);
  scene.service.change();
  try {
    if (built.isError) {
      expect(objects((await scene.server.ok('list_plans', { limit: 100 })).plans).length).toBe(plans);
      return { codes: [built.data.code], text: built.text };
    }
    expect(object(object(built.data.plan).decision).effect).toBe('deny');
    const plan = await scene.submit(built.data);
    expect(plan.status).toBe('denied');
    for (const stage of objects(plan.stages)) expect(stage).not.toHaveProperty('signature');
    const { reasonCodes } = object(plan.decision);
    return { codes: Array.isArray(reasonCodes) ? reasonCodes : [], text: built.text };
  } finally {
    expect(scene.chain.sent.length).toBe(sent);
    for (const secret of scene.secrets) expect(built.text).not.toContain(secret);
  }
}
