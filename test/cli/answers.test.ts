/** Commands that answer approval requests, in separate homes. */

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ACCEPTED_POLICY, answerCheck } from '../../src/approval/answers.ts';
import { acceptedPolicy } from '../../src/approval/trustedState.ts';
import { approveCommand } from '../../src/cli/approvals/approve.ts';
import { denyCommand } from '../../src/cli/approvals/deny.ts';
import { freezeCommand } from '../../src/cli/approvals/freeze.ts';
import { pendingCommand } from '../../src/cli/approvals/pending.ts';
import { unfreezeCommand } from '../../src/cli/approvals/unfreeze.ts';
import { ownerCommand } from '../../src/cli/keys/owner.ts';
import { limitsCommand } from '../../src/cli/money/limits.ts';
import { acceptPolicyCommand } from '../../src/cli/policy/policyAccept.ts';
import { systemClock } from '../../src/clock.ts';
import { cancelPlan } from '../../src/execution/sending/cancelled.ts';
import { frozenFor } from '../../src/ledger/frozen.ts';
import { noteOf } from '../../src/ledger/notes.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { ApprovalRow, Ledger } from '../../src/ledger/types.ts';
import { questionPage } from '../../src/page/questionPage.ts';
import { readQuestion } from '../../src/page/state.ts';
import type { Mode } from '../../src/plan/types.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { ownerKeyPath, ownerPublicKey } from '../../src/secrets/keys/ownerKey.ts';
import { setUpStore } from '../../src/secrets/stores/chooseStore.ts';
import { OWNER_PASSPHRASE, withOwner } from '../approval/owner.ts';
import {
  askAbout,
  askAboutTrade,
  launchDecisions,
  launchPlan,
  NETWORK,
  samplePolicy,
  TREASURY,
  WALLET,
} from '../approval/samples.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { run } from './terminal.ts';

const WALLET_PASSPHRASE = 'orbit velvet canyon mosaic';

/** Creates a home with a fresh approval request, on the system clock used by the commands. */
async function askQuestion(
  mode: Mode,
): Promise<{ home: string; ledger: Ledger; row: ApprovalRow; owner: () => Promise<string | undefined> }> {
  const home = temporaryHome();
  const owner = mode === 'live' ? await withOwner(home) : async () => undefined;
  const ledger = openLedger({ home, clock: systemClock });
  const policy = samplePolicy();
  const row = await askAbout(ledger, policy, launchPlan(mode), launchDecisions(policy));
  return { home, ledger, row, owner };
}

const now = async (ledger: Ledger, { id }: ApprovalRow) => (await ledger.rows('approvals', { id }))[0];

describe('countersign pending', () => {
  it('lists open questions and how to answer them', async () => {
    const { home, row } = await askQuestion('live');
    const { code, out, err } = await run(pendingCommand, { home });
    expect(code).toBe(0);
    expect(out).toContain(`${row.id}  Launch a token (live)`);
    expect(out).toMatch(/at most 0\.52158 SOL leaves; .*expires in/);
    expect(err).toContain('countersign approve ID');
  });

  it('prints JSON and reports that no question is open', async () => {
    const { home, ledger, row } = await askQuestion('live');
    const json = await run(pendingCommand, { home, options: { json: true } });
    expect(JSON.parse(json.out)).toMatchObject({ frozen: null, pending: [{ id: row.id, state: 'pending' }] });
    const trade = await askAboutTrade(ledger);
    const { pending } = JSON.parse((await run(pendingCommand, { home, options: { json: true } })).out);
    expect(pending).toMatchObject([
      { id: trade.id, again: { asset: 'SOL', each: '100020000' } },
      { id: row.id },
    ]);
    for (const { id } of [row, trade])
      await ledger.answerApproval(id, { state: 'denied', channel: 'command' });
    expect((await run(pendingCommand, { home })).out).toBe('No open questions.');
  });
});

describe('countersign approve ID again N', () => {
  it('approves similar plans within the printed bounds, which are listed until a denial ends them', async () => {
    const home = temporaryHome();
    const ledger = openLedger({ home, clock: systemClock });
    const row = await askAboutTrade(ledger);
    const options = { yes: true, until: '3d' };
    const approve = (...words: string[]) => run(approveCommand, { home, words: [row.id, ...words], options });
    for (const words of [
      ['again'],
      ['again', '0'],
      ['again', 'x'],
      ['often', '3'],
      ['again', '3', 'worse', '90'],
    ])
      expect((await approve(...words)).error, words.join(' ')).toMatchObject({ name: 'SetupError' });
    expect((await now(ledger, row))?.state).toBe('pending');
    const ran = await approve('again', '3', 'total', '0.25', 'worse', '2');
    expect(ran.code).toBe(0);
    expect(ran.err).toContain('0.25 SOL in total');
    expect((await now(ledger, row))?.grant).toMatchObject({ times: 3, total: '250000000', worseBps: 200 });
    const like = await askAboutTrade(ledger, 'sandbox', 'plan-like');
    expect(like).toMatchObject({ state: 'approved', channel: 'grant' });

    const file = join(home, 'policy.json');
    // Policy of the approval request.
    const template = policyTemplate('creator', { wallet: WALLET, network: NETWORK });
    const addressBook = [{ label: 'treasury', address: TREASURY }];
    writeFileSync(file, JSON.stringify({ ...template, addressBook }));
    const limits = () => run(limitsCommand, { home, options: { policy: file, live: true }, columns: 200 });
    expect((await limits()).out).toMatch(/1 of 3 used, 0\.10002 SOL of 0\.25 SOL/);
    const changed = join(home, 'changed.json');
    writeFileSync(changed, JSON.stringify(template));
    const under = { home, options: { policy: changed, live: true }, columns: 200 };
    expect((await run(limitsCommand, under)).out).not.toContain('of 3 used');
    const ended = await run(denyCommand, { home, words: [row.id], options: { yes: true } });
    expect(ended.code).toBe(0);
    expect((await limits()).out).not.toContain('of 3 used');
    expect(await askAboutTrade(ledger, 'sandbox', 'plan-later')).toMatchObject({ state: 'pending' });
  });
});

describe('countersign approve', () => {
  it('names the principal whose plan the answer is about, on a server for several (T123)', async () => {
    const { home, ledger, row } = await askQuestion('live');
    const policy = samplePolicy();
    const plan = launchPlan('live', { planId: 'plan-anna', intentKey: 'b'.repeat(64), principal: 'anna' });
    const ofAnna = await askAbout(ledger, policy, plan, launchDecisions(policy));
    const shown = async ({ id }: ApprovalRow) =>
      (await run(approveCommand, { home, words: [id], typed: ['wrong'] })).err;
    expect(await shown(ofAnna)).toContain('Asked by the principal anna');
    expect(await shown(row)).not.toContain('principal');
    const state = await readQuestion(ledger, ofAnna.id, undefined);
    const context = { base: '/', nonce: '', mode: 'live', frozen: false } as const;
    expect(state && `${questionPage(context, state)}`).toContain('by the principal <strong>anna</strong>');
  });

  it('repeats beside the prompt what counts, below however much the agent asked for (T56)', async () => {
    const home = temporaryHome();
    await withOwner(home);
    const ledger = openLedger({ home, clock: systemClock });
    const policy = samplePolicy();
    const fields = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`note${i}`, `Nothing leaves. ${'x'.repeat(140)}`]),
    );
    const { request } = launchPlan('live');
    const asked = { ...request, fields: { ...request.fields, ...fields } };
    const plan = launchPlan('live', { request: asked });
    const row = await askAbout(ledger, policy, plan, launchDecisions(policy));
    const ran = await run(approveCommand, { home, words: [row.id], typed: ['wrong'] });
    expect(ran.error).toMatchObject({ code: 'WRONG_PASSPHRASE' });
    const lines = ran.err.split('\n');
    expect(lines.length).toBeGreaterThan(100);
    const short = lines.slice(lines.findIndex((line) => line.startsWith('In short: '))).join(' ');
    expect(short).toContain('at most 0.52158 SOL leaves');
    expect(short).not.toContain('Nothing leaves');
  });

  it('shows the question, reads the passphrase without echo, and records a valid approval', async () => {
    const { home, ledger, row, owner } = await askQuestion('live');
    const ran = await run(approveCommand, { home, words: [row.id], typed: [OWNER_PASSPHRASE] });
    expect(ran).toMatchObject({
      code: 0,
      prompts: ['Owner passphrase: (hidden)'],
      out: `Approved ${row.id}.`,
    });
    expect(ran.err).toContain('at most 0.52158 SOL');
    expect(ran.err).toMatch(/^ +hash /m);
    expect(ran.err + ran.out).not.toContain(OWNER_PASSPHRASE);
    const answered = await now(ledger, row);
    expect(answered).toMatchObject({ state: 'approved', channel: 'command' });
    const holds = answerCheck({ mode: 'live', ownerPublicKey: owner, now: systemClock.now });
    expect(answered && (await holds(answered))).toBe(true);
  });

  it('accepts no approval from the environment, an option, or a shell without a terminal', async () => {
    const { home, ledger, row } = await askQuestion('live');
    const env = {
      COUNTERSIGN_PASSPHRASE: OWNER_PASSPHRASE,
      COUNTERSIGN_OWNER_PASSPHRASE: OWNER_PASSPHRASE,
      COUNTERSIGN_YES: '1',
    };
    const options = { yes: true, sandbox: true, live: false };
    const ran = await run(approveCommand, { home, words: [row.id], env, options });
    expect(ran.error).toMatchObject({
      name: 'SetupError',
      hint: expect.stringContaining('never read from the environment'),
    });
    const wrong = await run(approveCommand, { home, words: [row.id], env, options, typed: ['yes'] });
    expect(wrong.error).toMatchObject({ code: 'WRONG_PASSPHRASE' });
    expect((await now(ledger, row))?.state).toBe('pending');
  });

  it('accepts the plan id as well and refuses unknown ids', async () => {
    const { home, row } = await askQuestion('sandbox');
    expect((await run(approveCommand, { home, words: ['approval-none'] })).error).toMatchObject({
      message: 'No question has this id.',
    });
    expect((await run(approveCommand, { home })).error).toMatchObject({ message: 'Which question?' });
    const ran = await run(approveCommand, { home, words: [row.planId], options: { yes: true } });
    expect(ran.out).toBe(`Approved ${row.id}.`);
  });

  it('asks for a plain confirmation in the sandbox and records one answer', async () => {
    const { home, ledger, row } = await askQuestion('sandbox');
    const no = await run(approveCommand, { home, words: [row.id], typed: ['y'] });
    expect(no.error).toMatchObject({ message: 'Nothing was answered.' });
    expect((await now(ledger, row))?.state).toBe('pending');
    expect((await run(approveCommand, { home, words: [row.id], typed: ['yes'] })).code).toBe(0);
    const again = await run(approveCommand, { home, words: [row.id], typed: ['yes'] });
    expect(again.error).toMatchObject({ code: 'APPROVAL_CONSUMED' });
  });

  it('reports a missing owner key with the command that creates it', async () => {
    const home = temporaryHome();
    const ledger = openLedger({ home, clock: systemClock });
    const policy = samplePolicy();
    const row = await askAbout(ledger, policy, launchPlan('live'), launchDecisions(policy));
    const ran = await run(approveCommand, { home, words: [row.id], typed: ['anything at all'] });
    expect(ran.error).toMatchObject({ hint: 'Make one with `countersign owner create`.' });
    expect(ran.prompts).toEqual([]);
    expect((await now(ledger, row))?.state).toBe('pending');
  });
});

describe('countersign deny', () => {
  it('needs no key and no terminal', async () => {
    const { home, ledger, row } = await askQuestion('live');
    expect((await run(denyCommand, { home, words: [row.id] })).code).toBe(0);
    expect(await now(ledger, row)).toMatchObject({ state: 'denied', channel: 'command' });
  });

  it('passes a reason to the agent, from an option or a prompt', async () => {
    const first = await askQuestion('live');
    const denied = await run(denyCommand, {
      home: first.home,
      words: [first.row.id],
      options: { reason: 'Ask for half.' },
    });
    expect(denied.err).toContain('with your reason: "Ask for half."');
    expect(await now(first.ledger, first.row)).toMatchObject({ state: 'denied', reason: 'Ask for half.' });
    const second = await askQuestion('live');
    const typed = await run(denyCommand, {
      home: second.home,
      words: [second.row.id],
      typed: ['Not today.'],
    });
    expect(typed.prompts[0]).toMatch(/^Why\?/);
    expect(await now(second.ledger, second.row)).toMatchObject({ reason: 'Not today.' });
  });
});

describe('countersign pending ID', () => {
  it('shows how and when a question was answered', async () => {
    const { home, ledger, row } = await askQuestion('live');
    const open = await run(pendingCommand, { home, words: [row.id] });
    expect(open.out).toBe(`${row.id}: Waiting for you`);
    await ledger.answerApproval(row.id, { state: 'denied', channel: 'command', reason: 'Not today.' });
    const ended = await run(pendingCommand, { home, words: [row.id] });
    expect(ended.out).toMatch(/You denied\nDenied on the command line at \d{4}-.*“Not today\.”/);
    const json = await run(pendingCommand, { home, words: [row.id], options: { json: true } });
    expect(JSON.parse(json.out)).toMatchObject({ open: false, status: 'You denied' });
    const again = await run(approveCommand, { home, words: [row.id], typed: [OWNER_PASSPHRASE] });
    expect(again.error).toMatchObject({
      code: 'APPROVAL_CONSUMED',
      message: expect.stringMatching(/already denied on the command line at \d{4}/),
    });
  });

  it('does not list a question of a cancelled plan, which cannot be approved', async () => {
    const { home, ledger, row } = await askQuestion('live');
    await cancelPlan(ledger, row.planId);
    expect((await run(pendingCommand, { home })).out).toBe('No open questions.');
    expect((await run(pendingCommand, { home, words: [row.id] })).out).toContain('The plan was cancelled');
    const late = await run(approveCommand, { home, words: [row.id], typed: [OWNER_PASSPHRASE] });
    expect(late.error).toMatchObject({ code: 'PLAN_ENDED' });
    expect((await now(ledger, row))?.state).toBe('pending');
  });
});

describe('countersign approve while signing is frozen', () => {
  it('states that nothing is signed and which command lifts the freeze', async () => {
    const { home, ledger, row } = await askQuestion('live');
    await ledger.freeze('Too many transactions were denied for security.');
    const ran = await run(approveCommand, { home, words: [row.id], typed: [OWNER_PASSPHRASE] });
    expect(ran.err).toMatch(/Nothing is signed while signing is frozen: Too many .*countersign unfreeze/);
  });
});

describe('countersign freeze and unfreeze', () => {
  it('freezes without a key and unfreezes with the owner passphrase only', async () => {
    const { home, ledger } = await askQuestion('live');
    expect((await run(freezeCommand, { home })).code).toBe(0);
    expect((await run(pendingCommand, { home })).out).toContain('Signing is frozen');
    const alone = await run(unfreezeCommand, { home, options: { yes: true, sandbox: true } });
    expect(alone.error).toMatchObject({ name: 'SetupError' });
    expect((await run(unfreezeCommand, { home, typed: ['wrong'] })).error).toMatchObject({
      code: 'WRONG_PASSPHRASE',
    });
    expect(await frozenFor(ledger)).toBeDefined();
    const lifted = await run(unfreezeCommand, { home, typed: [OWNER_PASSPHRASE] });
    expect(lifted).toMatchObject({ code: 0, prompts: ['Owner passphrase: (hidden)'] });
    expect(await frozenFor(ledger)).toBeUndefined();
    expect((await run(unfreezeCommand, { home })).out).toBe('Signing is not frozen.');
  });

  it('T57 lifts no freeze that began after the shown ones, while the passphrase was typed', async () => {
    const { home, ledger } = await askQuestion('live');
    await ledger.freeze('A person froze signing.', undefined);
    const shown: string[] = [];
    const told: string[] = [];
    const code = await unfreezeCommand({
      ...{ home, words: [], options: {}, env: {}, script: 'countersign' },
      terminal: {
        print: (line) => void told.push(line),
        tell: (line) => void (shown.length === 0 ? shown : told).push(line),
        interactive: true,
        ask: async () => {
          await setTimeout(5);
          await ledger.freeze('Too many transactions were denied for security.', 'anna');
          return OWNER_PASSPHRASE;
        },
      },
    });
    expect(code).toBe(0);
    expect(shown.join()).not.toContain('anna');
    expect(told.join()).toMatch(/Frozen again meanwhile: For the principal anna: Too many/);
    expect(await ledger.rows('freezes', {})).toMatchObject([{ principal: 'anna' }]);
    expect((await run(unfreezeCommand, { home, typed: [OWNER_PASSPHRASE] })).code).toBe(0);
    expect(await ledger.rows('freezes', {})).toEqual([]);
  });

  it('unfreezes a sandbox home without a key', async () => {
    const { home, ledger } = await askQuestion('sandbox');
    await run(freezeCommand, { home });
    expect((await run(unfreezeCommand, { home })).code).toBe(0);
    expect(await frozenFor(ledger)).toBeUndefined();
  });
});

describe('countersign owner', () => {
  it('creates the key from a passphrase typed twice and stores its public key with the wallet', async () => {
    const home = temporaryHome();
    const env = { COUNTERSIGN_PASSPHRASE: WALLET_PASSPHRASE };
    const store = await setUpStore({ home, env, requested: 'file' });
    expect((await run(ownerCommand, { home, env, words: ['show'] })).code).toBe(1);
    const typed = [OWNER_PASSPHRASE, OWNER_PASSPHRASE];
    const made = await run(ownerCommand, { home, env, words: ['create'], typed });
    expect(made).toMatchObject({
      code: 0,
      prompts: ['New owner passphrase: (hidden)', 'The same again: (hidden)'],
    });
    await store.refresh();
    expect(await ownerPublicKey(store)).toBe(made.out);
    expect((await run(ownerCommand, { home, env, words: ['show'] })).out).toBe(made.out);
    const again = await run(ownerCommand, { home, env, words: ['create'], typed });
    expect(again.error).toMatchObject({ code: 'FILE_EXISTS' });
  });

  it("refuses the wallet's passphrase, two different ones, a weak one, and input without a terminal", async () => {
    const home = temporaryHome();
    const env = { COUNTERSIGN_PASSPHRASE: WALLET_PASSPHRASE };
    await setUpStore({ home, env, requested: 'file' });
    const make = (typed?: readonly string[]) =>
      run(ownerCommand, { home, env, words: ['create'], ...(typed === undefined ? {} : { typed }) });
    expect((await make([WALLET_PASSPHRASE, WALLET_PASSPHRASE])).error).toMatchObject({
      code: 'PASSPHRASE_REUSED',
    });
    expect((await make([OWNER_PASSPHRASE, 'other'])).error).toMatchObject({
      message: 'The two passphrases differ.',
    });
    expect((await make(['short', 'short'])).error).toMatchObject({ code: 'WEAK_PASSPHRASE' });
    expect((await make()).error).toMatchObject({ name: 'SetupError' });
    expect(existsSync(ownerKeyPath(home))).toBe(false);
  });

  it('names the variable to set if secrets come from the environment', async () => {
    const home = temporaryHome();
    const typed = [OWNER_PASSPHRASE, OWNER_PASSPHRASE];
    const env = { COUNTERSIGN_SECRET_STORE: 'env' };
    const made = await run(ownerCommand, { home, env, words: ['create'], typed });
    expect(made.err).toContain(`COUNTERSIGN_OWNER_PUBLIC_KEY=${made.out}`);
  });
});

describe('countersign policy accept', () => {
  function policyFile(home: string): string {
    const path = join(home, 'policy.json');
    writeFileSync(path, JSON.stringify(policyTemplate('creator', { wallet: WALLET, network: NETWORK })), {
      mode: 0o600,
    });
    return path;
  }

  it('activates a changed file on a running server', async () => {
    const { home, ledger, owner } = await askQuestion('live');
    const accepted = acceptedPolicy({ mode: 'live', ledger, ownerPublicKey: owner });
    await accepted();
    const path = policyFile(home);
    const ran = await run(acceptPolicyCommand, { home, words: ['accept', path], typed: [OWNER_PASSPHRASE] });
    expect(ran).toMatchObject({ code: 0, prompts: ['Owner passphrase: (hidden)'] });
    expect(ran.out).toBe(`Accepted ${await accepted()}.`);
  });

  it('T57 shows what the file allows before the passphrase, so that a line added to it is seen', async () => {
    const { home } = await askQuestion('live');
    const path = policyFile(home);
    const file = JSON.parse(readFileSync(path, 'utf8'));
    const rule = { id: 'more', operation: 'send', effect: 'allow', recipient: 'addressBook', why: 'rent' };
    const addressBook = [{ label: 'landlord', address: TREASURY }];
    writeFileSync(path, JSON.stringify({ ...file, addressBook, rules: [...file.rules, rule] }));
    const ran = await run(acceptPolicyCommand, { home, words: ['accept', path], typed: ['wrong'] });
    expect(ran.error).toMatchObject({ code: 'WRONG_PASSPHRASE' });
    const shown = ran.err.replace(/\s+/g, ' ');
    expect(shown).toContain(`In your address book, "landlord": ${TREASURY}`);
    expect(shown).toMatch(/rent/);
  });

  it('refuses a file that is invalid or writable by others, and a missing passphrase', async () => {
    const { home, ledger } = await askQuestion('live');
    const path = policyFile(home);
    const accept = (typed: readonly string[]) =>
      run(acceptPolicyCommand, { home, words: ['accept', path], typed });
    expect((await accept(['wrong'])).error).toMatchObject({ code: 'WRONG_PASSPHRASE' });
    chmodSync(path, 0o666);
    expect((await accept([OWNER_PASSPHRASE])).error).toMatchObject({
      message: expect.stringContaining('other users'),
    });
    chmodSync(path, 0o600);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"version":2', '"version":3'));
    expect((await accept([OWNER_PASSPHRASE])).error).toMatchObject({
      message: 'The file is not a valid policy.',
    });
    expect((await run(acceptPolicyCommand, { home, words: ['accept'] })).error).toMatchObject({
      message: 'Which file?',
    });
    expect(await noteOf(ledger, ACCEPTED_POLICY)).toBeUndefined();
  });
});
