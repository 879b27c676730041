/** Parts of every launch: texts of the token (T137), its fee share config, and the first buy (T26). */
import type { ActOf, TokenTexts } from '../../../../programs/acts.ts';
import { feeShareConfig } from '../../../../programs/feeShare/accounts.ts';
import { feeShareConfigAddress } from '../../../../programs/feeShare/addresses.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Checklist } from '../../checklist.ts';
import { assetOf, type DecisionContext, formatAmount, mintAt } from '../../decisionContext.ts';
import { accountAt } from '../chain.ts';
import {
  all,
  amountIs,
  type Clause,
  type Condition,
  clause,
  exactly,
  inWords,
  same,
  type Taken,
} from '../clauses.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import { arrivesAtUs, isOwnAccount } from '../ownAccounts.ts';
import { amountOf, textOf } from '../request.ts';
import { isChargedToStage, type Run } from '../run.ts';

const REGISTERED = 'the registered text';

/** Returns the conditions on a token's texts. Name and symbol are unchecked unless this home registered the token. */
export const calledAs = (
  { uri, name, symbol }: Partial<NonNullable<ExpectedOutcome['token']>> = {},
  is: TokenTexts | undefined,
): readonly Condition[] => [
  exactly('metadataLink', is?.uri.length, is?.uri === uri),
  inWords('tokenName', is?.name, name === undefined || is?.name === name, REGISTERED),
  inWords('tokenSymbol', is?.symbol, symbol === undefined || is?.symbol === symbol, REGISTERED),
];

/** Checks that the token's fee share config, which must exist before the launch, is finalized and is the one in the request. */
export function checkShare(
  c: DecisionContext,
  { baseMint = '', quoteMint = WSOL_MINT }: ExpectedOutcome,
  list: Checklist,
): void {
  const address = feeShareConfigAddress(baseMint, quoteMint);
  const named = textOf(c.inputs.plan.request, 'feeShareConfig') ?? address;
  const config = accountAt(c, address, feeShareConfig);
  const isFinished = named === address && config?.isInitFinalized === 1;
  list.expect(isFinished, 'REQUEST_MISMATCH', 'configOfToken', {
    observed: config === undefined ? 'no finished config' : named === address ? config.baseMint : 'another',
    allowed: baseMint,
  });
}

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

/** Builds the clause of the first buy: one swap of exactly `buy` base units in the pool that the same run creates, or none (T26). */
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
