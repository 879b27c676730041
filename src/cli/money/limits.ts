/**
 * `countersign limits`: use, remainder and next release of every policy limit. Reads only the policy file and the
 * ledger.
 */

import { systemClock } from '../../clock.ts';
import { allFrozen } from '../../ledger/frozen.ts';
import { openLedger } from '../../ledger/sqlite/sqlite.ts';
import type { Ledger } from '../../ledger/types.ts';
import { type LoadedPolicy, parsePolicy } from '../../policy/file/file.ts';
import { GENESIS } from '../../policy/file/networks.ts';
import { grantLine, grantsOf } from '../../presentation/grants.ts';
import { type LimitUse, limitUses, mostWords, ofLimit } from '../../presentation/history/limitUse.ts';
import { embeddedPolicy } from '../../review/templates/embedded.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { canHoldLedger } from '../../runtime/ledgerPlace.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { walletOption } from '../keys/wallets/named.ts';
import { columnsFor, wrap } from '../layout.ts';
import { readPolicy } from '../policy/read.ts';
import { timeWords } from '../records/history.ts';
import { placeOf } from '../records/place.ts';

export const limitsCommand: Command = async (input) => {
  const { options, terminal } = input;
  const place = placeOf(input);
  const ledger = canHoldLedger(place) ? openLedger({ ...place, clock: systemClock }) : undefined;
  try {
    const loaded = await policyOf(input, ledger);
    if (loaded === undefined) return 1;
    const { policy, hash } = loaded;
    const network = GENESIS[policy.network] ?? policy.network;
    const only = await walletOption(input);
    const wallets = policy.wallets.filter(({ address }) => only === undefined || address === only);
    if (wallets.length === 0)
      throw new SetupError(`The policy does not name the wallet ${only}.`, 'It signs nothing for it.');
    const uses = await limitUses({ ...policy, wallets }, ledger, network);
    const frozen = ledger && (await allFrozen(ledger));
    const grants = ledger === undefined ? [] : await grantsOf(ledger, { hash, wallet: only });
    if (options.json === true) {
      terminal.print(
        JSON.stringify({ policyId: policy.id, network, frozen: frozen ?? null, limits: uses, grants }),
      );
      return 0;
    }
    const columns = columnsFor(terminal.columns);
    const lines: string[] = [];
    if (frozen !== undefined) {
      lines.push(
        ...wrap(`Signing is frozen since ${timeWords(frozen.since)}: ${frozen.reason}`, columns),
        '',
      );
    }
    for (const { address, label } of wallets) {
      lines.push(wallets.length > 1 ? `${address}  ${label}` : address);
      for (const each of uses) if (each.wallet === address) lines.push(...limitLines(each, columns));
    }
    for (const grant of grants) lines.push(...wrap(grantLine(grant, new Map()), columns));
    for (const line of lines) terminal.print(line);
    return 0;
  } finally {
    await ledger?.close();
  }
};

/**
 * Returns the policy given with `--policy`, otherwise that of the newest sandbox; `undefined` after printing its
 * errors.
 */
async function policyOf(input: CommandInput, ledger: Ledger | undefined): Promise<LoadedPolicy | undefined> {
  const path = textOption(input.options, 'policy');
  if (path !== undefined) return readPolicy(path, input.terminal);
  const newest = (await ledger?.rows('plans', { limit: 50 }))?.find(({ mode }) => mode === 'sandbox');
  if (newest === undefined || input.options.live === true) {
    throw new SetupError(
      'This home has no policy, so it has no limits.',
      'Run `countersign init`, or pass `--policy FILE`.',
    );
  }
  const parsed = parsePolicy(
    JSON.stringify(embeddedPolicy({ wallet: newest.wallet, network: newest.network })),
  );
  return 'errors' in parsed ? undefined : parsed;
}

function limitLines(use: LimitUse, columns: number): string[] {
  const { limitId, window, used, left, frees } = use;
  const amount = (units: string): string => ofLimit(BigInt(units), use);
  const line = (label: string, text: string) => wrap(text, columns, `    ${label.padEnd(7)}`);
  return [
    ...wrap(`${limitId}: ${mostWords(use)} ${window}`, columns, '  ', '    '),
    ...(used === undefined ? line('', 'anew in every transaction') : line('used', amount(used))),
    ...(left === undefined ? [] : line('left', amount(left))),
    ...(frees === undefined ? [] : line('frees', freesWords(frees, amount))),
  ];
}

const freesWords = ({ at, amount, all }: NonNullable<LimitUse['frees']>, words: (units: string) => string) =>
  at === all
    ? `all on ${timeWords(Date.parse(at))}`
    : `${words(amount)} on ${timeWords(Date.parse(at))}, all by ${timeWords(Date.parse(all))}`;
