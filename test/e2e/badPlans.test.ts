/**
 * Plans, bundles and swaps of the service that differ from the request, through the whole server: each is refused with
 * its code, and nothing is signed, stored or sent.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { at, onBundle, onBytes, onPlan, onStage } from './changes.ts';
import { type Fields, object, objects, someAddress, text } from './harness.ts';
import type { Change } from './recorder.ts';
import type { LiveScene } from './scene.ts';
import { configOf, friend, outcome, SOL, startTamperedScene, tradedToken } from './tampering.ts';

let scene: LiveScene;
let wallet = '';
let traded = '';
beforeAll(async () => {
  scene = await startTamperedScene();
  wallet = scene.wallet.address;
  traded = await tradedToken(scene);
});
beforeEach(() => scene.service.change());
afterAll(() => scene.close());

const config = (more: Fields = {}) => configOf(scene, more);

type BadAnswer = readonly [row: string, change: Change, code: string];

const plans: readonly BadAnswer[] = [
  ['B63 base64 with a space in it', onBytes((b) => ` ${b.toString('base64')}`), 'NONCANONICAL_BYTES'],
  ['B63 base64url', onBytes((b) => b.toString('base64url')), 'NONCANONICAL_BYTES'],
  ['B63 a byte behind the end', onBytes((b) => Buffer.concat([b, Buffer.of(0)])), 'NONCANONICAL_BYTES'],
  ['B63 a byte short', onBytes((b) => b.subarray(0, -1)), 'NONCANONICAL_BYTES'],
  [
    'B63 1,233 bytes',
    onBytes((b) => Buffer.concat([b, Buffer.alloc(1_233 - b.length)])),
    'NONCANONICAL_BYTES',
  ],
  ['B64 another hash', onStage((s) => ({ ...s, messageSha256: 'ab'.repeat(32) })), 'HASH_MISMATCH'],
  [
    'B64 a hash of 63 digits',
    onStage((s) => ({ ...s, messageSha256: text(s.messageSha256).slice(1) })),
    'PLAN_INVALID',
  ],
  ['B65 a signer too few', onStage((s) => ({ ...s, requiredSigners: [wallet] })), 'SIGNERS_MISMATCH'],
  [
    'B65 a signer too many',
    onStage((s) => ({ ...s, requiredSigners: [...Object.values(object(s.requiredSigners)), friend] })),
    'SIGNERS_MISMATCH',
  ],
  ['B66 bytes of v0 that are called v1', onStage((s) => ({ ...s, format: 'v1' })), 'FORMAT_MISMATCH'],
  ['B66 a format called legacy', onStage((s) => ({ ...s, format: 'legacy' })), 'PLAN_INVALID'],
  [
    'B66 bytes of version 127',
    onBytes((b) => {
      const bytes = Buffer.from(b);
      bytes[1 + 64 * (bytes[0] ?? 0)] = 0xff;
      return bytes;
    }),
    'FORMAT_MISMATCH',
  ],
  [
    'B67 another blockhash than the bytes have',
    onStage((s) => ({ ...s, lifetime: { ...object(s.lifetime), blockhash: friend } })),
    'LIFETIME_MISMATCH',
  ],
  [
    'B67 a height with an exponent',
    onStage((s) => ({ ...s, lifetime: { ...object(s.lifetime), lastValidBlockHeight: '1e9' } })),
    'PLAN_INVALID',
  ],
  [
    'B67 a height below nothing',
    onStage((s) => ({ ...s, lifetime: { ...object(s.lifetime), lastValidBlockHeight: '-1' } })),
    'PLAN_INVALID',
  ],
  ['B68 contract version 2', onPlan((p) => ({ ...p, contractVersion: 2 })), 'PLAN_INVALID'],
  ['B68 contract version "1"', onPlan((p) => ({ ...p, contractVersion: '1' })), 'PLAN_INVALID'],
  [
    'B68 no contract version',
    at('/fee-share/config/v2', ({ contractVersion: _, ...rest }) => rest),
    'PLAN_INVALID',
  ],
  [
    'B69 another operation than asked',
    onPlan((p) => ({ ...p, operation: { ...object(p.operation), kind: 'launch' } })),
    'PLAN_INVALID',
  ],
  [
    'B69 another token than asked',
    onPlan((p) => ({ ...p, operation: { ...object(p.operation), baseMint: friend } })),
    'PLAN_INVALID',
  ],
  [
    'B69 another flow than asked',
    onPlan((p) => ({ ...p, operation: { ...object(p.operation), flow: 'dbc' } })),
    'PLAN_INVALID',
  ],
  ['F13 an unknown stage kind', onStage((s) => ({ ...s, kind: 'authorize' })), 'PLAN_INVALID'],
  ['F13 an unknown encoding', onStage((s) => ({ ...s, encoding: 'hex' })), 'PLAN_INVALID'],
  ['F13 an unknown format', onStage((s) => ({ ...s, format: 'v2' })), 'PLAN_INVALID'],
  ['F22 a stage that waits for itself', onStage((s) => ({ ...s, dependsOn: [s.id] })), 'PLAN_INVALID'],
  [
    'F22 a stage that waits for a stage the plan does not have',
    onStage((s) => ({ ...s, dependsOn: ['x'] })),
    'PLAN_INVALID',
  ],
  [
    'F22 the same stage twice',
    onPlan((p) => ({ ...p, transactions: [...objects(p.transactions), ...objects(p.transactions)] })),
    'PLAN_INVALID',
  ],
];

describe('a plan with', () => {
  it.each(plans)('%s is refused and nothing is signed', async (_row, change, code) => {
    const { codes } = await outcome(scene, change, 'create_fee_share_config', await config());
    expect(codes).toContain(code);
  });

  it('B64 an uppercase hash is the same plan', async () => {
    scene.service.change(onStage((s) => ({ ...s, messageSha256: text(s.messageSha256).toUpperCase() })));
    const plan = await scene.submit(await scene.server.ok('create_fee_share_config', await config()));
    expect(plan.status).toBe('complete');
  });
});

const bundles: readonly BadAnswer[] = [
  ['B70 six transactions', onBundle((t) => [...t, { ...t[0], type: 'LUT_SETUP' }]), 'PLAN_INVALID'],
  [
    'B70 two launches',
    onBundle((t) => t.map((e) => ({ ...e, type: e.type === 'LUT_CLOSE' ? 'LAUNCH' : e.type }))),
    'PLAN_INVALID',
  ],
  ['B70 another order than the contract has', onBundle((t) => t.toReversed()), 'PLAN_INVALID'],
  ['B70 no launch', onBundle((t) => t.filter(({ type }) => type !== 'LAUNCH')), 'PLAN_INVALID'],
  [
    'B70 an unknown type',
    onBundle((t) => t.map((e, i) => (i === 0 ? { ...e, type: 'LUT_REFUND' } : e))),
    'PLAN_INVALID',
  ],
  [
    'B70 bytes under the name of others',
    onBundle((t) => t.map((e, i) => ({ ...e, transaction: t[(i + 1) % t.length]?.transaction }))),
    'UNEXPECTED_INSTRUCTION',
  ],
];

describe('a bundle with', () => {
  it.each(bundles)('%s is refused and nothing is signed', async (_row, change, code) => {
    const token = await scene.token();
    const { codes } = await outcome(scene, change, 'create_damm_launch', { ...token, quoteMint: SOL });
    expect(codes).toContain(code);
  });
});

describe('a swap', () => {
  const quoted = async (more: Fields = {}) => {
    const quote = await scene.server.ok('get_swap_quote', {
      inputMint: SOL,
      outputMint: traded,
      amount: '1000000',
      ...more,
    });
    return { requestId: text(quote.requestId) };
  };
  const onSwap = (more: Fields): Change => at('/trade/v2/swap', (answer) => ({ ...answer, ...more }));

  it('B41 of another wallet is built and names the missing signature', async () => {
    const other = someAddress();
    await scene.sandbox.rpc('requestAirdrop', [other, 1_000_000_000]);
    const built = await scene.server.ok('create_swap', {
      ...(await quoted({ taker: other })),
      userPublicKey: other,
    });
    const { planId } = object(built.plan);
    const plan = object((await scene.server.ok('get_plan', { planId })).plan);
    expect(objects(plan.stages)[0]?.missingSigners).toEqual([other]);
    const sent = scene.chain.sent.length;
    const ended = await scene.submit(built);
    expect(object(ended.decision).reasonCodes).toContain('SIGNER_UNAVAILABLE');
    expect(scene.chain.sent.length).toBe(sent);
  });

  it.each([
    ['in a mint that is neither', { feeMint: friend }],
    ['on an unknown side', { feeSide: 'sideways' }],
    ['smaller than the bytes pay', { feeLamports: '1' }],
  ])('B42 C-TRADE-06 with a stated fee of %s is denied', async (_, more) => {
    const { codes } = await outcome(scene, onSwap(more), 'create_swap', await quoted());
    expect(codes).toContain('REQUEST_MISMATCH');
  });

  it('B43 is judged by the fee in its transaction, regardless of the fee in the answer', async () => {
    const absurd = onSwap({ computeUnitLimit: 1e12, prioritizationFeeLamports: 1e12, revenueLamports: '7' });
    scene.service.change(absurd);
    const plan = await scene.submit(await scene.server.ok('create_swap', await quoted()));
    expect(plan.status).toBe('complete');
    await scene.sandbox.control('hostile', { name: 'priority-fee' });
    try {
      const { codes } = await outcome(scene, (payload) => payload, 'create_swap', await quoted());
      expect(codes).toContain('FEE_OVER');
    } finally {
      await scene.sandbox.control('hostile', { name: null });
    }
  });
});

describe('a request the policy does not cover', () => {
  const same: Change = (payload) => payload;

  it('B26 a tip to an unknown address, and a tip above every limit', async () => {
    const stranger = await config({ tipWallet: friend, tipLamports: 5 });
    expect((await outcome(scene, same, 'create_fee_share_config', stranger)).codes).toContain(
      'RECIPIENT_NOT_ALLOWED',
    );
    const large = await config({ tipWallet: friend, tipLamports: 20_000_000_000 });
    expect((await outcome(scene, same, 'create_fee_share_config', large)).codes).toContain('LIMIT_EXCEEDED');
  });

  it('B33 an admin outside the home under a rule that says "own"', async () => {
    const { codes } = await outcome(scene, same, 'create_fee_share_config', await config({ admin: friend }));
    expect(codes).toContain('RECIPIENT_NOT_ALLOWED');
  });

  it('B38 a foreign holder of the fee position', async () => {
    const args = { ...(await scene.token()), quoteMint: SOL, feeClaimerWallet: friend };
    expect((await outcome(scene, same, 'create_damm_launch', args)).codes).toContain('RECIPIENT_NOT_ALLOWED');
  });
});
