/**
 * A hostile service that answers with other claimers, shares, admin, partner, type, limits, mints, recipients, tip or
 * fee than were asked for, in a plan that is otherwise perfect, gets no signature under any template, and none
 * where the policy lets an unread program stand in the plan (T54, T63).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/evaluate.ts';
import { policyTemplate, TEMPLATE_NAMES } from '../../src/policy/templates.ts';
import type { Decision, Facts } from '../../src/policy/types.ts';
import { deploy } from '../../src/sandbox/hostile/deploy.ts';
import { harmlessProgram } from '../../src/sandbox/hostile/harmlessProgram.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { type Fields, load, NOTHING_USED, somebody, type Tamper, World } from './world.ts';

let world: World;
const venue = somebody('venue').address;
const other = somebody('somebody else').address;
const BINDINGS = ['exact', 'effects'] as const;
type Binding = (typeof BINDINGS)[number];
const facts = new Map<string, Facts>();

beforeAll(async () => {
  world = await World.start('every template');
  await world.sandbox.service.ready();
  deploy(world.sandbox.chain, venue, harmlessProgram());
  const outputMint = [...world.sandbox.service.state.launches.keys()][0] ?? '';
  for (const binding of BINDINGS) {
    const call = { programAddress: venue, accounts: [], data: Uint8Array.of(1) };
    const tamper: Tamper = (draft) =>
      binding === 'exact' ? draft : { ...draft, instructions: [...draft.instructions, call] };
    const { mint } = await world.token();
    const config = await world.plan(
      'feeShareConfig',
      world.configRequest(mint, [6000, 4000], {
        admin: world.wallet,
        partner: somebody('partner').address,
        partnerConfig: somebody('partner config').address,
        serviceConfigType: 'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3',
        tipWallet: somebody('tip').address,
        tipLamports: 1_000_000,
        feeLimits: [
          {
            asset: { mint: WSOL_MINT, tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
            basisPoints: 10,
            maximumFeeRaw: '5',
          },
        ],
        transactionFormat: 'v1',
      }),
      tamper,
    );
    facts.set(`config ${binding}`, await world.facts(config, 'config-1'));
    const quoted = await world.quoted({ inputMint: WSOL_MINT, outputMint, amount: '100000000' });
    facts.set(`swap ${binding}`, await world.facts(await world.plan('tradeSwap', quoted, tamper), 'swap'));
  }
});
afterAll(() => world.close());

/** The decision under a template, had the request or the stored quote said something else. */
function decided(template: (typeof TEMPLATE_NAMES)[number], kind: string, request: Fields, quote?: Fields) {
  const known = facts.get(kind);
  if (known === undefined) throw new Error(kind);
  const servicePrograms = kind.endsWith('effects') ? [{ label: 'venue', address: venue }] : [];
  const input = { wallet: world.wallet, network: world.sandbox.genesisHash, servicePrograms };
  const stored = known.quote;
  const asked = {
    ...known,
    plan: { ...known.plan, request: { ...known.plan.request, ...request } },
    ...(stored === undefined
      ? {}
      : {
          quote: {
            ...stored,
            request: { ...stored.request, ...quote },
            quote: { ...stored.quote, ...quote },
          },
        }),
  };
  return evaluate(asked, load(policyTemplate(template, input)), NOTHING_USED);
}

const CONFIG: readonly (readonly [string, () => Fields])[] = [
  ['claimers', () => ({ claimersArray: [world.wallet, other] })],
  ['shares', () => ({ basisPointsArray: [4000, 6000] })],
  ['admin', () => ({ admin: other })],
  ['partner', () => ({ partner: other })],
  ['partner config', () => ({ partnerConfig: other })],
  ['config type', () => ({ serviceConfigType: '48e26d2f-0a9d-4625-a3cc-c3987d874b9e' })],
  ['fee limits', () => ({ feeLimits: [] })],
  ['base mint', () => ({ baseMint: other })],
  ['quote mint', () => ({ quoteMint: other })],
  ['tip wallet', () => ({ tipWallet: other })],
  ['tip', () => ({ tipLamports: 999_999 })],
];
const SWAP: readonly (readonly [string, () => Fields])[] = [
  ['input mint', () => ({ inputMint: other })],
  ['output mint', () => ({ outputMint: other })],
  ['amount', () => ({ amount: '99999999', inAmount: '99999999' })],
  ['taker', () => ({ taker: other })],
  ['least that arrives', () => ({ minOutAmount: '18446744073709551615' })],
];
/** Bytes that were read are denied for their mismatch; unread ones at least never pass without a person. */
function refused({ effect, reasonCodes }: Decision, binding: Binding) {
  expect(effect).not.toBe('allow');
  if (binding === 'effects') return;
  expect(effect).toBe('deny');
  const mismatch = reasonCodes.filter((code) =>
    ['REQUEST_MISMATCH', 'UNEXPECTED_INSTRUCTION'].includes(code),
  );
  expect(mismatch).not.toEqual([]);
}

const everywhere = TEMPLATE_NAMES.flatMap((template) =>
  BINDINGS.map((binding): [(typeof TEMPLATE_NAMES)[number], Binding] => [template, binding]),
);

describe.each(everywhere)(
  'under the %s template with %s binding there is no signature for another',
  (template, binding) => {
    it.each(CONFIG)('%s of a config', (_field, change) => {
      refused(decided(template, `config ${binding}`, change()), binding);
    });

    it.each(SWAP)('%s of a swap', (_field, change) => {
      const decision = decided(template, `swap ${binding}`, {}, change());
      expect(decision.effect).toBe('deny');
      refused(decision, binding);
    });

    it('fee of a swap', () => {
      const known = facts.get(`swap ${binding}`);
      if (known === undefined) throw new Error('no swap');
      facts.set('dearer exact', {
        ...known,
        plan: { ...known.plan, answer: { ...known.plan.answer, feeLamports: '1' } },
      });
      expect(decided(template, 'dearer exact', {}).effect).toBe('deny');
    });
  },
);

it('and the same plans are allowed or asked about where the request is the one that was made', () => {
  expect(decided('sandbox', 'config exact', {}).effect).toBe('allow');
  expect(decided('sandbox', 'swap exact', {}).effect).toBe('allow');
  expect(decided('trader', 'swap exact', {}).effect).toBe('allow');
  expect(decided('sandbox', 'config effects', {}).effect).toBe('require_approval');
  expect(decided('sandbox', 'swap effects', {}).effect).toBe('allow');
});
