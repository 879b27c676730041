/** Parts of the attack table: account readers, chain trials, and output. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../../sandbox/attacks/row.ts';
import { lossText, personTable, summary } from '../../sandbox/attacks/table.ts';
import { land, signed } from '../../sandbox/attacks/world/landing.ts';
import { singleCheck } from '../../sandbox/attacks/world/refusal.ts';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { budgetFor, compileDraft } from '../../sandbox/service/build/compile.ts';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';

const SEED = 'attack parts';
const SLOT_MS = 400;
let sandbox: Sandbox;
let wallet: string;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: SEED, clock: 'manual', slotMs: SLOT_MS });
  await sandbox.service.ready();
  sandbox.advanceSlots(3);
  wallet = sandbox.wallet.address;
});
afterAll(() => sandbox.close());

const friend = () => sandbox.service.keys.seeded('friend').address;

describe('a chain trial', () => {
  it('runs the transaction and leaves accounts, transactions, slots and listeners of the chain unchanged', async () => {
    const { chain } = sandbox;
    const draft = {
      format: 'v0' as const,
      feePayer: wallet,
      instructions: [systemTransfer(wallet, friend(), 3_000_000_000n)],
      budget: budgetFor(1),
      signers: [],
    };
    const { bytes } = compileDraft(draft, sandbox.service.onchain.lifetime());
    const before = [chain.slot, chain.transactionCount, chain.getAccount(wallet)];
    const events: unknown[] = [];
    const ends = [
      chain.on('transaction', (each) => events.push(each)),
      chain.on('slot', (each) => events.push(each)),
    ];
    const record = chain.runTrial(() => {
      chain.advanceSlots(100);
      const landed = land(chain, signed(bytes, [sandbox.service.keys.wallet]));
      expect(chain.getAccount(friend())?.lamports).toBe(3_000_000_000n);
      expect(chain.getAccount(friend(), 'finalized')).toBeNull();
      expect(() => land(chain, bytes)).toThrow(/does not take/);
      return landed;
    });
    for (const end of ends) end();
    expect(record.err).toBeNull();
    expect(chain.getAccount(friend())).toBeNull();
    expect(chain.status(record.signature)).toBeUndefined();
    expect(chain.transactionsFor(friend())).toEqual([]);
    expect([chain.slot, chain.transactionCount, chain.getAccount(wallet)]).toEqual(before);
    expect(events).toEqual([]);
    expect(chain.submit(signed(bytes, [sandbox.service.keys.wallet])).landed).toBe(true);
  });

  it('is undone if its callback throws', () => {
    const before = sandbox.chain.getAccount(wallet);
    const work = () => {
      sandbox.chain.setAccount(wallet, null);
      throw new Error('half way');
    };
    expect(() => sandbox.chain.runTrial(work)).toThrow('half way');
    expect(sandbox.chain.getAccount(wallet)).toEqual(before);
  });
});

describe('the check that stops an attack', () => {
  const decision = (...failed: string[]) => ({
    checks: [{ id: 'fine', ok: true }, ...failed.map((check) => ({ id: check, ok: false }))],
  });

  it('is the only failed check over all stages', () => {
    expect(singleCheck([decision('a', 'a'), decision()])).toBe('a');
    expect(singleCheck([decision('a'), decision('b')])).toBeNull();
    expect(singleCheck([decision()])).toBeNull();
  });

  it('is not counted as missing if it was present with another value', () => {
    const missing = { id: 'partThere', ok: false, params: { part: 'tip' } };
    const wrong = { id: 'matchesRequest', ok: false, params: { part: 'tipWallet' } };
    expect(singleCheck([{ checks: [wrong, missing] }])).toBe('matchesRequest tipWallet');
    expect(singleCheck([{ checks: [missing] }])).toBe('partThere tip');
  });
});

const row = (more: Partial<Row>): Row => ({
  step: 'append-transfer',
  row: 'T12',
  ok: true,
  does: 'appends a transfer',
  takes: 'whatever a long sentence could say about what such an attack is really after',
  executed: true,
  signed: false,
  codes: ['UNEXPECTED_INSTRUCTION'],
  expectedCode: 'UNEXPECTED_INSTRUCTION',
  explain: 'It does not belong.',
  singleCheck: null,
  twinSignature: 'x',
  ...more,
});

describe('the printed attack table', () => {
  function printed(rows: readonly Row[], columns?: number): string[] {
    let out = '';
    const width = columns === undefined ? {} : { columns };
    const table = personTable({ write: (text) => (out += text), ...width }, () => undefined);
    for (const each of rows) table.add(each);
    table.finish(rows, 12.3);
    return out.split('\n');
  }

  it.each([60, 100])('fits a terminal of %i columns', (columns) => {
    const rows = [
      row({ row: 'T2', step: 'transfer-from-derived-account', singleCheck: 'one' }),
      row({ lostIfSigned: { assets: { SOL: '123456789012345', mint: '1' }, extraFees: '0' } }),
      row({ row: 'T36', expectedCode: 'LOOKUP_TABLE_UNRESOLVED', singleCheck: 'x' }),
      row({ row: 'T63', executed: false, notExecuted: 'the chain itself refuses it' }),
    ];
    for (const line of printed(rows, columns)) expect(line.length).toBeLessThanOrEqual(columns);
    expect(printed(rows, columns).join('\n')).toContain('transfer-from-derived-account');
  });

  it('reports and counts a failed row', () => {
    const rows = [row({}), row({ ok: false, codes: [], explain: 'the honest plan is denied' })];
    const text = printed(rows).join('\n');
    expect(text).toMatch(/LET IN/);
    expect(text).toMatch(/DID NOT HOLD: the honest plan is denied/);
    expect(text).toMatch(/1 of 2 attacks refused/);
    expect(summary(rows)).toMatchObject({ ok: false, attacks: 2, refused: 1, reasons: 1 });
  });

  it('shows amounts beyond rent and fees, otherwise the target of the attack', () => {
    const lost = (assets: Record<string, string>) =>
      lossText(row({ lostIfSigned: { assets, extraFees: '0' } }), undefined);
    expect(lost({ SOL: '1500000000' })).toBe('1.5 SOL');
    expect(lost({ SOL: '2039280' })).toBe(row({}).takes);
    expect(lost({ SOL: '2039280', mint: '1500000' })).toBe('1.5 tokens');
    expect(lost({})).toBe(row({}).takes);
  });
});
