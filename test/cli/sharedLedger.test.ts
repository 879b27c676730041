/** Commands on a ledger shared by several hosts, run from a separate home. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freezeCommand } from '../../src/cli/approvals/freeze.ts';
import type { Command } from '../../src/cli/command.ts';
import { backupCommand } from '../../src/cli/homes/backup.ts';
import { historyCommand } from '../../src/cli/money/history.ts';
import { UsageError } from '../../src/cli/options.ts';
import { auditCommand } from '../../src/cli/records/audit.ts';
import { ledgerCommand } from '../../src/cli/records/ledger.ts';
import { plansCommand } from '../../src/cli/records/plans.ts';
import { systemClock } from '../../src/clock.ts';
import { frozenFor } from '../../src/ledger/frozen.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { noPostgres, startPostgres, type TestPostgres } from '../ledger/postgres.ts';
import { sampleDecision, sampleInput, samplePlan } from '../ledger/samples.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { readCommandLine } from './commandLine.ts';
import { run } from './terminal.ts';

const PASSWORD = 'correct-horse-battery';
/** Address without a database. */
const NOWHERE = `postgres://me:${PASSWORD}@127.0.0.1:9/ledger`;

describe.skipIf(noPostgres !== undefined)(
  `commands with --ledger${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    let postgres: TestPostgres;
    let ledger: string;
    beforeAll(async () => {
      postgres = startPostgres();
      ledger = await postgres.newLedger();
      const host = openLedger({ database: ledger, clock: systemClock });
      const plan = samplePlan({ planId: 'plan-of-a-host' });
      await host.storePlan(plan);
      await host.recordDecision(sampleInput(plan, 'swap', sampleDecision()));
      await host.close();
    });
    afterAll(() => postgres?.end());
    const ran = (command: Command, words: readonly string[] = []) =>
      run(command, { home: temporaryHome(), words, options: { ledger } });

    it('show what every host recorded', async () => {
      expect((await ran(plansCommand)).out).toContain('plan-of-a-host');
      expect((await ran(historyCommand)).code).toBe(0);
      const verified = await ran(auditCommand, ['verify']);
      expect(verified.code).toBe(0);
      expect(verified.out).toMatch(/\b1 decision/);
    });

    it('freeze every host at once', async () => {
      expect((await ran(freezeCommand)).code).toBe(0);
      const host = openLedger({ database: ledger, clock: systemClock });
      expect(await frozenFor(host)).toMatchObject({ reason: expect.stringContaining('command line') });
      await host.close();
    });

    it('that need a file refuse and name the alternative', async () => {
      for (const [command, words] of [
        [backupCommand, []],
        [ledgerCommand, ['accept']],
      ] as const) {
        const { error } = await ran(command, words);
        expect(String(error)).toContain('the ledger is a PostgreSQL database');
      }
    });
  },
);

describe('the password of a ledger (T128)', () => {
  it('appears in no message if the database is unreachable', async () => {
    const { error, out, err } = await run(freezeCommand, {
      home: temporaryHome(),
      options: { ledger: NOWHERE },
    });
    expect(error).toMatchObject({ code: 'LEDGER_UNHEALTHY' });
    const hint = error instanceof Error && 'hint' in error ? String(error.hint) : '';
    expect(`${error} ${hint} ${out} ${err}`).not.toContain(PASSWORD);
  });

  it('is refused on the command line and read from the environment', () => {
    for (const address of [NOWHERE, `postgresql://me@127.0.0.1/ledger?password=${PASSWORD}`]) {
      const read = () => readCommandLine(['serve', '--set', `ledger=${address}`], {});
      expect(read).toThrow(UsageError);
      expect(read).not.toThrow(PASSWORD);
      expect(readCommandLine(['serve'], { COUNTERSIGN_LEDGER: address }).options.ledger).toBe(address);
    }
    const fine = 'postgres://me@127.0.0.1:5432/ledger?host=/run/postgresql';
    expect(readCommandLine(['serve', '--set', `ledger=${fine}`], {}).options.ledger).toBe(fine);
  });
});
