/** Races of two processes of one home for one intent: concurrent builds and submits, checked on the chain. */
import type { Home } from './home.ts';
import { configRequest, swapRequest } from './requests.ts';

export type Raced = 'feeShareConfig' | 'tradeSwap';

export interface RaceOutcome {
  /** Number of plans of the intent. */
  readonly plans: number;
  readonly complete: boolean;
  /** Stages with more than one landed signature. */
  readonly twice: readonly string[];
  readonly signatures: number;
}

/** Runs one race. `race` sets the offset between the two, and keeps each intent distinct. */
export async function buildConcurrently(
  home: Home,
  other: Home,
  endpoint: Raced,
  race: number,
): Promise<RaceOutcome> {
  const request =
    endpoint === 'tradeSwap'
      ? await swapRequest(home, `${5_000_000 + race}`)
      : await configRequest(home, 1 + (race % 3) * 5);
  const late = (ms: number) => new Promise((done) => setTimeout(done, ms));
  const built = await Promise.all(
    [home, other, home, other].map(async (each, n) => {
      await late(n * (race % 4) * 8);
      return each.build(endpoint, request);
    }),
  );
  const ids = built.map(({ plan }) => plan?.planId ?? '');
  const views = await Promise.all([submitted(home, ids[0]), submitted(other, ids[1])]);
  const rows = await home.ledger.rows('journal', { intentKey: built[0]?.plan?.intentKey ?? '' });
  const stages = rows
    .filter(({ signature }) => home.sandbox.chain.transaction(signature)?.err === null)
    .map(({ stageId }) => stageId);
  return {
    plans: new Set(ids).size,
    complete: views.some((status) => status === 'complete'),
    twice: stages.filter((id, i) => stages.indexOf(id) !== i),
    signatures: stages.length,
  };
}

/** Submits until complete or refused; retries while the other process holds the wallet. */
async function submitted(home: Home, planId = ''): Promise<string> {
  for (let tries = 0; tries < 20; tries++) {
    try {
      const { status } = await home.submit(planId);
      if (status !== 'running' && status !== 'waiting_setup') return status;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'WALLET_BUSY')) throw error;
    }
  }
  return 'never ended';
}
