/** `countersign policy edit`: an editor, a check, a diff, and a yes before anything changes. */

import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ACCEPTED_POLICY } from '../../src/approval/answers.ts';
import { policyCommand } from '../../src/cli/policy/policy.ts';
import { systemClock } from '../../src/clock.ts';
import { noteOf } from '../../src/ledger/notes.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { OWNER_PASSPHRASE, withOwner } from '../approval/owner.ts';
import { NETWORK, WALLET } from '../approval/samples.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { run } from './terminal.ts';

/** A home with a policy, and an editor that replaces texts, one pair at each start. */
function prepared(...edits: (readonly [from: string, to: string])[]) {
  const home = temporaryHome();
  const file = join(home, 'policy.json');
  writeFileSync(file, JSON.stringify(policyTemplate('creator', { wallet: WALLET, network: NETWORK })), {
    mode: 0o600,
  });
  const [count, editor] = [join(home, 'count'), join(home, 'editor.mjs')];
  writeFileSync(count, '0');
  writeFileSync(
    editor,
    `import { readFileSync, writeFileSync } from 'node:fs';
const at = Number(readFileSync(${JSON.stringify(count)}, 'utf8'));
writeFileSync(${JSON.stringify(count)}, String(at + 1));
const [from, to] = ${JSON.stringify(edits)}[at] ?? ['', ''];
const path = process.argv[2];
writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));`,
  );
  chmodSync(editor, 0o700);
  const env = { EDITOR: `${process.execPath} ${editor}` };
  const edit = (...typed: string[]) => run(policyCommand, { home, words: ['edit', file], env, typed });
  return { home, file, edit, text: () => readFileSync(file, 'utf8'), env };
}

const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith('countersign-policy-'));

it('shows what the change means, and writes the file after a yes', async () => {
  const { edit, text } = prepared(['"id":"creator"', '"id":"mine"']);
  const before = [text(), copies()];
  const no = await edit('no');
  expect([no.code, text()]).toEqual([1, before[0]]);
  const { edit: again, text: after } = prepared(['"max":"', '"max":"1']);
  const ran = await again('yes');
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('+ lets the agent do more') });
  expect(after()).toContain('"max":"1');
  expect(copies()).toEqual(before[1]);
});

it('opens a copy that is no policy again, and leaves the file alone where the person gives up', async () => {
  const { edit, text } = prepared(['"version":2', '"version":9'], ['"version":9', '"version":2']);
  const before = text();
  const ran = await edit('yes');
  expect(ran.told).toContain('version');
  expect([ran.code, text()]).toEqual([0, before]);
  const other = prepared(['{', '']);
  const gone = await other.edit('no');
  expect([gone.code, other.text()]).toEqual([1, before]);
});

it('accepts the file with the owner key where the home has one', async () => {
  const { home, edit, text } = prepared(['"max":"', '"max":"1']);
  await withOwner(home);
  const ran = await edit('yes', OWNER_PASSPHRASE);
  expect(ran.code).toBe(0);
  const ledger = openLedger({ home, clock: systemClock });
  expect(ran.out).toContain(JSON.parse((await noteOf(ledger, ACCEPTED_POLICY)) ?? '{}').hash);
  await ledger.close();
  expect(text()).toContain('"max":"1');
});

it('says what to do without a terminal, a file or an editor', async () => {
  const { home, file, env } = prepared();
  const words = ['edit', file];
  expect((await run(policyCommand, { home, words, env })).error).toMatchObject({ name: 'SetupError' });
  expect((await run(policyCommand, { home, words: ['edit'], env, typed: [] })).error).toMatchObject({
    message: 'Which file?',
  });
  const none = { EDITOR: '/nonexistent/editor' };
  expect((await run(policyCommand, { home, words, env: none, typed: [] })).error).toMatchObject({
    hint: 'Set EDITOR to another one.',
  });
});
