/**
 * Honest stages of every operation, built by the service with the real programs one after another on one chain; each is
 * swept while its facts match the chain. The wallet owns one account of every kind.
 */
import { setTimeout } from 'node:timers/promises';
import type { Draft } from '../../sandbox/service/build/compile.ts';
import type { EndpointName } from '../../src/contract/index.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { attacker, RealWorld } from '../policy/realOperations.ts';
import { type Fields, keyNamed } from '../policy/world.ts';
import { type Owned, ownedBy } from './aim.ts';

/** One stage and its draft. */
export interface SweptStage {
  readonly name: string;
  readonly real: RealWorld;
  readonly owned: Owned;
  readonly plan: Plan;
  readonly honest: DecisionInputs;
  readonly draft: Draft;
}

/** A chain on which the wallet owns one account of every kind. */
export async function sweptWorld(): Promise<{ real: RealWorld; owned: Owned }> {
  const real = await RealWorld.start('the sweep');
  const owned = ownedBy(real.wallet, attacker.address);
  for (const { address, ...account } of owned.snapshot)
    if (address !== attacker.address)
      real.world.sandbox.chain.setAccount(address, { ...account, executable: false });
  real.world.sandbox.advanceSlots(4);
  return { real, owned };
}

/** The v1 format has more space for added instructions. */
const ROOM = { transactionFormat: 'v1' };

type World = Awaited<ReturnType<typeof sweptWorld>>;

/** Builds a plan and lands it; yields every stage in `names` immediately before it lands. */
async function* played(
  { real, owned }: World,
  endpoint: EndpointName,
  fields: Fields,
  names: Readonly<Record<string, string>>,
): AsyncGenerator<SweptStage> {
  for (let round = 0; round < 6; round += 1) {
    const drafts = new Map<string, Draft>();
    const remember = (draft: Draft, stage: string) => {
      drafts.set(stage, draft);
      return draft;
    };
    const plan = await real.world.plan(endpoint, fields, remember);
    for (const { id, kind } of plan.stages) {
      const [draft, name] = [drafts.get(id), names[id] ?? names[kind]];
      const honest = await real.world.inputs(plan, id);
      if (name !== undefined && draft !== undefined) {
        yield { name, real, owned, plan, honest, draft };
        // Lets the process handle closed idle connections after a busy minute.
        await setTimeout(50);
      }
      await real.world.land(plan, id);
    }
    if (plan.readiness?.status !== 'setup_required') return;
  }
}

/** Yields all stages, in an order that satisfies their prerequisites. */
export async function* sweptStages(world: World): AsyncGenerator<SweptStage> {
  const { real } = world;
  const { wallet } = real;
  const other = keyNamed('another claimer').address;

  const curve = await real.world.token();
  const config = real.world.configRequest(curve.mint, [6_000, 4_000], {
    flow: 'dbc',
    tipWallet: other,
    tipLamports: 1_000_000,
    ...ROOM,
  });
  yield* played(world, 'feeShareConfig', config, { config: 'config of a curve' });
  const answer = Object(await real.world.call('feeShareConfig', config));
  const split = {
    baseMint: curve.mint,
    payer: wallet,
    claimersArray: [wallet, other],
    basisPointsArray: [7_000, 3_000],
    ...ROOM,
  };
  yield* played(world, 'updateFeeShareConfig', split, { manager_update: 'changed split' });
  const launch = {
    tokenMint: curve.mint,
    ipfs: curve.uri,
    configKey: String(answer.venueConfigKey),
    wallet,
    initialBuyLamports: 100_000_000,
  };
  yield* played(world, 'curveLaunch', launch, { launch: 'curve launch' });
  yield* played(world, 'tradeSwap', (await real.buy(curve.mint, '500000000')).fields, {
    swap: 'swap of SOL',
  });
  yield* played(world, 'tradeSwap', (await real.sell(curve.mint)).fields, { swap: 'swap for SOL' });
  yield* played(world, 'claimTxs', real.claim(curve.mint).fields, { claim: 'holding claim' });

  const many = await real.world.token();
  const shares = Array<number>(40).fill(250);
  yield* played(world, 'feeShareConfig', real.world.configRequest(many.mint, shares), {
    lookup_table_setup: 'lookup table of a config',
    config: 'config of forty',
  });

  const pool = await real.world.landedConfig();
  yield* played(
    world,
    'dammLaunchV2',
    { ...real.poolRequest(pool, '100000000'), ...ROOM },
    {
      'launch-1': 'token of a pool launch',
      'launch-2': 'pool launch',
      'launch-3': 'fee share of a pool launch',
    },
  );
  yield* played(world, 'tradeSwap', (await real.buy(pool.mint, '500000000')).fields, {
    swap: 'swap in a pool',
  });
  const position = { feeClaimer: wallet, tokenMint: pool.mint, source: { kind: 'position' } };
  yield* played(world, 'claimTxs', position, { claim: 'position claim' });
}
