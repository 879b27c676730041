/** A scene whose answers are changed, the plan each answer becomes, and the proof that nothing left. */
import { expect } from 'vitest';
import { type Fields, object, objects, someAddress, text } from './harness.ts';
import type { Change } from './recorder.ts';
import { type LiveScene, startLiveScene, withRule } from './scene.ts';

export const SOL = 'So11111111111111111111111111111111111111112';
/** A wallet whose key does not exist here. */
export const friend = someAddress();

/** A live scene that may be denied on purpose, again and again, and whose rules know only our own wallet. */
export const startTamperedScene = (): Promise<LiveScene> =>
  startLiveScene({
    policy: (file) => ({
      ...withRule(withRule(file, 'launch', { feeClaimer: 'own' }), 'fee-plans', { admin: 'own', tip: 'own' }),
      freeze: { afterDenials: { count: 1000, windowSeconds: 600 } },
    }),
  });

/** A token of the sandbox that trades. */
export async function tradedToken({ server }: LiveScene): Promise<string> {
  const { launches } = await server.ok('get_launch_feed');
  return text(objects(launches).find(({ symbol }) => symbol === 'HARBOR')?.tokenMint);
}

/** A config request for a fresh token, with changes. */
export const configOf = async (scene: LiveScene, more: Fields = {}): Promise<Fields> => ({
  baseMint: (await scene.token()).tokenMint,
  flow: 'damm_v2_direct',
  claimersArray: [scene.wallet.address, friend],
  basisPointsArray: [6000, 4000],
  admin: scene.wallet.address,
  ...more,
});

/** Builds with a changed answer, submits what became a plan, and proves that nothing left. */
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
