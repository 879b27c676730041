/** Launch records and what the chain says about them. */
import type { Service } from './service.ts';
import type { Launch, LaunchStatus } from './state.ts';

/** A launch is live once its pool's vault holds or held the supply; a curve graduates at its threshold. */
export function launchStatus(service: Service, launch: Launch): LaunchStatus {
  const { venue } = launch;
  if (venue === undefined) return 'PRE_LAUNCH';
  const { onchain, state } = service;
  const mint = onchain.mint(launch.tokenMint);
  if (mint === undefined || mint.supply === 0n || onchain.tokenAccount(venue.baseVault) === undefined) {
    return 'PRE_LAUNCH';
  }
  if (venue.kind !== 'dbc') return 'MIGRATED';
  const threshold = BigInt(state.configs.get(launch.tokenMint)?.graduationThresholdRaw ?? '0');
  const raised = onchain.balance(venue.quoteVault);
  return threshold > 0n && raised >= threshold ? 'MIGRATED' : 'PRE_GRAD';
}
