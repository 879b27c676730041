/** Changes of the principals file under a running server: none is effective until the owner accepts it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAnswering } from '../../src/answering/answering.ts';
import { ACCEPTED_PRINCIPALS } from '../../src/approval/answers.ts';
import { acceptedPrincipals } from '../../src/approval/trustedState.ts';
import { principalsCommand } from '../../src/cli/http/principals.ts';
import { noteOf } from '../../src/ledger/notes.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { Ledger } from '../../src/ledger/types.ts';
import type { Mode } from '../../src/plan/types.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { type PrincipalsFile, readPrincipals } from '../../src/runtime/principals/file.ts';
import { lackingIn, lackingWords } from '../../src/runtime/principals/lacking.ts';
import { createRoster, type Roster } from '../../src/runtime/principals/roster.ts';
import { openRuntime } from '../../src/runtime/runtime.ts';
import { OWNER_PASSPHRASE, passphrase, withOwner } from '../approval/owner.ts';
import { run } from '../cli/terminal.ts';
import { handClock } from '../ledger/samples.ts';

const WALLET = 'EGKQ3SkrVMVJYGsVuyhQ4ZV5dnJCpEFvZKvDsN1eh8JT';

let home: string;
let ledger: Ledger;
let clock: ReturnType<typeof handClock>;
let owner: () => Promise<string | undefined>;
let path: string;
let inForce: string[];
let lines: string[];

const write = (name: string, value: object): string => {
  const file = join(home, name);
  writeFileSync(file, JSON.stringify(value), { mode: 0o600 });
  return file;
};
const policy = (id: string) =>
  write('policy.json', { ...policyTemplate('creator', { wallet: WALLET, network: 'devnet' }), id });
const principals = (...names: string[]): string =>
  write('principals.json', {
    version: 1,
    principals: names.map((name) => ({
      name,
      is: [{ tokenFile: name }],
      wallets: 'all',
      policy: 'policy.json',
    })),
  });
const namesOf = ({ entries }: PrincipalsFile): string[] => entries.map(({ name }) => name);
const accept = async (): Promise<void> =>
  createAnswering({ home, ledger, ownerPublicKey: owner }).acceptPrincipals(
    (await readPrincipals(path)).digest,
    passphrase(),
  );

/** Returns the roster of a newly started server. */
async function started(mode: Mode = 'live'): Promise<Roster> {
  const first = await readPrincipals(path);
  inForce = namesOf(first);
  lines = [];
  const roster = createRoster({
    path,
    first,
    accepted: acceptedPrincipals({ mode, ledger, ownerPublicKey: owner }),
    apply: async (file) => {
      inForce = namesOf(file);
    },
    log: (line) => void lines.push(line),
  });
  await roster.look();
  return roster;
}

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'countersign-roster-'));
  owner = await withOwner(home);
  clock = handClock();
  ledger = openLedger({ home, clock });
  policy('first');
  path = principals('anna');
});
afterEach(async () => {
  await ledger.close();
  rmSync(home, { recursive: true, force: true });
});

describe('T124 a principals file changed while a server runs', () => {
  test('changes nothing, and the log states so once, with the command', async () => {
    const roster = await started();
    expect(lines).toEqual([]);
    principals('anna', 'mallory');
    for (let look = 0; look < 3; look += 1) await roster.look();
    expect(inForce).toEqual(['anna']);
    expect(lines).toEqual([expect.stringContaining(`countersign principals accept ${path}`)]);
  });

  test('takes effect once the owner key has accepted its hash, with its policies', async () => {
    const roster = await started();
    principals('anna', 'bela');
    await accept();
    policy('another');
    await roster.look();
    expect(inForce).toEqual(['anna']);
    expect(lines.at(-1)).toContain('accepted another principals file than the one on this host');
    policy('first');
    await roster.look();
    expect(inForce).toEqual(['anna', 'bela']);
    expect(lines.at(-1)).toContain('is in force: 2 principals');
  });

  test('stays inactive with a ledger note that no owner key signed, or signed for another file', async () => {
    const roster = await started();
    principals('anna', 'bela');
    await accept();
    const note = JSON.parse((await noteOf(ledger, ACCEPTED_PRINCIPALS)) ?? '');
    principals('anna', 'mallory');
    const { digest: hash } = await readPrincipals(path);
    for (const forged of [
      { hash, at: clock.now() },
      { ...note, hash },
      { hash, statement: '{}' },
    ]) {
      await ledger.setNote(ACCEPTED_PRINCIPALS, JSON.stringify(forged));
      await roster.look();
    }
    expect(inForce).toEqual(['anna']);
  });

  test('is not restored by an earlier or used acceptance', async () => {
    principals('mallory');
    await accept();
    const old = (await noteOf(ledger, ACCEPTED_PRINCIPALS)) ?? '';
    clock.at += 1_000;
    principals('anna');
    const roster = await started();
    principals('mallory');
    await roster.look();
    expect(inForce).toEqual(['anna']);
    principals('anna', 'bela');
    await accept();
    await roster.look();
    expect(inForce).toEqual(['anna', 'bela']);
    principals('mallory');
    await ledger.setNote(ACCEPTED_PRINCIPALS, old);
    await roster.look();
    expect(inForce).toEqual(['anna', 'bela']);
  });

  test('stays inactive if unreadable, and the previous one stays in force', async () => {
    const roster = await started();
    write('principals.json', { version: 1, principals: [] });
    await roster.look();
    expect(inForce).toEqual(['anna']);
    expect(lines).toEqual([expect.stringContaining('the principals are unchanged')]);
  });

  test('needs no owner key in the sandbox, but an acceptance after the server started', async () => {
    const digest = async () => (await readPrincipals(path)).digest;
    principals('mallory');
    await ledger.setNote(ACCEPTED_PRINCIPALS, JSON.stringify({ hash: await digest(), at: clock.now() }));
    clock.at += 1_000;
    principals('anna');
    const roster = await started('sandbox');
    principals('mallory');
    await roster.look();
    expect(inForce).toEqual(['anna']);
    await ledger.setNote(ACCEPTED_PRINCIPALS, JSON.stringify({ hash: await digest(), at: clock.now() }));
    await roster.look();
    expect(inForce).toEqual(['mallory']);
  });
});

describe('T132 a label in the principals file', () => {
  const OTHER = 'So11111111111111111111111111111111111111112';
  const called = (address: string) => [{ address, label: 'treasury', isDefault: true }];
  const byLabel = (name = 'anna') =>
    write('principals.json', {
      version: 1,
      principals: [{ name, is: [{ tokenFile: name }], wallets: ['treasury'], policy: 'policy.json' }],
    });

  test('means the wallet it meant when the owner accepted the file, even if reassigned later', async () => {
    path = byLabel();
    let wallets = called(WALLET);
    const first = await readPrincipals(path, wallets);
    expect(first.entries[0]?.wallets).toEqual([WALLET]);
    let used = first.entries[0]?.wallets;
    lines = [];
    const roster = createRoster({
      path,
      first,
      wallets: async () => wallets,
      accepted: acceptedPrincipals({ mode: 'live', ledger, ownerPublicKey: owner }),
      apply: async ({ entries }) => {
        used = entries[0]?.wallets;
      },
      log: (line) => void lines.push(line),
    });
    await roster.look();
    wallets = called(OTHER);
    for (const name of ['anna', 'bela']) {
      byLabel(name);
      await roster.look();
      expect(used).toEqual([WALLET]);
    }
    expect(lines.at(-1)).toContain('when the owner accepts it');

    // The owner accepts an address; it takes effect here only if the label refers to it.
    const answering = createAnswering({ home, ledger, ownerPublicKey: owner });
    await answering.acceptPrincipals((await readPrincipals(path, called(WALLET))).digest, passphrase());
    await roster.look();
    expect(lines.at(-1)).toContain('accepted another principals file than the one on this host');
    expect(used).toEqual([WALLET]);
    clock.at += 1_000;
    await answering.acceptPrincipals((await readPrincipals(path, called(OTHER))).digest, passphrase());
    await roster.look();
    expect(used).toEqual([OTHER]);
  });

  test('missing from the home belongs to no wallet and is listed as missing', async () => {
    path = byLabel();
    const { entries } = await readPrincipals(path, []);
    expect(lackingIn(entries, []).map(lackingWords)).toEqual([
      'The principal anna names the wallet treasury, which this home does not have.',
    ]);
    expect(lackingIn((await readPrincipals(path, called(WALLET))).entries, called(WALLET))).toEqual([]);
  });

  test('is refused with its position in the file if it is not a valid label', async () => {
    for (const name of ['Treasury', 'treasury ', 'x'.repeat(25), '', 'all', '\u001b[2J']) {
      path = write('principals.json', {
        version: 1,
        principals: [{ name: 'anna', is: [{ tokenFile: 'anna' }], wallets: [name], policy: 'policy.json' }],
      });
      const error = await readPrincipals(path).catch((thrown: Error) => thrown);
      expect([name, error]).toMatchObject([name, { message: expect.stringMatching(/:1:\d+: /) }]);
      expect(String(error)).not.toContain('\u001b');
    }
  });
});

describe('countersign principals', () => {
  test('accept asks for the owner passphrase and activates the file on a running server', async () => {
    // The command has a separate ledger on the system clock.
    clock.at = Date.now();
    const roster = await started();
    principals('anna', 'bela');
    const words = ['accept', path];
    expect((await run(principalsCommand, { home, words, typed: ['wrong'] })).error).toMatchObject({
      code: 'WRONG_PASSPHRASE',
    });
    await roster.look();
    expect(inForce).toEqual(['anna']);
    const ran = await run(principalsCommand, { home, words, typed: [OWNER_PASSPHRASE] });
    expect(ran).toMatchObject({ code: 0, prompts: ['Owner passphrase: (hidden)'] });
    expect(ran.err).toContain('bela: token file');
    await roster.look();
    expect(inForce).toEqual(['anna', 'bela']);
  });

  test('show everything that a principal may: also its tools and the folder of its images (T124)', async () => {
    const anna = { name: 'anna', is: [{ tokenFile: 'anna' }], wallets: 'all', policy: 'policy.json' };
    const more = { toolsets: ['launch', 'send'], images: 'private', callsPerMinute: 7 };
    path = write('principals.json', { version: 1, principals: [{ ...anna, ...more }] });
    const ran = await run(principalsCommand, { home, words: ['check', path] });
    expect(ran.err).toContain(
      `; toolsets launch, send; images of ${join(home, 'private')}; 7 calls a minute`,
    );
    path = write('principals.json', { version: 1, principals: [anna] });
    expect((await run(principalsCommand, { home, words: ['check', path] })).err).not.toMatch(
      /toolsets|images/,
    );
  });

  test("accepts no file that names an unusable policy, and check shows a file's contents", async () => {
    expect((await run(principalsCommand, { home, words: ['check', path] })).out).toContain(
      `1 principals, digest ${(await readPrincipals(path)).digest}`,
    );
    write('policy.json', { version: 2 });
    const ran = await run(principalsCommand, { home, words: ['accept', path], typed: [OWNER_PASSPHRASE] });
    expect(ran.error).toMatchObject({
      message: expect.stringContaining('The policy of anna cannot be used'),
    });
    expect(await noteOf(ledger, ACCEPTED_PRINCIPALS)).toBeUndefined();
  });
});

test('the digest covers the content: the same in another folder, different with another policy', async () => {
  const { digest } = await readPrincipals(path);
  policy('another');
  expect((await readPrincipals(path)).digest).not.toBe(digest);
});

test('a changed principal keeps its new work when the work under its old rights has stopped', async () => {
  const runtime = await openRuntime({ mode: 'sandbox', profile: 'contract', home, env: {} });
  const rights = { name: 'anna', policy: join(home, 'policy.json') };
  const before = await runtime.forPrincipal({ ...rights, wallets: 'all' });
  const after = await runtime.forPrincipal({ ...rights, wallets: [WALLET] });
  await before.stop();
  const again = await runtime.forPrincipal({ ...rights, wallets: [WALLET] });
  expect(again).toBe(after);
  await after.stop();
  expect(await runtime.forPrincipal({ ...rights, wallets: [WALLET] })).not.toBe(after);
  await runtime.stop();
});
