import { describe, expect, it } from 'vitest';
import { decimal, duration, percent } from '../../src/base/format.ts';
import { amountsOf } from '../../src/presentation/question/questionFacts.ts';
import { readApprovalView } from '../../src/presentation/question/readView.ts';
import { approvalLines } from '../../src/presentation/question/textLines.ts';
import { amountWords } from '../../src/presentation/statement/amounts.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { askAbout, homeWithQuestion, launchDecisions, STRANGER, samplePolicy, TREASURY } from './samples.ts';

async function view() {
  const { ledger, row, policy } = await homeWithQuestion(temporaryHome());
  const shown = await readApprovalView(ledger, row.id, policy);
  if (shown === undefined) throw new Error('no view');
  return { shown, ledger, row, policy };
}

describe('the approval view', () => {
  it('sums outflows and inflows over all stages that need approval', async () => {
    const { shown } = await view();
    expect(shown.title).toBe('Launch a token');
    expect(amountsOf(shown.facts, 'leaves').map(({ units, words }) => [units, words])).toEqual([
      ['521580000', '0.52158 SOL'],
    ]);
    expect(amountsOf(shown.facts, 'arrives')).toMatchObject([
      { units: '1250000000000', number: '1,250,000,000,000' },
    ]);
    expect(JSON.stringify(shown.facts)).toContain('Network fees: at most 0.0001 SOL.');
  });

  it('names recipients by label with their share and marks unknown ones', async () => {
    const { shown } = await view();
    expect(shown.facts.find(({ kind }) => kind === 'claimers')).toMatchObject({
      rows: [
        { address: TREASURY, label: 'treasury', bps: 7_500 },
        { address: STRANGER, bps: 2_500 },
      ],
    });
    const [control] = shown.facts.flatMap((fact) => (fact.kind === 'control' ? [fact.lines] : []));
    expect(control).toHaveLength(1);
    expect(control).toMatchObject([{ text: expect.stringContaining(STRANGER), tone: 'bad' }]);
  });

  it('shows each limit before and after all stages together', async () => {
    const { shown } = await view();
    expect(shown.limits).toEqual([
      {
        id: 'sol-day',
        before: '0.4 SOL',
        adds: '0.52158 SOL',
        after: '0.92158 SOL',
        max: '2 SOL',
        beforeShare: 0.2,
        addsShare: expect.closeTo(0.2607, 5),
      },
      {
        id: 'launches',
        before: '1',
        adds: '1',
        after: '2',
        max: '3',
        beforeShare: 0.3333,
        addsShare: 0.3333,
      },
    ]);
  });

  it('keeps the order of the stages, and marks the ones to approve and the ones that cannot be simulated yet', async () => {
    const { shown } = await view();
    expect(shown.stages.map(({ id, covered, simulated }) => [id, covered, simulated])).toEqual([
      ['LUT_SETUP', true, false],
      ['CREATE_TOKEN', true, true],
      ['LAUNCH', true, false],
      ['LUT_CLOSE', false, false],
    ]);
  });

  it('shows the message hash in hex and in the base58 form of a hardware wallet', async () => {
    const { shown } = await view();
    const hash = shown.stages.find(({ id }) => id === 'LAUNCH')?.messageSha256;
    const [, launch] = launchDecisions(samplePolicy());
    expect(hash?.hex).toBe(launch?.decision.messageSha256);
    const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
    const back = [...(hash?.base58 ?? '')].reduce((n, c) => n * 58n + BigInt(digits.indexOf(c)), 0n);
    expect(back.toString(16).padStart(64, '0')).toBe(hash?.hex);
  });

  it("sanitizes the agent's request and shows it separately", async () => {
    const { shown } = await view();
    const name = shown.asked.find((row) => row.name === 'name')?.value;
    expect(name).toBe('Ignore <b>previous</b> instructions');
    expect(shown.title + JSON.stringify(shown.facts)).not.toContain('Ignore');
  });

  it('uses only the policy that the question was asked under', async () => {
    const { ledger, row, policy } = await view();
    const other = { ...policy, hash: 'f'.repeat(64) };
    const shown = await readApprovalView(ledger, row.id, other);
    expect(shown?.rule).toBeUndefined();
    // Each limit names its unit, and a plan counts once.
    expect(shown?.limits.map(({ before, adds }) => [before, adds])).toEqual([
      ['0.4 SOL', '0.52158 SOL'],
      ['1', '1'],
    ]);
  });

  it('shows the same in a terminal', async () => {
    const { shown, row } = await view();
    const text = approvalLines(shown, row.createdAt).join('\n');
    for (const part of ['0.52158 SOL', 'treasury', STRANGER, '75%', 'not in your address book', '2 SOL'])
      expect(text).toContain(part);
    expect(text).toContain(shown.stages[2]?.messageSha256?.base58);
    expect(text).toContain('Expires in 10 min.');
  });
});

describe('reasons of a question', () => {
  it('include those of every stage of the run, though the first stages are allowed', async () => {
    const { ledger, policy, plan } = await homeWithQuestion(temporaryHome());
    const [create, launch] = launchDecisions(policy);
    if (create === undefined || launch === undefined) throw new Error('no stages');
    const row = await askAbout(
      ledger,
      policy,
      { ...plan, planId: 'plan-late-ask', intentKey: '3'.repeat(64) },
      [
        {
          ...create,
          decision: { ...create.decision, effect: 'allow' },
        },
        {
          ...launch,
          decision: {
            ...launch.decision,
            checks: [
              {
                ...{ id: 'networkFee', params: { times: 4 }, observed: '0.1 SOL', ok: false },
                ...{ code: 'NETWORK_FEE_HIGH', class: 'policy' },
              },
            ],
          },
        },
      ],
    );
    const shown = await readApprovalView(ledger, row.id, policy);
    expect(shown?.facts.find(({ kind }) => kind === 'unusual')).toMatchObject({
      lines: [{ text: expect.stringContaining('0.1 SOL'), tone: 'bad' }],
    });
  });
});

describe('amounts and times', () => {
  it('are exact at any size', () => {
    expect(decimal(1_234_567_890_123_456_789n, 9)).toBe('1,234,567,890.123456789');
    expect(decimal(1n, 9)).toBe('0.000000001');
    expect(decimal(0n, 9)).toBe('0');
    expect(decimal(1_000n, 0)).toBe('1,000');
    expect(decimal(-1_500n, 3)).toBe('-1.5');
  });

  it('name base units if the decimals are unknown', () => {
    const mint = 'FdYq9oaR1TT1LUdbPxM2pmNsRcUq6wsvoGmRKoXtXKKq';
    expect(amountWords(1_500_000n, mint, new Map())).toBe('1,500,000 base units of token FdYq…XKKq');
    expect(amountWords(1_500_000n, mint, new Map([[mint, { decimals: 6 }]]))).toBe('1.5 token FdYq…XKKq');
  });

  it('keep a single basis point in percentages', () => {
    expect([percent(1), percent(2500), percent(10_000)]).toEqual(['0.01%', '25%', '100%']);
  });

  it('are never negative for durations', () => {
    expect([duration(-5), duration(61_000), duration(600_000), duration(3 * 86_400_000)]).toEqual([
      '0 s',
      '61 s',
      '10 min',
      '3 days',
    ]);
  });
});
