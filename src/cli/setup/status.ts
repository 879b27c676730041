/**
 * `countersign` alone in a terminal: the state of this home and the next step. Opens no key and no network
 * connection.
 */
import { existsSync } from 'node:fs';
import { several } from '../../base/format.ts';
import { allFrozen } from '../../ledger/frozen.ts';
import { openQuestions } from '../../presentation/question/readView.ts';
import { canHoldLedger } from '../../runtime/ledgerPlace.ts';
import { ownerKeyPath } from '../../secrets/keys/ownerKey.ts';
import { readStoreRecord } from '../../secrets/stores/chooseStore.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { columnsFor, wrap } from '../layout.ts';
import { readPolicy } from '../policy/read.ts';
import { placeOf, withLedger } from '../records/place.ts';

export const statusCommand: Command = async (input) => {
  const { home, options, terminal } = input;
  const live = options.live === true;
  const path = textOption(options, 'policy');
  const policy = !live || path === undefined ? undefined : (await readPolicy(path, terminal))?.policy;
  const { waiting, frozen } = await recordOf(input);
  const rows: [string, string][] = [
    ['home', existsSync(home) ? home : `${home} (nothing there yet)`],
    ['mode', live ? 'live: your own wallet' : 'sandbox: play money'],
    ...(policy?.wallets ?? []).map(({ label, address }): [string, string] => [
      'wallet',
      `${address} (${label})`,
    ]),
    ...(policy === undefined ? [] : [['policy', `${policy.id} (${path})`] as [string, string]]),
    ...(waiting.length === 0
      ? []
      : [['waiting', `${several(waiting.length, 'question')} for you`] as [string, string]]),
    ...(frozen ? [['frozen', 'nothing is signed'] as [string, string]] : []),
    ['next', nextStep(input, { hasPolicy: policy !== undefined, waiting, frozen })],
  ];
  for (const [label, text] of rows)
    for (const line of wrap(text, columnsFor(terminal.columns), label.padEnd(9))) terminal.print(line);
  return 0;
};

async function recordOf(input: CommandInput): Promise<{ waiting: readonly string[]; frozen: boolean }> {
  if (!canHoldLedger(placeOf(input))) return { waiting: [], frozen: false };
  return withLedger(input, async (ledger) => ({
    waiting: (await openQuestions(ledger)).map(({ id }) => id),
    frozen: (await allFrozen(ledger)) !== undefined,
  }));
}

function nextStep(
  { home, options }: CommandInput,
  has: { hasPolicy: boolean; waiting: readonly string[]; frozen: boolean },
): string {
  if (has.frozen) return '`countersign unfreeze` lifts the freeze';
  const [first] = has.waiting;
  if (first !== undefined) return `\`countersign approve ${first}\`, or \`countersign open\` for the page`;
  if (options.live !== true && readStoreRecord(home) === undefined)
    return '`countersign init` sets up a client; `countersign demo` shows what it does';
  if (options.live !== true || !has.hasPolicy || !existsSync(ownerKeyPath(home)))
    return '`countersign init` asks for what is missing';
  return 'ask your client for `get_status`; `countersign doctor` checks the setup; `countersign help` lists commands';
}
