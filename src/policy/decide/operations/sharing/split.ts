/**
 * Rules of split changes: ranges of the claimer list are replaced, in one stage or several. The list on chain, with the
 * changes of all pending stages, must equal the requested list.
 */
import { percent } from '../../../../base/format.ts';
import type { ActOf, ClaimerShare } from '../../../../programs/acts.ts';
import { feeShareConfig } from '../../../../programs/feeShare/accounts.ts';
import { feeShareConfigAddress } from '../../../../programs/feeShare/addresses.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Checklist } from '../../checklist.ts';
import type { DecisionContext } from '../../decisionContext.ts';
import { accountAfter, accountAt } from '../chain.ts';
import { all, type Condition, clause, same, take } from '../clauses.ts';
import { claimersDeposit, tableDeposit } from '../deposits.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import { type Matched, nothing, type OperationRules } from '../operation.ts';
import { requestedClaimers, requestedFormats, textOf } from '../request.ts';
import { runOf } from '../run.ts';
import { recipientsOf, sameClaimers } from './config.ts';
import { CLAIMERS_UNSUPPORTED, canBeSharedElsewhere } from './elsewhere.ts';

export const splitRules: OperationRules = {
  expected: expectedSplit,
  match: (c, list, expected = expectedSplit(c)) => matchSplit(c, expected, list),
  feePayer: 'cosigner',
  formats: requestedFormats,
};

function expectedSplit(c: DecisionContext): ExpectedOutcome {
  const { inputs } = c;
  const { request } = inputs.plan;
  const claimers = requestedClaimers(request);
  return {
    maxOut: [],
    maxDeposits: `${claimersDeposit(inputs, claimers.length) + tableDeposit(inputs)}`,
    baseMint: textOf(request, 'baseMint') ?? '',
    quoteMint: textOf(request, 'quoteMint') ?? WSOL_MINT,
    claimers,
  };
}

function matchSplit(c: DecisionContext, expected: ExpectedOutcome, list: Checklist): Matched {
  const { baseMint = '', quoteMint = WSOL_MINT, claimers = [] } = expected;
  const config = feeShareConfigAddress(baseMint, quoteMint);
  const known = accountAt(c, config, feeShareConfig);
  const run = runOf(c);
  // If another program owns the config, its manager is unknown and only its own instructions can change it.
  const isElsewhere =
    known === undefined &&
    canBeSharedElsewhere(c.inputs, c.policy) &&
    !run.all.some(({ act }) => act === 'changeShares');
  list.expect(isElsewhere || known?.manager === c.wallet, 'REQUEST_MISMATCH', 'managesConfig', {
    observed: known?.manager ?? 'none',
    allowed: c.wallet,
  });
  take(
    c,
    run,
    [
      clause('changedSplit', 'changeShares', [isElsewhere ? 0 : 1, claimers.length + 1], (act) =>
        all(
          same('configToken', act.base, baseMint),
          same('configQuote', act.quote, quoteMint),
          same('splitManager', act.manager, c.wallet),
          same('changePayer', act.payer, c.wallet),
          inPlace(claimers, act),
        ),
      ),
    ],
    list,
  );
  if (c.opaque.length === 0 && !isElsewhere) {
    const changes = run.pending.filter((act) => act.act === 'changeShares');
    const after = changes.reduce(written, known?.claimers ?? []);
    list.expect(
      sameClaimers(after, claimers) && changes.findIndex(({ final }) => final) === changes.length - 1,
      'REQUEST_MISMATCH',
      'claimersWritten',
      { observed: difference(after, claimers), allowed: difference(claimers, after) },
    );
  }
  const own = c.acts.filter((act) => act.act === 'changeShares');
  const after = accountAfter(c, config, feeShareConfig);
  return {
    ...nothing(),
    recipients: recipientsOf(expected),
    maxRent: BigInt(expected.maxDeposits),
    confirmed:
      after !== undefined && sameClaimers(after.claimers, own.reduce(written, known?.claimers ?? [])),
    ...(isElsewhere ? { hidden: CLAIMERS_UNSUPPORTED } : {}),
    mints: [],
  };
}

/** Requires that each change writes the requested claimers of its range: a later correction may never land (T92). */
function inPlace(wanted: readonly ClaimerShare[], { fromIndex, claimers }: ActOf<'changeShares'>): Condition {
  const requested = wanted.slice(fromIndex, fromIndex + claimers.length);
  return [
    sameClaimers(claimers, requested),
    () => ({
      wrong: 'claimersInPlaces',
      observed: difference(claimers, requested),
      allowed: difference(requested, claimers),
    }),
  ];
}

/** Returns the list after one change: the claimers from `fromIndex` up to, not including, `toIndex` are replaced. */
const written = (
  before: readonly ClaimerShare[],
  { fromIndex, toIndex, claimers }: ActOf<'changeShares'>,
) => [...before.slice(0, fromIndex), ...claimers, ...before.slice(toIndex)];

/** Describes the first claimer of a list that differs from the other list. */
function difference(list: readonly ClaimerShare[], other: readonly ClaimerShare[]): string {
  const at = list.findIndex(({ wallet, bps }, i) => other[i]?.wallet !== wallet || other[i]?.bps !== bps);
  const claimer = list[at];
  return claimer === undefined ? `${list.length} claimers` : `${claimer.wallet} with ${percent(claimer.bps)}`;
}
