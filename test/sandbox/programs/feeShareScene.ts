/** Chain with the fee share stand-in, a payer and the service's key. */
import type { Keypair } from '../../../sandbox/keypair.ts';
import * as feeShare from '../../../sandbox/programs/feeShare.ts';
import { standInPrograms } from '../../../sandbox/programs/standIns.ts';
import { Scene } from './scene.ts';

export let scene: Scene;
export let payer: Keypair;
export let admin: Keypair;
export let pair: feeShare.FeePair;

/** Creates a new chain before each test. */
export async function renewScene(): Promise<void> {
  scene = await Scene.start(standInPrograms());
  [payer, admin] = [scene.rich('payer'), scene.rich('admin')];
  pair = feeShare.inSol(scene.key('curve mint').address);
  scene.done([payer, admin], feeShare.initProgramConfig(payer.address, admin.address, pair));
}

export const named = (...shares: readonly (readonly [string, number])[]) =>
  shares.map(([name, bps]) => ({ address: scene.key(name).address, bps }));
export const allowed = () => ({ payer: payer.address, admin: admin.address });
export const made = (...shares: readonly (readonly [string, number])[]) =>
  feeShare.createFeeConfig(allowed(), pair, named(...shares), { last: true });
export const managedBy = (name: string) =>
  feeShare.updateFeeConfigManager(allowed(), pair, scene.key(name).address);
