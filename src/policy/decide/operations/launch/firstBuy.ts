/** The first buy of a launch: pays exactly the requested amount, in the pool that the same run creates (T26). */

import type { ActOf } from '../../../../programs/acts.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { assetOf, type DecisionContext, formatAmount, mintAt } from '../../decisionContext.ts';
import { all, amountIs, type Clause, clause, exactly, inWords, same, type Taken } from '../clauses.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import { arrivesAtUs, isOwnAccount } from '../ownAccounts.ts';
import { amountOf } from '../request.ts';
import { isChargedToStage, type Run } from '../run.ts';

/** Returns the amount of the first buy in quote base units. Each endpoint uses one of these fields. */
export const buyOf = (request: Readonly<Record<string, unknown>>): bigint =>
  amountOf(request, 'initialBuyQuoteAmount') +
  amountOf(request, 'initialBuyQuoteRaw') +
  amountOf(request, 'initialBuyLamports');

/**
 * Whether a stage with unsupported instructions may be the one that launches. The request's amounts are attributed once, to
 * the last such stage, and to none if an earlier one may have launched (T76).
 */
export const mayLaunch = (c: DecisionContext, run: Run, mint: Address): boolean =>
  c.opaque.length > 0 &&
  !run.all.some(({ act }) => act === 'createPool') &&
  isChargedToStage(c, run, 'launch', -1, (mintAt(c, mint)?.supply ?? 0n) > 0n);

const NAME = 'firstBuy';

const fromUsToUs = (c: DecisionContext, act: ActOf<'swap'>, quote: Address, base: Address) => [
  same('firstBuyInput', act.input, quote),
  exactly('source', act.source.account, isOwnAccount(c, act.source, quote)),
  ...arrivesAtUs(c, act.destination, base),
  inWords('referralAccount', act.referral, act.referral === undefined, 'no account'),
];

/** Builds the clause of the first buy: one swap of `buy` base units, or none if `buy` is zero. */
export const firstBuy = (
  c: DecisionContext,
  { baseMint = '', quoteMint = WSOL_MINT }: ExpectedOutcome,
  buy: bigint,
  run: Run,
  pool = run.all.find((act) => act.act === 'createPool')?.pool,
): Clause =>
  clause(NAME, 'swap', buy > 0n ? [1, 1] : [0, 0], (act) =>
    all(
      exactly('firstBuyPool', act.pool, pool !== undefined && act.pool === pool, pool),
      amountIs('initialBuy', act.maxIn === buy, act.maxIn, buy, (units) =>
        formatAmount(c, units, assetOf(quoteMint)),
      ),
      same('buyer', act.authority, c.wallet),
      // The accounts of a landed swap are not checked: their ownership may have changed since.
      ...(run.before.includes(act) ? [] : fromUsToUs(c, act, quoteMint, baseMint)),
    ),
  );

/** Returns the minimum output of this stage's first buy, in base units. */
export const firstBuyMinimum = (taken: Taken): bigint =>
  taken.of(NAME, 'swap').reduce((sum, { minOut }) => sum + minOut, 0n);
