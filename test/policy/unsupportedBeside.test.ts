/** Acts beside an unsupported program: claims, tips and first buys (T26). */

import { describe, expect, it } from 'vitest';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { amountOfAsset } from '../../src/base/format.ts';
import { isAsk } from '../../src/policy/decide/asks/asks.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { mint as mintAccount, tokenAccount } from './accountFacts.ts';
import { approvalOfStage, coverage } from './approving.ts';
import { labelOf } from './label.ts';
import { keyNamed } from './people.ts';
import { plus, simulationOf, withAfter, withFacts, withLamports, withRequest } from './recorded/edits.ts';
import { decide, policyWith, rewritten, stage, VENUE, WALLET, withVenue } from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
const unsupported = policyWith(withVenue);
const decisionText = (inputs: DecisionInputs, policy = unsupported): string =>
  summaryOf(decide(inputs, policy));

const askFirstPolicy = policyWith((file) => ({
  ...withVenue(file),
  rules: file.rules.map((rule) =>
    rule.operation === 'position_claim'
      ? { id: rule.id, operation: 'position_claim', effect: 'require_approval', why: 'x' }
      : rule,
  ),
}));
describe('an unsupported step without a simulation', () => {
  it('counts the maximum the request allows, in the question and against the limits', () => {
    // Only unsupported instructions remain, so that the transaction shows no payment.
    const swap = rewritten(stage('swap with an unsupported program'), (list) =>
      list.filter(({ programAddress }) => [VENUE, SYSTEM_PROGRAM].includes(programAddress)),
    );
    const waiting: DecisionInputs = { ...swap, purpose: 'preview', simulation: { status: 'not_yet' } };
    const out = (inputs: DecisionInputs) => {
      const { changes, limits } = decide(inputs, unsupported);
      return { leaves: BigInt(changes.find(({ asset }) => asset === 'SOL')?.out ?? 0), limits };
    };
    expect(out(waiting).leaves).toBeGreaterThanOrEqual(out(swap).leaves);
    const counted = out(waiting).limits.map(({ amount }) => BigInt(amount));
    expect(counted).toContain(out(waiting).leaves);
    // Control case: supported instructions count by their bytes, simulated or not.
    const read = stage('swap of SOL');
    expect(out({ ...read, purpose: 'preview', simulation: { status: 'not_yet' } })).toEqual(out(read));
  });
});

it('in a config counts the rent that it may take', () => {
  const hidden = rewritten(stage('config with an unsupported program'), (list) =>
    list.filter(({ programAddress }) => programAddress === VENUE),
  );
  const waiting: DecisionInputs = { ...hidden, purpose: 'preview', simulation: { status: 'not_yet' } };
  const { changes, feeLamports } = decide(waiting, unsupported);
  const leaves = BigInt(changes.find(({ asset }) => asset === 'SOL')?.out ?? '0');
  // The account of a config of one claimer has several hundred bytes.
  expect(leaves - BigInt(feeLamports)).toBeGreaterThan(1_000_000n);
});

/** Parses the lamports of a text such as `0.5 SOL`. */
const lamportsIn = (text = '0 SOL'): bigint => {
  const [whole = '', part = ''] = text.replace(/ SOL$/, '').split('.');
  return BigInt(whole + part.padEnd(9, '0'));
};

describe('a claim beside an unsupported program', () => {
  const position = plus(stage('position claim'), call);
  const check = 'claimPays';
  const found = (inputs: DecisionInputs) =>
    decide(inputs, unsupported).checks.find((each) => each.id === check);

  it('must pay out in the simulation, whatever its transaction states', () => {
    const honest = found(position);
    expect(honest).toMatchObject({ ok: true, allowed: 'more than 0' });
    const arrives = lamportsIn(honest?.observed);
    expect(arrives).toBeGreaterThan(0n);
    const less = (by: bigint) => found(withAfter(position, withLamports(-by)));
    expect(less(arrives - 1n)).toMatchObject({ ok: true, observed: '0.000000001 SOL' });
    expect(less(arrives)).toEqual({
      id: check,
      ok: false,
      code: 'UNDECLARED_LOSS',
      simulated: true,
      observed: '0 SOL',
      allowed: 'more than 0',
    });
  });

  it('is approved for its simulated payout, and asks again if a later simulation shows less', () => {
    // The bytes promise nothing: only the simulation shows the receipts.
    const hidden = rewritten(position, () => [
      { ...call, accounts: [{ address: WALLET, signer: true, writable: true }] },
    ]);
    const first = decide(hidden, askFirstPolicy);
    expect(first).toMatchObject({
      effect: 'require_approval',
      reasonCodes: ['APPROVAL_REQUIRED', 'UNSUPPORTED_INSTRUCTION'],
    });
    const arrives = first.changes.find(({ asset }) => asset === 'SOL')?.in ?? '';
    expect(BigInt(arrives)).toBe(lamportsIn(found(hidden)?.observed));
    const approval = approvalOfStage(hidden, askFirstPolicy);
    const later = (by: bigint) => coverage(approval, withAfter(hidden, withLamports(by)), askFirstPolicy);
    for (const more of [0n, 1n]) expect(later(more)).toEqual({ covered: true });
    for (const less of [1n, BigInt(arrives) - 1n])
      expect(later(-less)).toMatchObject({ covered: false, line: 'receives' });
  });

  it('is not asked about if the simulation is missing or failed, which is reported elsewhere', () => {
    expect(found({ ...position, simulation: { status: 'not_yet' } })).toBeUndefined();
    const simulation = simulationOf(position);
    expect(found({ ...position, simulation: { ...simulation, error: 'x' } })).toBeUndefined();
  });

  it('paid for by the wallet counts without the fee', () => {
    const holding = plus(stage('holding claim'), call);
    const fee = BigInt(decide(holding, unsupported).feeLamports);
    const arrives = lamportsIn(found(holding)?.observed);
    const spent = (by: bigint) => found(withAfter(holding, withLamports(-by)));
    expect(fee).toBeGreaterThan(0n);
    expect(spent(arrives - 1n)).toMatchObject({ ok: true, observed: '0.000000001 SOL' });
    expect(spent(arrives)?.ok).toBe(false);
  });

  it('of a deployer may pay out any token if its transaction names none', () => {
    const bare = plus(stage('deployer claim'), call);
    expect(found(bare)).toMatchObject({ ok: true });
    const token = keyNamed('a token').address;
    const place = keyNamed('own place').address;
    const simulation = simulationOf(bare);
    const [was, is] = [0n, 7n].map((amount) => tokenAccount(place, { mint: token, owner: WALLET, amount }));
    const inTokens: DecisionInputs = {
      ...bare,
      simulation: {
        ...simulation,
        before: [...simulation.before, ...(was === undefined ? [] : [was])],
        after: [...simulation.before, ...(is === undefined ? [] : [is])],
      },
    };
    expect(found(inTokens)).toMatchObject({ ok: true, observed: expect.stringMatching(/^7 base units of /) });
    const nothing = { ...bare, simulation: { ...simulation, after: simulation.before } };
    expect(found(nothing)).toMatchObject({ ok: false, observed: '0 SOL' });
  });
});

describe('a tip beside an unsupported config', () => {
  type Status = DecisionInputs['siblings'][number]['status'];
  const TIP = 5_000_000n;
  const tipWallet = keyNamed('tipWallet').address;
  // Only unsupported instructions remain, so that the transaction shows no config.
  const config = rewritten(stage('config with an unsupported program'), (list) =>
    list.filter(({ programAddress }) => programAddress === VENUE),
  );
  const tipped = withRequest(config, { tipWallet, tipLamports: `${TIP}` });
  const me = { stage: config.stage, status: 'ready' } as const;
  const other = (status: Status) => ({ stage: { ...config.stage, id: 'config-b' }, status });
  /** Fee of the signatures missing since the simulation. */
  const FEWER = 5_000n;
  const hidden = withAfter(tipped, withLamports(FEWER - TIP));
  const leaves = 'simulated leavesAsAsked';
  const wrong = (siblings: DecisionInputs['siblings'], inputs = hidden) =>
    decide({ ...inputs, siblings }, unsupported)
      .checks.filter((each) => !each.ok && !isAsk(each) && each.code !== 'APPROVAL_REQUIRED')
      .map(labelOf);

  it('leaves with one stage of the plan, however many are unsupported (T76)', () => {
    expect(wrong([other('waiting'), me])).toContain(leaves);
    for (const status of ['signed', 'sent', 'confirmed', 'finalized', 'unknown'] as const) {
      expect(wrong([other(status), me]), status).toContain(leaves);
      expect(wrong([me, other(status)]), status).toContain(leaves);
    }
    const account = feeShareConfigAddress(String(config.plan.request.baseMint));
    const made = withFacts(hidden, mintAccount(account, { mintAuthority: WALLET }));
    expect(wrong([me], made)).toContain(leaves);
    // Control cases: the first stage alone, before others, and after another that can no longer land.
    expect(wrong([me])).toEqual([]);
    for (const status of ['waiting', 'ready', 'skipped', 'expired', 'failed'] as const)
      expect(wrong([me, other(status)]), status).toEqual([]);
  });

  it('leaves with the same stage if the transaction shows it', () => {
    const tip = systemTransfer(WALLET, tipWallet, TIP);
    const shown = plus(hidden, tip);
    // The recorded simulation watched every account except the tip wallet.
    expect(wrong([me], shown)).toEqual(['accountsWatched']);
    expect(wrong([other('waiting'), me], shown)).toContain('matchesRequest rewardedTip');
    expect(wrong([me], plus(shown, tip))).toContain('instructionBelongs');
  });
});

describe('a first buy beside an unsupported program', () => {
  const curve = plus(stage('bare curve launch'), call);
  const token = String(curve.plan.request.tokenMint);
  const check = 'firstBuyShare';
  const bounded = (max?: bigint) =>
    policyWith((file) => ({
      ...withVenue(file),
      rules: [
        {
          id: 'launch',
          operation: 'launch',
          effect: 'allow',
          why: 'x',
          ...(max === undefined ? {} : { maxFirstBuyValue: [{ quote: 'SOL', max: `${max}` }] }),
        },
      ],
    }));
  const found = (inputs: DecisionInputs, policy = bounded()) =>
    decide(inputs, policy).checks.find((each) => each.id === check);

  /** The simulated token balance of the wallet's new account. */
  function arrivedIn({ simulation }: DecisionInputs): bigint {
    if (simulation.status !== 'done') throw new Error(simulation.status);
    const place = associatedTokenAddress(WALLET, token, TOKEN_PROGRAM);
    const held = simulation.after.find(({ address }) => address === place);
    return Buffer.from(held?.data ?? '', 'base64').readBigUInt64LE(64);
  }

  it('is judged by its simulated proceeds of the simulated supply', () => {
    const arrived = arrivedIn(curve);
    const words = (units: bigint) => amountOfAsset(units, token, 6);
    expect(found(curve)).toMatchObject({ ok: true, observed: words(arrived), allowed: words(1n) });
    const most = (10_000_000n * 1_000_000_000_000_000n) / arrived;
    expect(found(curve, bounded(most + 1n))).toMatchObject({ ok: true, observed: words(arrived) });
    expect(found(curve, bounded(most))).toMatchObject({
      ok: false,
      code: 'LIMIT_EXCEEDED',
      observed: words(arrived),
    });
  });

  it('is shown by one stage of a run only (T76)', () => {
    const shown = { stage: curve.stage, status: 'ready' } as const;
    const twin = (status: DecisionInputs['siblings'][number]['status']) => ({
      stage: { ...curve.stage, id: 'launch-b' },
      status,
    });
    const unexpected = (siblings: DecisionInputs['siblings']) =>
      decide({ ...curve, siblings }, unsupported).reasonCodes.includes('UNEXPECTED_INSTRUCTION');
    expect(unexpected([twin('sent'), shown])).toBe(true);
    expect(unexpected([shown, twin('waiting')])).toBe(false);
  });

  it('must pay out, and counts the largest possible supply if none is visible', () => {
    const simulation = simulationOf(curve);
    const nothing = { ...curve, simulation: { ...simulation, after: simulation.before } };
    expect(found(nothing)).toMatchObject({
      ok: false,
      observed: amountOfAsset(0n, token),
      allowed: amountOfAsset(1n, token),
    });
    const hidden = withAfter(curve, (each) => (each.address === token ? { ...each, data: 'AAAA' } : each));
    expect(found(hidden, bounded(10_000_000n))?.allowed).toBe(amountOfAsset(2n ** 64n - 1n, token));
    expect(mintAccount(token, {}).exists).toBe(true);
  });

  it('is not checked in a launch without a first buy', () => {
    expect(found(withRequest(curve, { initialBuyLamports: 0 }))).toBeUndefined();
    expect(found(stage('bare curve launch'))).toBeUndefined();
    const table = plus(stage('custody token'), call);
    expect(decisionText(table)).not.toContain('firstBuy');
  });
});
