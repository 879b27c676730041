/**
 * `countersign limits`: of every limit of the policy what is used, what is left, and when it frees again. Reads the
 * policy file and the ledger, nothing else.
 */
import { decimal } from '../../base/words.ts';
import { systemClock } from '../../clock.ts';
import { hasLedger } from '../../ledger/archive/archive.ts';
import { startOf } from '../../ledger/calendar.ts';
import { openLedger } from '../../ledger/sqlite/sqlite.ts';
import type { Ledger, TakenOfLimit } from '../../ledger/types.ts';
import { OPERATIONS, type Operation } from '../../plan/types.ts';
import { countWords } from '../../plan/words.ts';
import { type WindowLimit, windowLimits } from '../../policy/decide/checks/limits.ts';
import { embeddedPolicy } from '../../policy/file/embedded.ts';
import { parsePolicy } from '../../policy/file/file.ts';
import { GENESIS } from '../../policy/file/networks.ts';
import type { Limit, Policy } from '../../policy/file/schema.ts';
import { tokenWords, windowWords } from '../../policy/review/words.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { columnsFor, wrap } from '../layout.ts';
import { readPolicy } from '../policy/read.ts';
import { timeWords } from '../records/history.ts';
import { sol } from './amounts.ts';

/** One limit of one wallet as it stands. Base units or plans, as text. */
interface Standing {
  readonly wallet: string;
  readonly limitId: string;
  readonly of: string;
  /** Base units of an asset, or plans of an operation. */
  readonly kind: 'asset' | 'count';
  readonly window: string;
  readonly max: string;
  /** Absent for a limit of each transaction, which starts anew with every one. */
  readonly used?: string;
  readonly left?: string;
  /** When some of what is used frees first, and how much; `all`: when nothing is used any more. */
  readonly frees?: { readonly at: string; readonly amount: string; readonly all: string };
}

export const limitsCommand: Command = async (input) => {
  const { home, options, terminal } = input;
  const ledger = hasLedger(home) ? openLedger({ home, clock: systemClock }) : undefined;
  try {
    const policy = await policyOf(input, ledger);
    if (policy === undefined) return 1;
    const network = GENESIS[policy.network] ?? policy.network;
    const standings: Standing[] = [];
    for (const { address } of policy.wallets) {
      for (const limit of policy.limits)
        standings.push(await standingOf(limit, policy, ledger, address, network));
    }
    const frozen = await ledger?.frozen();
    if (options.json === true) {
      terminal.print(
        JSON.stringify({ policyId: policy.id, network, frozen: frozen ?? null, limits: standings }),
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
    for (const { address } of policy.wallets) {
      lines.push(address);
      for (const each of standings) if (each.wallet === address) lines.push(...standingLines(each, columns));
    }
    for (const line of lines) terminal.print(line);
    return 0;
  } finally {
    await ledger?.close();
  }
};

/** The policy named with `--policy`; without one, that of the newest sandbox. `undefined` after its errors were told. */
async function policyOf(input: CommandInput, ledger: Ledger | undefined): Promise<Policy | undefined> {
  const path = textOption(input.options, 'policy');
  if (path !== undefined) return (await readPolicy(path, input.terminal))?.policy;
  const newest = (await ledger?.plans({ limit: 50 }))?.find(({ mode }) => mode === 'sandbox');
  if (newest === undefined || input.options.live === true) {
    throw new SetupError('Limits stand in a policy.', 'countersign limits --policy FILE');
  }
  const parsed = parsePolicy(
    JSON.stringify(embeddedPolicy({ wallet: newest.wallet, network: newest.network })),
  );
  return 'errors' in parsed ? undefined : parsed.policy;
}

async function standingOf(
  limit: Limit,
  policy: Policy,
  ledger: Ledger | undefined,
  wallet: string,
  network: string,
): Promise<Standing> {
  const known = {
    wallet,
    limitId: limit.id,
    of: 'asset' in limit ? limit.asset : limit.count,
    kind: 'asset' in limit ? ('asset' as const) : ('count' as const),
    window: windowWords(limit.window),
    max: `${limit.max}`,
  };
  const spec = windowLimits(policy).find(({ id }) => id === limit.id);
  if (spec === undefined) return known;
  const taken = (await ledger?.taken(spec, wallet, network)) ?? [];
  const used = (await ledger?.used([spec], wallet, network))?.[spec.id] ?? 0n;
  const frees = ledger === undefined ? undefined : freesOf(spec, taken, await ledger.time());
  return {
    ...known,
    used: `${used}`,
    left: `${used > spec.max ? 0n : spec.max - used}`,
    ...(frees === undefined ? {} : { frees }),
  };
}

/** When what was taken leaves its window: of a rolling one bit by bit, of a calendar one all at once. */
function freesOf({ window }: WindowLimit, taken: readonly TakenOfLimit[], now: number): Standing['frees'] {
  const [first, last] = [taken[0], taken.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const iso = (time: number) => new Date(time).toISOString();
  if ('rollingMs' in window) {
    return {
      at: iso(first.time + window.rollingMs),
      amount: `${first.amount}`,
      all: iso(last.time + window.rollingMs),
    };
  }
  const next = iso(nextStart(window.calendar, window.timeZone, now));
  return { at: next, amount: `${taken.reduce((sum, { amount }) => sum + amount, 0n)}`, all: next };
}

const HOUR_MS = 3_600_000;
const LONGEST_HOURS = { day: 26, week: 7 * 24 + 2, month: 31 * 24 + 2 } as const;

/** When the next calendar unit of a time zone begins. */
function nextStart(unit: 'day' | 'week' | 'month', timeZone: string, now: number): number {
  const begun = startOf(unit, timeZone, now);
  return startOf(unit, timeZone, begun + LONGEST_HOURS[unit] * HOUR_MS);
}

function standingLines(standing: Standing, columns: number): string[] {
  const { limitId, window, max, used, left, frees } = standing;
  const amount = (units: string): string => ofLimit(BigInt(units), standing);
  const line = (label: string, text: string) => wrap(text, columns, `    ${label.padEnd(7)}`);
  return [
    ...wrap(`${limitId}: at most ${amount(max)} ${window}`, columns, '  ', '    '),
    ...(used === undefined ? line('', 'anew in every transaction') : line('used', amount(used))),
    ...(left === undefined ? [] : line('left', amount(left))),
    ...(frees === undefined ? [] : line('frees', freesWords(frees, amount))),
  ];
}

const freesWords = ({ at, amount, all }: NonNullable<Standing['frees']>, words: (units: string) => string) =>
  at === all
    ? `all on ${timeWords(Date.parse(at))}`
    : `${words(amount)} on ${timeWords(Date.parse(at))}, all by ${timeWords(Date.parse(all))}`;

const U64_MAX = 18_446_744_073_709_551_615n;

function ofLimit(units: bigint, { of, kind }: Standing): string {
  if (kind === 'count') {
    const operation = OPERATIONS.find((known): known is Operation => known === of);
    return countWords(Number(units), operation ?? 'any');
  }
  if (of === 'SOL') return units === U64_MAX ? 'any amount of SOL' : sol(units);
  const token = tokenWords(of);
  return units === U64_MAX ? `any amount of ${token}` : `${decimal(units)} base units of ${token}`;
}
