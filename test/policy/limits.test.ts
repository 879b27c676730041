/** Limits, and amounts counted at their highest. */

import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/base/format.ts';
import { windowLimits } from '../../src/policy/decide/checks/limits.ts';
import {
  amountOf,
  requestedClaimers,
  requestedManager,
  textOf,
} from '../../src/policy/decide/operations/request.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { readAs } from '../../src/programs/account.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { Writer } from '../../src/transaction/bytes.ts';
import { decide, expectDenied, inputs, under } from './deciding.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { finds } from './recorded/attacking.ts';
import { instructionOf, plus } from './recorded/edits.ts';
import { changedOperands } from './recorded/operands.ts';
import {
  ATTACKER,
  decide as decideRecorded,
  decideUnder,
  policyAskingFor,
  policyFor,
  policyWith,
  stage,
  WALLET,
} from './recorded/stages.ts';

describe('limits', () => {
  const out = () => BigInt(decide().changes[0]?.out ?? '0');
  const limits = (list: PolicyFile['limits']) => (file: PolicyFile) => ({ ...file, limits: list });
  const sol = (window: 'transaction' | { rolling: string }, max: bigint): PolicyFile['limits'][number] => ({
    id: 'sol',
    asset: 'SOL',
    window,
    max: `${max}`,
  });

  it('deny an asset that leaves without a limit', () => {
    expectDenied(under(limits([])), 'LIMIT_EXCEEDED', 'policy');
    expectDenied(
      under(limits([{ ...sol('transaction', out()), asset: keyNamed('mint').address }])),
      'LIMIT_EXCEEDED',
    );
  });

  it('for one transaction are exact to the lamport', () => {
    expect(under(limits([sol('transaction', out())])).effect).toBe('allow');
    expectDenied(under(limits([sol('transaction', out() - 1n)])), 'LIMIT_EXCEEDED', 'policy');
  });

  it("over a window count the ledger's used amount", () => {
    const window = limits([sol({ rolling: '24h' }, out() + 10n)]);
    expect(under(window, { used: { sol: '10' } }).limits).toEqual([
      { limitId: 'sol', asset: 'SOL', amount: `${out()}`, max: `${out() + 10n}`, usedBefore: '10' },
    ]);
    expectDenied(under(window, { used: { sol: '11' } }), 'LIMIT_EXCEEDED');
  });

  it('on operations count a plan once, with its first stage', () => {
    const count = limits([
      sol('transaction', 10n ** 12n),
      { id: 'configs', count: 'config', window: { calendar: 'day', timeZone: 'UTC' }, max: 2 },
    ]);
    expect(under(count, { used: { configs: '1' } }).effect).toBe('allow');
    expectDenied(under(count, { used: { configs: '2' } }), 'LIMIT_EXCEEDED');
    const later = [
      { stage: { ...stage('custody table').stage, id: 'config-0' }, status: 'finalized' as const },
      { stage: inputs.stage, status: 'ready' as const },
    ];
    expect(under(count, { used: { configs: '2' } }, { siblings: later }).effect).toBe('allow');
    const pace = limits([
      sol('transaction', 10n ** 12n),
      { id: 'pace', count: 'any', window: { rolling: '1m' }, max: 1 },
    ]);
    expectDenied(under(pace, { used: { pace: '1' } }), 'RATE_LIMITED', 'policy');
  });

  it('require a second RPC above an amount (T55)', () => {
    const requireApproval = (file: PolicyFile): PolicyFile => ({
      ...file,
      simulation: { required: true, secondRpcAbove: `${out() - 1n}` },
    });
    expectDenied(under(requireApproval), 'SIMULATION_UNAVAILABLE', 'availability');
    expectDenied(
      under(requireApproval, NOTHING_USED, { secondRpc: { agrees: false } }),
      'SIMULATION_UNAVAILABLE',
    );
    expect(under(requireApproval, NOTHING_USED, { secondRpc: { agrees: true } }).effect).toBe('allow');
  });
});

describe('limits on tokens', () => {
  const usdc = stage('swap of USDC');
  const mintOf = instructionOf(usdc, 'token.transferChecked').accounts.mint.address;
  const other = keyNamed('mint').address;
  const tx = (id: string, asset: string, max: string): PolicyFile['limits'][number] => ({
    id,
    asset,
    window: 'transaction',
    max,
  });
  const sol = tx('sol', 'SOL', '1000000000');
  const decided = (...list: PolicyFile['limits']) => decideUnder(usdc, () => ({ limits: list }));
  const limitChecks = (...list: PolicyFile['limits']) =>
    decided(...list)
      .checks.filter(({ id }) => id === 'limit' || id === 'everyAssetLimited')
      .map(({ id, params, ok, observed, allowed }) => [params?.limitId ?? id, ok, observed, allowed]);

  it('name a token or apply to every token without its own limit', () => {
    expect(decided(sol, tx('usdc', mintOf, '1000000')).effect).toBe('allow');
    expect(decided(sol, tx('tokens', 'any', '1000000')).effect).toBe('allow');
    expect(decided(sol, tx('tokens', 'any', '999999')).reasonCodes).toEqual(['LIMIT_EXCEEDED']);
    // A sale of a token without a limit asks.
    expect(decided(sol, tx('other', other, '1000000')).reasonCodes).toEqual([
      'APPROVAL_REQUIRED',
      'LIMIT_MISSING',
    ]);
    // A token with its own limit is excluded from "any".
    expect(decided(sol, tx('tokens', 'any', '1'), tx('usdc', mintOf, '1000000')).effect).toBe('allow');
    expect(decided(sol, tx('tokens', 'any', '1'), tx('other', other, '5')).reasonCodes).toEqual([
      'LIMIT_EXCEEDED',
    ]);
    // "any" is any other token, never SOL.
    expect(decided(tx('tokens', 'any', '99999999999')).reasonCodes).toEqual(['LIMIT_EXCEEDED']);
  });

  it('apply to all other tokens together: two cannot each use the whole', () => {
    const key = (name: string) => keyNamed(name).address;
    const both = plus(
      usdc,
      encodeInstruction('token.transferChecked', {
        accounts: { source: key('from'), mint: other, destination: key('to'), authority: WALLET },
        args: { amount: 600_000n, decimals: 6 },
      }),
    );
    const found = (...list: PolicyFile['limits']) =>
      decideUnder(both, () => ({ limits: [sol, ...list] }))
        .checks.filter(({ params }) => params?.limitId === 'tokens')
        .map(({ ok, observed }) => [ok, observed]);
    const words = (units: string) => `${units} base units of tokens`;
    expect(found(tx('tokens', 'any', '1599999'))).toEqual([[false, words('1,600,000')]]);
    // Control cases: a limit sufficient for both, and a separate limit for one of them.
    expect(found(tx('tokens', 'any', '1600000'))).toEqual([[true, words('1,600,000')]]);
    expect(found(tx('tokens', 'any', '600000'), tx('usdc', mintOf, '1000000'))).toEqual([
      [true, words('600,000')],
    ]);
  });

  it('report the observed and allowed amounts', () => {
    const out = decided(sol, tx('usdc', mintOf, '5')).changes.find(({ asset }) => asset === 'SOL')?.out;
    expect(limitChecks(sol, tx('usdc', mintOf, '999999'))).toEqual([
      ['everyAssetLimited', true, `${decimal(BigInt(out ?? 0), 9)} SOL`, undefined],
      ['everyAssetLimited', true, `1 of ${mintOf}`, undefined],
      ['sol', true, `${decimal(BigInt(out ?? 0), 9)} SOL`, '1 SOL'],
      ['usdc', false, `1 of ${mintOf}`, `0.999999 of ${mintOf}`],
    ]);
    const day = { id: 'day', asset: mintOf, window: { rolling: '1d' }, max: '5' } as const;
    const used = decideUnder(usdc, () => ({ limits: [sol, day] }), { used: { day: '7' } });
    expect(explain(used)).toBe(
      `A limit would be exceeded: limit day (0.000007 of ${mintOf} used and 1 of ${mintOf} more; allowed: 0.000005 of ${mintOf}).`,
    );
    expect(used.limits).toEqual([
      { limitId: 'day', asset: mintOf, decimals: 6, amount: '1000000', max: '5', usedBefore: '7' },
    ]);
  });

  it("for one transaction ignore the ledger's counts", () => {
    expect(decided(sol, tx('usdc', mintOf, '1000000')).limits).toEqual([]);
    expect(
      decideUnder(usdc, () => ({ limits: [sol, tx('usdc', mintOf, '1000000')] }), { used: { usdc: '1' } })
        .effect,
    ).toBe('allow');
  });
});

describe('counts', () => {
  const count = (of: 'config' | 'swap' | 'any', max: number) => (file: PolicyFile) => ({
    ...file,
    limits: [
      { id: 'sol', asset: 'SOL', window: 'transaction' as const, max: '1000000000000' },
      { id: 'n', count: of, window: { rolling: '1h' }, max },
    ],
  });

  it('cover the named operation, or any', () => {
    expect(under(count('config', 0)).reasonCodes).toEqual(['LIMIT_EXCEEDED']);
    expect(under(count('swap', 0)).effect).toBe('allow');
    expect(under(count('any', 0)).reasonCodes).toEqual(['RATE_LIMITED']);
    expect(under(count('config', 1)).limits).toEqual([
      { limitId: 'n', amount: '1', max: '1', usedBefore: '0' },
    ]);
    expect(under(count('swap', 1)).limits).toEqual([]);
  });

  it('begin with the first signed stage, so that independent stages cannot bypass them (T69)', () => {
    const at = (id: string) => ({ ...stage('custody table').stage, id });
    const counted = (...siblings: DecisionInputs['siblings']) =>
      under(count('config', 0), NOTHING_USED, { siblings }).effect;
    const me = { stage: inputs.stage, status: 'ready' } as const;
    const elsewhere = at('config-0');
    expect(counted()).toBe('deny');
    expect(counted(me)).toBe('deny');
    expect(counted({ stage: elsewhere, status: 'skipped' }, me)).toBe('deny');
    expect(counted({ stage: elsewhere, status: 'ready' }, me)).toBe('deny');
    for (const status of ['waiting', 'ready', 'skipped', 'expired'] as const)
      expect(counted(me, { stage: elsewhere, status }), status).toBe('deny');
    for (const status of ['signed', 'sent', 'confirmed', 'finalized', 'failed', 'unknown'] as const)
      expect(counted(me, { stage: elsewhere, status }), status).toBe('allow');
  });
});

describe('limits in the ledger', () => {
  it('are those over a period, with windows in milliseconds or by calendar', () => {
    const { policy } = policyWith(() => ({
      limits: [
        { id: 'tx', asset: 'SOL', window: 'transaction', max: '1' },
        { id: 'minutes', asset: 'SOL', window: { rolling: '10m' }, max: '2' },
        { id: 'hours', asset: keyNamed('mint').address, window: { rolling: '24h' }, max: '3' },
        { id: 'days', count: 'any', window: { rolling: '7d' }, max: 4 },
        { id: 'week', count: 'swap', window: { calendar: 'week', timeZone: 'UTC' }, max: 5 },
      ],
    }));
    expect(windowLimits(policy)).toEqual([
      { id: 'minutes', kind: 'asset', of: 'SOL', window: { rollingMs: 600_000 }, max: 2n },
      {
        id: 'hours',
        kind: 'asset',
        of: keyNamed('mint').address,
        window: { rollingMs: 86_400_000 },
        max: 3n,
      },
      { id: 'days', kind: 'count', of: 'any', window: { rollingMs: 604_800_000 }, max: 4n },
      { id: 'week', kind: 'count', of: 'swap', window: { calendar: 'week', timeZone: 'UTC' }, max: 5n },
    ]);
  });
});

describe('a second RPC', () => {
  const above = (amount: bigint) => (file: PolicyFile) => ({
    ...file,
    simulation: { required: true, secondRpcAbove: `${amount}` },
  });
  const out = BigInt(decide().changes[0]?.out ?? '0');

  it('is required above the amount, not at it, and the reason names the missing one', () => {
    expect(under(above(out)).effect).toBe('allow');
    const say = (changed: Partial<DecisionInputs>) =>
      under(above(out - 1n), NOTHING_USED, changed).checks.at(-1);
    const check = { id: 'secondRpc', ok: false, code: 'SIMULATION_UNAVAILABLE' };
    const allowed = `${decimal(out - 1n, 9)} SOL without one`;
    expect(say({})).toEqual({ ...check, observed: 'there is no second RPC', allowed });
    expect(say({ secondRpc: { agrees: false } })).toEqual({ ...check, observed: 'it disagrees', allowed });
    expect(say({ secondRpc: { agrees: true } })).toMatchObject({ id: 'secondRpc', ok: true });
  });
});

/** The inputs with one operand changed, by the label of the change. */
function changed(inputs: DecisionInputs, label: string): DecisionInputs {
  const found = changedOperands(inputs).find((each) => each.label.endsWith(label));
  if (found === undefined) throw new Error(`no change ${label}`);
  return found.inputs();
}
const solOf = (inputs: DecisionInputs): bigint =>
  BigInt(decideRecorded(inputs, policyFor('')).limits.find(({ asset }) => asset === 'SOL')?.amount ?? '0');

describe('liquidity', () => {
  const direct = stage('direct launch');
  const add = 'dammV2.addLiquidity, ';
  const most = changed(direct, `${add}tokenBAmountThreshold is "1"`);

  it('counts as spent if the wallet signs for an unknown account, and not if another key does', () => {
    const fromUnknown = changed(most, `${add}tokenBAccount is ATTACKER`);
    const signed = changed(fromUnknown, `${add}signer is WALLET`);
    const none = changed(
      changed(changed(direct, `${add}tokenBAccount is ATTACKER`), `${add}signer is WALLET`),
      `${add}tokenAAmountThreshold is "999999999999999"`,
    );
    expect(solOf(fromUnknown)).toBe(solOf(most));
    expect(solOf(signed) - solOf(none)).toBe(1n);
  });
});

describe("a curve's pool creation fee", () => {
  const launch = stage('bare curve launch');
  const key = String(launch.plan.request.configKey);
  const asking = (lamports: bigint): DecisionInputs => ({
    ...launch,
    accounts: launch.accounts.map((each) => {
      if (each.address !== key) return each;
      const fields = readAs(poolConfig, { owner: each.owner, data: Buffer.from(each.data, 'base64') });
      if (typeof fields === 'string') throw new Error(fields);
      const writer = new Writer();
      writer.push(poolConfig.discriminator);
      poolConfig.codec.write(writer, { ...fields, poolCreationFee: lamports });
      return { ...each, data: Buffer.from(writer.finish()).toString('base64') };
    }),
  });

  it('counts as spent and as not returned', () => {
    expect(solOf(asking(0n))).toBe(solOf(launch));
    expect(solOf(asking(1_234n)) - solOf(launch)).toBe(1_234n);
    const [before, after] = [launch, asking(1_234n)].map((inputs) =>
      BigInt(decideRecorded(inputs, policyAskingFor('')).expectedOutcome?.surcharges ?? '0'),
    );
    expect((after ?? 0n) - (before ?? 0n)).toBe(1_234n);
    finds(asking(1_234n), 'poolCost (0.000001234 SOL', policyAskingFor(''));
  });
});

describe('a field of a request', () => {
  it('is an amount as a decimal string or a safe integer, and 0 otherwise', () => {
    const of = (amount: unknown) => amountOf({ amount }, 'amount');
    expect([of('0'), of('15'), of(15), of(0), of('18446744073709551615')]).toEqual([
      0n,
      15n,
      15n,
      0n,
      18_446_744_073_709_551_615n,
    ]);
    const odd = ['', ' 5', '5 ', '05', '5x', 'x5', '-5', -5, 1.5, 2 ** 53, true, null, undefined, ['5'], 5n];
    for (const value of [...odd, '123456789012345678901']) expect([value, of(value)]).toEqual([value, 0n]);
    expect(textOf({ text: 5 }, 'text')).toBeUndefined();
    expect(textOf({ text: 'x' }, 'text')).toBe('x');
  });

  it('names the manager: the admin, else the claimer of everything, else the payer', () => {
    const shares = (basisPointsArray: unknown) => ({ claimersArray: [ATTACKER, WALLET], basisPointsArray });
    expect(requestedManager({ ...shares([4_000, 6_000]), admin: 'admin' }, WALLET)).toBe('admin');
    expect(requestedManager(shares([10_000, 0]), WALLET)).toBe(ATTACKER);
    expect(requestedManager(shares([4_000, 6_000]), WALLET)).toBe(WALLET);
    expect(requestedManager(shares(undefined), WALLET)).toBe(WALLET);
  });

  it('names the claimers, each with a share or with an unknown one', () => {
    expect(requestedClaimers({ claimersArray: ['a', 5], basisPointsArray: [7, 1.5] })).toEqual([
      { wallet: 'a', bps: 7 },
      { wallet: '5', bps: -1 },
    ]);
    expect(requestedClaimers({ claimersArray: 'a' })).toEqual([]);
    expect(requestedClaimers({ claimersArray: ['a'], basisPointsArray: 'b' })).toEqual([
      { wallet: 'a', bps: -1 },
    ]);
  });
});
