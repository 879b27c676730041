/**
 * `countersign policy observe`: programs and instructions that refused plans wanted to use, so that a person can
 * decide whether to add them. It never changes a policy.
 */

import { listWords, several } from '../../base/words.ts';
import { type Denied, observe, type SeenProgram } from '../../review/observe.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { columnsFor, wrap } from '../layout.ts';
import { limitOption, timeWords, withHistory } from '../records/history.ts';
import { readPolicy } from './read.ts';

const USUAL_LIMIT = 1_000;

export const observePolicyCommand: Command = async (input) => {
  const { options, terminal } = input;
  const path = input.words[1] ?? textOption(options, 'policy');
  const loaded = path === undefined ? undefined : await readPolicy(path, terminal);
  if (path !== undefined && loaded === undefined) return 1;
  return withHistory(input, async (history) => {
    const denied: Denied[] = [];
    const limit = limitOption(input, USUAL_LIMIT);
    for await (const { id, time, planId, decision } of history.decisions()) {
      if (denied.length >= limit) break;
      if (decision.effect !== 'deny') continue;
      const recorded = await history.facts(id);
      if (recorded !== undefined) denied.push({ id, time, planId, decision, facts: recorded.facts });
    }
    const seen = observe(denied, loaded?.policy);
    if (options.json === true) terminal.print(JSON.stringify({ refused: denied.length, programs: seen }));
    else print(input, denied.length, seen);
    return 0;
  });
};

const STANDING: Readonly<Record<SeenProgram['standing'], string>> = {
  addable: 'not in the policy',
  listed: 'in the policy already',
  denied: 'can never be allowed',
};

function print({ terminal }: CommandInput, refused: number, seen: readonly SeenProgram[]): void {
  const columns = columnsFor(terminal.columns);
  const say = (text: string, first = '') => {
    for (const line of wrap(text, columns, first)) terminal.print(line);
  };
  if (refused === 0) {
    terminal.print('Nothing was refused here yet.');
    return;
  }
  say(
    `${several(refused, 'refused decision')} ${refused === 1 ? 'calls' : 'call'} ` +
      `${several(seen.length, 'program')}. A program that is asked for often is not a better one.`,
  );
  const familiar = seen.filter(
    ({ standing, instructions }) => standing === 'listed' && instructions.every(({ readable }) => readable),
  );
  if (familiar.length > 0) {
    const names = familiar.map(({ address, name }) => name ?? address);
    say(`In the policy already, and read: ${listWords(names)}.`);
  }
  for (const { address, name, standing, instructions, operations, plans, lastSeen, decision } of seen.filter(
    (program) => !familiar.includes(program),
  )) {
    terminal.print('');
    say(address);
    say(`${name ?? 'unnamed'}: ${STANDING[standing]}.`, '  ');
    say(
      `Seen in ${several(plans, 'plan')} (${listWords(operations)}), last on ${timeWords(lastSeen)} in ${decision}.`,
      '  ',
    );
    for (const { name: what, readable, times, walletSigns } of instructions) {
      const kind = readable ? what : what === '' ? 'unreadable, without data' : `unreadable, begins ${what}`;
      say(`${times} × ${kind}${walletSigns ? ', is handed the signature of the wallet' : ''}`, '  - ');
    }
  }
  const addable = seen.filter(({ standing }) => standing === 'addable');
  if (addable.length === 0) return;
  terminal.print('');
  say(
    'If you know who wrote a program and why it is called, you can add it to "programs" in the policy file:',
  );
  for (const program of addable) terminal.print(`  ${entryOf(program)}`);
  say(
    'With binding "effects" the instructions it names are not read; what they do is judged by trying the transaction ' +
      'out, and wherever money is real you are asked each time. On a public network it also needs "deployedSlot". ' +
      'Then run `countersign policy diff OLD NEW` to see what the change lets through.',
  );
}

/** A first entry for the policy file: exactly what was seen. */
function entryOf({ address, binding, operations, instructions }: SeenProgram): string {
  const head = `{ "address": "${address}", "binding": "${binding}", "label": "…"`;
  if (binding === 'exact') return `${head} }`;
  const list = (items: readonly string[]) => `[${items.map((item) => `"${item}"`).join(', ')}]`;
  // A stage about lookup tables never holds anything unread.
  const jobs = operations.filter((operation) => !operation.startsWith('lookup_table_'));
  const begins = instructions.flatMap(({ name, readable }) => (readable || name === '' ? [] : [name]));
  return `${head}, "operations": ${list(jobs)}, "instructions": ${list(begins)}, "atMost": 1 }`;
}
