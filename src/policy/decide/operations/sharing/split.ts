/**
 * A changed split: places in the list of earners are written anew, in one stage or several. What is on the chain,
 * changed by every stage that has not landed, must be exactly the list that was asked for.
 */
import { percent } from '../../../../base/words.ts';
import type { ActOf, Earner } from '../../../../programs/acts.ts';
import { feeShareConfig } from '../../../../programs/feeShare/accounts.ts';
import { feeShareConfigAddress } from '../../../../programs/feeShare/addresses.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Checklist } from '../../checklist.ts';
import type { DecisionContext } from '../../decisionContext.ts';
import { accountAfter, accountAt } from '../chain.ts';
import { all, type Condition, clause, same, take } from '../clauses.ts';
import { earnersDeposit, tableDeposit } from '../deposits.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import { type Matched, nothing, type OperationRules } from '../operation.ts';
import { askedEarners, askedFormat, textOf } from '../request.ts';
import { runOf } from '../run.ts';
import { recipientsOf, sameEarners } from './config.ts';
import { EARNERS_UNREAD, mayBeSharedElsewhere } from './elsewhere.ts';

export const splitRules: OperationRules = {
  expected: expectedSplit,
  match: (c, list, expected = expectedSplit(c)) => matchSplit(c, expected, list),
  feePayer: 'cosigner',
  formats: askedFormat,
};

function expectedSplit(c: DecisionContext): ExpectedOutcome {
  const { inputs } = c;
  const { request } = inputs.plan;
  const earners = askedEarners(request);
  return {
    mostOut: [],
    mostDeposits: `${earnersDeposit(inputs, earners.length) + tableDeposit(inputs)}`,
    baseMint: textOf(request, 'baseMint') ?? '',
    quoteMint: textOf(request, 'quoteMint') ?? WSOL_MINT,
    earners,
  };
}

function matchSplit(c: DecisionContext, expected: ExpectedOutcome, list: Checklist): Matched {
  const { baseMint = '', quoteMint = WSOL_MINT, earners = [] } = expected;
  const config = feeShareConfigAddress(baseMint, quoteMint);
  const known = accountAt(c, config, feeShareConfig);
  const run = runOf(c);
  // Where another program keeps the config only its own instructions can change it, and who manages it is not read.
  const isElsewhere =
    known === undefined &&
    mayBeSharedElsewhere(c.inputs, c.policy) &&
    !run.all.some(({ act }) => act === 'changeShares');
  list.expect(isElsewhere || known?.manager === c.wallet, 'REQUEST_MISMATCH', 'managesConfig', {
    observed: known?.manager ?? 'none',
    allowed: c.wallet,
  });
  take(
    c,
    run,
    [
      clause('changedSplit', 'changeShares', [isElsewhere ? 0 : 1, earners.length + 1], (act) =>
        all(
          same('configToken', act.base, baseMint),
          same('configQuote', act.quote, quoteMint),
          same('splitManager', act.manager, c.wallet),
          same('changePayer', act.payer, c.wallet),
          inPlace(earners, act),
        ),
      ),
    ],
    list,
  );
  if (c.opaque.length === 0 && !isElsewhere) {
    const changes = run.pending.filter((act) => act.act === 'changeShares');
    const after = changes.reduce(written, known?.earners ?? []);
    list.expect(
      sameEarners(after, earners) && changes.findIndex(({ final }) => final) === changes.length - 1,
      'REQUEST_MISMATCH',
      'earnersWritten',
      { observed: difference(after, earners), allowed: difference(earners, after) },
    );
  }
  const own = c.acts.filter((act) => act.act === 'changeShares');
  const after = accountAfter(c, config, feeShareConfig);
  return {
    ...nothing(),
    recipients: recipientsOf(expected),
    mostRent: BigInt(expected.mostDeposits),
    confirmed: after !== undefined && sameEarners(after.earners, own.reduce(written, known?.earners ?? [])),
    ...(isElsewhere ? { hidden: EARNERS_UNREAD } : {}),
    mints: [],
  };
}

/** Each change by itself writes only what was asked for its places: a later one that puts it right may never land (T92). */
function inPlace(wanted: readonly Earner[], { fromIndex, earners }: ActOf<'changeShares'>): Condition {
  const asked = wanted.slice(fromIndex, fromIndex + earners.length);
  return [
    sameEarners(earners, asked),
    () => ({
      wrong: 'earnersInPlaces',
      observed: difference(earners, asked),
      allowed: difference(asked, earners),
    }),
  ];
}

/** The list after one change: the places from `fromIndex` up to `toIndex` make room for the new earners. */
const written = (before: readonly Earner[], { fromIndex, toIndex, earners }: ActOf<'changeShares'>) => [
  ...before.slice(0, fromIndex),
  ...earners,
  ...before.slice(toIndex),
];

/** The first place of a list where it is not as the other, for the record. */
function difference(list: readonly Earner[], other: readonly Earner[]): string {
  const at = list.findIndex(({ wallet, bps }, i) => other[i]?.wallet !== wallet || other[i]?.bps !== bps);
  const earner = list[at];
  return earner === undefined ? `${list.length} earners` : `${earner.wallet} with ${percent(earner.bps)}`;
}
