/** First plan of a new home, for command line tests: a fee share config of a new token. */
import { type Fields, type McpProcess, object, someAddress, text } from './harness.ts';

/** Submits a built plan until it is complete, at most five times. Returns the plan. */
export async function landed(server: McpProcess, built: Fields): Promise<Fields> {
  const planId = text(object(built.plan).planId);
  let plan = object(built.plan);
  for (let turn = 0; turn < 5 && plan.status !== 'complete'; turn++) {
    plan = object((await server.ok('submit_plan', { planId, waitSeconds: 40 })).plan);
  }
  return plan;
}

/** Lands a config of a new token managed by the client's wallet. Returns the plan and the wallet. */
export async function landedConfig(server: McpProcess): Promise<Fields> {
  const { wallet } = object(await server.ok('get_status', {}));
  const info = await server.ok('create_token_info', {
    name: 'First',
    symbol: 'FIRST',
    description: 'made by a new user',
    imageUrl: 'https://example.com/a.png',
  });
  const built = await server.ok('create_fee_share_config', {
    baseMint: info.tokenMint,
    payer: wallet,
    flow: 'damm_v2_direct',
    claimersArray: [wallet, someAddress()],
    basisPointsArray: [6_000, 4_000],
  });
  return { ...(await landed(server, built)), wallet };
}
