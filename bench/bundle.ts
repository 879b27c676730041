/**
 * The five-stage bundle: how many slots it takes over the fewest its confirmations allow. Counted in slots of the
 * sandbox's own clock, so the machine's speed is not part of it as long as a slot is long enough to work in.
 */
import { createHome, object, objects, startServer, text } from '../test/e2e/harness.ts';
import { type Ratio, ratio } from './measure.ts';

const WSOL = 'So11111111111111111111111111111111111111112';

export async function benchBundle(runs = 5): Promise<Ratio[]> {
  const server = await startServer(['--sandbox'], {
    COUNTERSIGN_HOME: createHome().home,
    COUNTERSIGN_SLOT_MS: '400',
  });
  const ours: number[] = [];
  const base: number[] = [];
  try {
    const status = await server.ok('get_status');
    const slotOf = async (): Promise<number> => {
      const response = await fetch(text(status.rpcUrl), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'getSlot',
          params: [{ commitment: 'processed' }],
        }),
      });
      return Number(object(await response.json()).result);
    };
    for (let i = 0; i < runs; i += 1) {
      const token = await server.ok('create_token_info', {
        name: 'B',
        symbol: 'B',
        description: 'bench',
        imageUrl: 'https://example.com/a.png',
      });
      const built = await server.ok('create_damm_launch', {
        tokenMint: token.tokenMint,
        ipfs: token.tokenMetadata,
        quoteMint: WSOL,
        initialBuyQuoteAmount: 1_000_000,
      });
      const planId = text(object(built.plan).planId);
      const start = performance.now();
      const first = await slotOf();
      const { plan } = await server.ok('submit_plan', { planId, waitSeconds: 40 });
      const took = performance.now() - start;
      if (object(plan).status !== 'complete') throw new Error(JSON.stringify(plan));
      const slots = objects(object(plan).stages).length;
      // Three confirmations one after the other (setup and token in parallel, launch, deactivate), each a slot
      // after the one it lands in, and the slot that must pass before a confirmed view can use the new table.
      const fewest = 3 + 1;
      ours.push(took / 400);
      base.push(fewest);
      if (slots < 5 || first <= 0) throw new Error('not a bundle of five');
    }
  } finally {
    await server.stop();
  }
  return [
    ratio('five-stage bundle', 'slots taken over the critical path of confirmations', 1.15, ours, base),
  ];
}
