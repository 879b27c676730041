/**
 * The table of docs/kinds.md: the kinds of plans the service builds, with what the shipped templates decide about it. Kinds
 * whose instructions are read are `exact` and as their rule says; the others are unread, and a person is asked; none is
 * refused for how it is composed. `npm run gen` writes the page from what is recorded here.
 */
import { expect, it } from 'vitest';
import type { KindRow } from '../../../scripts/kindsPage.ts';
import { makeEnvelope } from '../../../src/approval/envelope.ts';
import type { EndpointName } from '../../../src/contract/index.ts';
import { evaluate } from '../../../src/policy/decide/evaluate.ts';
import type { Decision, Facts } from '../../../src/policy/decide/types.ts';
import { embeddedPolicy } from '../../../src/policy/file/embedded.ts';
import type { LoadedPolicy } from '../../../src/policy/file/file.ts';
import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import { policyTemplate } from '../../../src/policy/file/templates.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { keyNamed, load, NOTHING_USED } from '../people.ts';
import { RealWorld } from '../realOperations.ts';
import type { Fields } from '../world.ts';

/** One kind of plan: what is asked of the service, and in which of its ways it answers. */
interface Kind {
  readonly kind: string;
  readonly endpoint: EndpointName;
  readonly fields: Fields;
  readonly template: 'creator' | 'trader';
}

const tipped = keyNamed('tipped').address;

/** The templates as a person would fill them in: with those who earn here in the address book. */
function policies(real: RealWorld, slots: ReadonlyMap<string, number>) {
  const { wallet, world } = real;
  const network = world.sandbox.genesisHash;
  const embedded = embeddedPolicy({ wallet, network });
  const servicePrograms = (embedded.programs ?? []).flatMap((entry) =>
    entry.binding === 'effects' ? [{ ...entry, deployedSlot: slots.get(entry.address) ?? 0 }] : [],
  );
  const addressBook = [
    { label: 'tipped', address: tipped },
    ...Array.from({ length: 99 }, (_, i) => ({
      label: `earner ${i + 1}`,
      address: keyNamed(`claimer ${i + 1}`).address,
    })),
  ];
  const of = (name: 'creator' | 'trader'): LoadedPolicy => {
    const file: PolicyFile = policyTemplate(name, { wallet, network, servicePrograms });
    return load({ ...file, addressBook });
  };
  return { sandbox: load(embedded), creator: of('creator'), trader: of('trader') };
}

const asLive = (facts: Facts): Facts => ({ ...facts, mode: 'live', plan: { ...facts.plan, mode: 'live' } });

const WORDS = { allow: 'allowed', require_approval: 'asked', deny: 'denied' } as const;
const STRICTNESS = ['allow', 'require_approval', 'deny'] as const;

/** The strictest of what is decided about the stages, with the reason of a denial. */
function verdict(decisions: readonly Decision[]): string {
  const strictest =
    STRICTNESS.findLast((effect) => decisions.some((each) => each.effect === effect)) ?? 'allow';
  const denied = decisions.find(({ effect }) => effect === 'deny');
  return denied === undefined ? WORDS[strictest] : `denied: ${denied.reasonCodes.join(', ')}`;
}

/** Plays a kind to its end; what is decided about each stage right before it lands. */
async function rowOf(real: RealWorld, { kind, endpoint, fields, template }: Kind): Promise<KindRow> {
  const { world } = real;
  const [sandbox, live]: [Decision[], Decision[]] = [[], []];
  const digests = new Set<string>();
  let questions = 0;
  for (let round = 0; round < 6; round += 1) {
    const plan = await world.plan(endpoint, fields);
    const asked: { id: string; decision: Decision }[] = [];
    for (const { id, optional } of plan.stages) {
      if (optional) continue;
      const facts = await world.facts(plan, id);
      const slots = new Map((facts.programs ?? []).map((each) => [each.address, each.deployedSlot ?? 0]));
      const policy = policies(real, slots);
      sandbox.push(evaluate(facts, policy.sandbox, NOTHING_USED));
      const decision = evaluate(asLive(facts), policy[template], NOTHING_USED);
      live.push(decision);
      if (decision.effect === 'require_approval') asked.push({ id, decision });
      await world.land(plan, id);
    }
    if (asked.length > 0) {
      const { expectation } = makeEnvelope(plan, 'hash', asked);
      const digest = expectation === undefined ? `round ${round}` : JSON.stringify(expectation);
      if (!digests.has(digest)) questions += 1;
      digests.add(digest);
    }
    if (plan.readiness?.status !== 'setup_required') break;
  }
  const isRead = live.every(({ binding }) => binding === 'exact');
  return {
    kind,
    binding: isRead ? 'exact' : 'unread',
    sandbox: verdict(sandbox),
    template,
    live: verdict(live),
    questions: questions === 0 ? 'none' : `${questions}`,
  };
}

it('every kind of plan is decided as the table says', async () => {
  const real = await RealWorld.start('kinds');
  const { world, wallet } = real;
  const { state } = world.sandbox.service;
  const rows: KindRow[] = [];
  const play = async (kind: string, template: Kind['template'], endpoint: EndpointName, fields: Fields) => {
    world.sandbox.chain.airdrop(wallet, 3_000_000_000n);
    rows.push(await rowOf(real, { kind, template, endpoint, fields }));
  };
  const config = async (name: string, shares: readonly number[], extra: Fields) => {
    const token = await world.token();
    await play(name, 'creator', 'feeShareConfig', world.configRequest(token.mint, shares, extra));
    return token;
  };
  const even = (count: number) => Array<number>(count).fill(10_000 / count);
  try {
    await config('config of three earners, for a curve', [5000, 3000, 2000], { flow: 'dbc' });
    const split = await config('config of three earners, for a pool', [5000, 3000, 2000], {});
    await config('config with a tip', [10_000], { tipWallet: tipped, tipLamports: 1_000_000 });
    await config('config of 25 earners, with a lookup table', even(25), {});
    await config('config of 100 earners, over several rounds', even(100), {});
    await play('changed split', 'creator', 'updateFeeShareConfig', {
      ...{ baseMint: split.mint, payer: wallet, claimersArray: [wallet, keyNamed('claimer 1').address] },
      basisPointsArray: [6000, 4000],
    });

    const curve = async (name: string, endpoint: 'curveLaunch' | 'curveLaunchV2', buy: number) => {
      const token = await real.onCurve();
      const { mint, uri, configKey } = token;
      const launch = { tokenMint: mint, ipfs: uri, wallet, configKey };
      const fields =
        endpoint === 'curveLaunch'
          ? { ...launch, initialBuyLamports: buy }
          : { ...launch, quoteMint: WSOL_MINT, feeShareConfig: token.config, initialBuyQuoteRaw: `${buy}` };
      await play(name, 'creator', endpoint, fields);
      return token;
    };
    const token = await curve('launch on a curve with a first buy, bare', 'curveLaunch', 100_000_000);
    await curve('launch on a curve with a first buy, in stages', 'curveLaunchV2', 100_000_000);
    await curve('launch on a curve without a first buy', 'curveLaunch', 0);

    const pool = async (name: string, deposits: typeof state.poolDeposits) => {
      state.poolDeposits = deposits;
      const made = await world.landedConfig();
      await play(name, 'creator', 'dammLaunchV2', real.poolRequest(made, '100000000'));
      state.poolDeposits = 'service';
      return made;
    };
    const pooled = await pool('launch into a pool with lock and first buy, the service deposits', 'service');
    await pool('the same, the service wraps its SOL in the same transaction', 'service-wraps');
    await pool('the same, the wallet deposits the supply', 'wallet');
    const held = await world.token();
    const custody = { ipfs: held.uri, tokenMint: held.mint, wallet, quoteMint: WSOL_MINT };
    await play('launch into a pool whose positions a custody holds', 'creator', 'dammLaunch', custody);

    for (const through of ['venue', 'router'] as const) {
      state.swapsThrough = through;
      const by = through === 'venue' ? 'at the venue' : 'through Jupiter';
      await play(`purchase on a curve, ${by}`, 'trader', 'tradeSwap', (await real.buy(token.mint)).fields);
      await play(`purchase in a pool, ${by}`, 'trader', 'tradeSwap', (await real.buy(pooled.mint)).fields);
      await play(
        `sale on a curve, ${by}`,
        'trader',
        'tradeSwap',
        (await real.sell(token.mint, '100000000000')).fields,
      );
    }
    const claim = (mint: string, kind: 'holding' | 'position') => ({
      feeClaimer: wallet,
      tokenMint: mint,
      source: { kind },
    });
    await play('claim of a curve, the wallet pays', 'creator', 'claimTxs', claim(token.mint, 'holding'));
    await play('claim of a pool, sponsored', 'creator', 'claimTxs', claim(pooled.mint, 'position'));
  } finally {
    await real.close();
  }
  // No kind is refused for how it is composed, and what is read whole is never called unread.
  for (const { kind, sandbox, live, binding } of rows) {
    expect(`${kind}: ${sandbox}, ${live}`).not.toContain('denied');
    if (binding === 'unread') expect(live, kind).toBe('asked');
  }
  await expect(`${JSON.stringify(rows, null, 2)}\n`).toMatchFileSnapshot('kinds.json');
}, 600_000);
