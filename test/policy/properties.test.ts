/** Properties of decisions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileDraft, type Draft } from '../../sandbox/service/build/compile.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import { type DecisionInputs, REASON_CODES } from '../../src/policy/decide/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import fc from '../fc.ts';
import { LAYOUTS } from '../programs/stock.ts';
import { countDenials } from './benign.ts';
import { fuzzPolicy } from './fuzz.ts';
import { LEGITIMATE_KINDS } from './legitimate.ts';
import { keyNamed, NOTHING_USED, World } from './world.ts';

let world: World;
let config: DecisionInputs;
let draft: Draft | undefined;
let swap: DecisionInputs;
beforeAll(async () => {
  world = await World.start('properties');
  await world.sandbox.service.ready();
  const { mint } = await world.token();
  const plan = await world.plan('feeShareConfig', world.configRequest(mint, [7000, 3000]), (honest) => {
    draft = honest;
    return honest;
  });
  config = await world.inputs(plan, 'config-1');
  const outputMint = [...world.sandbox.service.state.launches.keys()][0] ?? '';
  const request = await world.quoted({ inputMint: WSOL_MINT, outputMint, amount: '100000000' });
  swap = await world.inputs(await world.plan('tradeSwap', request), 'swap');
});
afterAll(() => world.close());

/** The config inputs with another draft's bytes and the honest simulation, so that only static checks fail. */
function recompiled(changed: Draft): DecisionInputs {
  const { bytes } = compileDraft(changed, world.sandbox.service.onchain.lifetime());
  const transaction = Buffer.from(bytes).toString('base64');
  return { ...config, stage: { ...config.stage, transaction: new DecodedStage(transaction), declared: {} } };
}

describe('an extra instruction with the wallet as signer is never allowed', () => {
  const kinds = LAYOUTS.map(
    (layout) => [layout.kind, layout.programs[0] ?? '', layout.discriminator] as const,
  );
  it.each(kinds)('%s', (kind, programAddress, discriminator) => {
    if (draft === undefined) throw new Error('no draft');
    if (kind.startsWith('computeBudget.')) return;
    for (const others of [world.wallet, keyNamed('attacker').address]) {
      for (const length of [0, 1, 8, 32, 41]) {
        const accounts = Array.from({ length: 6 }, (_, i) => ({
          address: i % 2 === 0 ? world.wallet : others,
          signer: i % 2 === 0 || others === world.wallet,
          writable: true,
        }));
        const data = Uint8Array.of(...discriminator, ...new Uint8Array(length).fill(1));
        const extra = { programAddress, accounts, data };
        const inputs = recompiled({ ...draft, instructions: [...draft.instructions, extra] });
        expect(evaluate(inputs, world.policy, NOTHING_USED).effect).toBe('deny');
      }
    }
  });

  it('with any data', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...new Set(LAYOUTS.flatMap((layout) => layout.programs))),
        fc.uint8Array({ maxLength: 60 }),
        fc.boolean(),
        (programAddress, data, first) => {
          if (draft === undefined || programAddress.startsWith('ComputeBudget')) return;
          const accounts = [{ address: world.wallet, signer: true, writable: true }];
          const extra = { programAddress, accounts, data };
          const instructions = first ? [extra, ...draft.instructions] : [...draft.instructions, extra];
          const decision = evaluate(recompiled({ ...draft, instructions }), world.policy, NOTHING_USED);
          expect(decision.effect).toBe('deny');
          expect(decision.class).toBe('security');
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('mutated bytes', () => {
  it('of a co-signed stage are never allowed', () => {
    const bytes = Buffer.from(config.stage.transaction.text, 'base64');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ mask;
        // The wallet's own signature slot: the signed message is unchanged, but the signature is not ours either.
        const stage = { ...config.stage, transaction: DecodedStage.ofBytes(changed), declared: {} };
        expect(evaluate({ ...config, stage }, world.policy, NOTHING_USED).effect).toBe('deny');
      }),
      { numRuns: 300 },
    );
  });

  it('of an unsigned swap never let more leave or less arrive than quoted', () => {
    const bytes = Buffer.from(swap.stage.transaction.text, 'base64');
    const honest = evaluate(swap, world.policy, NOTHING_USED);
    expect(honest.effect).toBe('allow');
    // A changed byte may raise the network fee up to the policy's maximum, and may leave the wallet's own wrapped SOL
    // account open, so that its deposit counts as well.
    const mostFee = BigInt(world.policy.policy.transaction.maxFeeLamports);
    const deposit = 2_039_280n;
    const most = BigInt(honest.changes.find(({ asset }) => asset === 'SOL')?.out ?? '0') + mostFee + deposit;
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ mask;
        const stage = { ...swap.stage, transaction: DecodedStage.ofBytes(changed) };
        const decision = evaluate({ ...swap, stage }, world.policy, NOTHING_USED);
        if (decision.effect === 'deny') return;
        expect(decision.changes.every(({ asset, out }) => asset !== 'SOL' || BigInt(out) <= most)).toBe(true);
        expect(decision.changes.filter(({ asset }) => asset !== 'SOL').every(({ out }) => out === '0')).toBe(
          true,
        );
        expect(decision.changes.find(({ asset }) => asset !== 'SOL')?.in).toBe(
          String(swap.quote?.quote.minOutAmount),
        );
      }),
      { numRuns: 400 },
    );
  });
});

describe('a decision', () => {
  it('follows its rule: allow, ask and deny are the effect of the rule that covers it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('allow' as const, 'deny' as const, 'require_approval' as const),
        fc.constantFrom('own' as const, 'addressBook' as const, 'any' as const),
        fc.boolean(),
        (effect, claimers, known) => {
          const stranger = keyNamed('claimer 1').address;
          const rule: PolicyFile['rules'][number] =
            effect === 'deny'
              ? { id: 'r', operation: 'config', effect, why: 'x' }
              : { id: 'r', operation: 'config', effect, claimers, admin: 'own', why: 'x' };
          const policy = world.policyWith((file) => ({
            ...file,
            rules: [rule],
            addressBook: known ? [{ label: 'known', address: stranger }] : [],
          }));
          const covered = claimers === 'any' || (claimers === 'addressBook' && known);
          const expected = effect === 'deny' || !covered ? 'deny' : effect;
          expect(evaluate(config, policy, NOTHING_USED).effect).toBe(expected);
        },
      ),
    );
  });

  it('never throws, has only known reasons, and none exactly if it allows', () => {
    const junk = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant([]), fc.constant({}));
    const field = fc.constantFrom(
      ...Object.keys(config.plan.request),
      'feeShareConfig',
      'tipLamports',
      'feeLimits',
    );
    fc.assert(
      fc.property(field, junk, fc.boolean(), (name, value, inAnswer) => {
        const plan = {
          ...config.plan,
          ...(inAnswer
            ? { answer: { ...config.plan.answer, [name]: value } }
            : { request: { ...config.plan.request, [name]: value } }),
        };
        const decision = evaluate({ ...config, plan }, world.policy, NOTHING_USED);
        expect(decision.reasonCodes.length === 0).toBe(decision.effect === 'allow');
        for (const code of decision.reasonCodes) expect(REASON_CODES).toContain(code);
      }),
      { numRuns: 300 },
    );
  });
});

it('every kind of legitimate request is decided as its template declares, and never denied or asked about in the sandbox', async () => {
  const { counts, examples } = await countDenials(world, 7, LEGITIMATE_KINDS.length);
  expect(examples).toEqual([]);
  expect(counts['sandbox deny']).toBeUndefined();
  expect(counts['sandbox require_approval']).toBeUndefined();
  expect(counts['sandbox allow']).toBeGreaterThanOrEqual(LEGITIMATE_KINDS.length);
  expect(counts['creator require_approval']).toBeGreaterThan(0);
});

it('no mutation of an accepted stage that harms the wallet or serves another request is allowed', async () => {
  const { counts, examples } = await fuzzPolicy({ seed: 101, count: 150 });
  expect(examples).toEqual([]);
  expect(counts).toMatchObject({ mutations: 150 });
  expect(counts.deny).toBeGreaterThan(100);
  expect(counts.allow).toBeGreaterThan(0);
});
