/**
 * Rules of fee share configs. The stages of the plan together must write exactly the requested claimers and the requested
 * manager (T63).
 */
import { percent } from '../../../../base/format.ts';
import type { ClaimerShare } from '../../../../programs/acts.ts';
import { feeShareConfig } from '../../../../programs/feeShare/accounts.ts';
import { feeShareAuthorityAddress, feeShareConfigAddress } from '../../../../programs/feeShare/addresses.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { add, amountsOf } from '../../amounts.ts';
import type { Checklist } from '../../checklist.ts';
import { type DecisionContext, rentOf } from '../../decisionContext.ts';
import { accountAfter, accountAt } from '../chain.ts';
import { all, clause, exactly, same, take, type Verdict } from '../clauses.ts';
import { CURVE_CONFIG_BYTES, configDeposit, tableDeposit } from '../deposits.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import { askAboutCurve, noMoreTokens, typeConditions, typeOrDefault } from '../launch/terms.ts';
import { type Matched, nothing, type OperationRules, type Recipient } from '../operation.ts';
import { tipClauses, tipOf } from '../ownAccounts.ts';
import {
  countOfClaimers,
  requestedClaimers,
  requestedFormats,
  requestedManager,
  textOf,
} from '../request.ts';
import { isChargedToStage, type Run, runOf } from '../run.ts';
import { CLAIMERS_UNSUPPORTED, canBeSharedElsewhere, isSharedElsewhere } from './elsewhere.ts';

/** Clause of a tip outside the request, to a known tip account. Asks. */
const UNREQUESTED_TIP = 'unnamedTip';

export const configRules: OperationRules = {
  expected: expectedConfig,
  match: (c, list, expected = expectedConfig(c)) => matchConfig(c, expected, list),
  feePayer: 'cosigner',
  formats: requestedFormats,
};

/** Returns the requested config, with the contract's defaults. */
function expectedConfig(c: DecisionContext): ExpectedOutcome {
  const { inputs, wallet } = c;
  const { request } = inputs.plan;
  const claimers = requestedClaimers(request);
  const tip = tipOf(request);
  const partner = textOf(request, 'partner');
  const deposits =
    configDeposit(inputs, claimers.length) + rentOf(inputs, CURVE_CONFIG_BYTES) + tableDeposit(inputs);
  return {
    maxOut: tip === undefined ? [] : [{ asset: 'SOL', amount: `${tip.lamports}` }],
    maxDeposits: `${deposits}`,
    ...(tip === undefined ? {} : { tip: { wallet: tip.wallet, lamports: `${tip.lamports}` } }),
    baseMint: textOf(request, 'baseMint') ?? '',
    quoteMint: textOf(request, 'quoteMint') ?? WSOL_MINT,
    claimers,
    manager: isWithoutManager(c) ? null : requestedManager(request, wallet, claimers),
    ...(partner === undefined ? {} : { partner }),
  };
}

/** Returns the config of the request's token on chain. */
function knownConfig(c: DecisionContext) {
  const { request } = c.inputs.plan;
  const mints = [textOf(request, 'baseMint') ?? '', textOf(request, 'quoteMint') ?? WSOL_MINT] as const;
  return accountAt(c, feeShareConfigAddress(...mints), feeShareConfig);
}

/**
 * Whether no key can change the config: it has a single claimer, the request names no admin, and the plan sets no manager.
 * The recorded config of the live service has this form.
 */
function isWithoutManager(c: DecisionContext): boolean {
  const { request } = c.inputs.plan;
  if (textOf(request, 'admin') !== undefined || countOfClaimers(request) !== 1) return false;
  const known = knownConfig(c);
  if (known !== undefined && known.manager !== null) return false;
  const { all } = runOf(c);
  const isFinal =
    known?.isInitFinalized === 1 ||
    all.some((act) => (act.act === 'createConfig' || act.act === 'extendConfig') && act.final);
  return isFinal && !all.some(({ act }) => act === 'setManager' || act === 'unsupported' || act === 'named');
}

/** Accounts that all acts on one config name. */
interface About {
  readonly config: Address;
  readonly base: Address;
  readonly quote: Address;
  readonly payer: Address;
}

function matchConfig(c: DecisionContext, expected: ExpectedOutcome, list: Checklist): Matched {
  const { baseMint = '', quoteMint = WSOL_MINT, claimers = [], manager, partner } = expected;
  const config = feeShareConfigAddress(baseMint, quoteMint);
  const run = runOf(c);
  const isAbout = (act: About) => [
    same('configToken', act.base, baseMint),
    same('configQuote', act.quote, quoteMint),
    same('configPayer', act.payer, c.wallet),
  ];
  const writes = (act: About & { partner?: Address; claimers: readonly ClaimerShare[] }): Verdict =>
    all(...isAbout(act), same('partner', act.partner, partner));
  const creates = c.acts.some(({ act }) => act === 'createConfig');
  const { request } = c.inputs.plan;
  const isCurve = textOf(request, 'flow') === 'dbc';
  const typeId = textOf(request, 'serviceConfigType');
  const known = knownConfig(c);
  const isElsewhere = isWrittenElsewhere(c, run);
  // Attributes the request's amounts to the stage that creates the config, or may create it by an unsupported instruction.
  const makes =
    creates ||
    (c.opaque.length > 0 &&
      !run.all.some(({ act }) => act === 'createConfig') &&
      c.accounts.get(config)?.exists !== true &&
      isChargedToStage(c, run, 'config', 0, true));
  const taken = take(
    c,
    run,
    [
      ...tipClauses(c, tipOf(request), makes),
      clause(UNREQUESTED_TIP, 'tip', [0, 1], ({ from }) => from === c.wallet && makes),
      clause('feeShareConfig', 'createConfig', [known !== undefined || isElsewhere ? 0 : 1, 1], writes),
      clause('moreClaimers', 'extendConfig', [0, claimers.length], writes),
      clause(
        'manager',
        'setManager',
        [isElsewhere || manager === null || known?.manager === manager ? 0 : 1, 1],
        (act) => all(...isAbout(act), same('manager', act.manager, manager)),
      ),
      clause('curveConfig', 'createPoolConfig', [0, isCurve ? 1 : 0], (act) => {
        const authority = feeShareAuthorityAddress(baseMint, quoteMint);
        const isPermittedClaimer = isElsewhere
          ? isSharedElsewhere(c, run, quoteMint, act.feeClaimer)
          : act.feeClaimer === authority;
        return all(
          same('curveQuote', act.quote, quoteMint),
          exactly('curveClaimer', act.feeClaimer, isPermittedClaimer, authority),
          same('curvePayer', act.payer, c.wallet),
          same('firstSwapFee', act.terms.curve?.isFirstSwapCheap, request.enableFirstSwapWithMinFee === true),
          ...typeConditions(act.terms, typeId, quoteMint),
          noMoreTokens(act.terms),
        );
      }),
    ],
    list,
  );
  const pair = { mint: baseMint, quote: quoteMint };
  for (const act of c.acts)
    if (act.act === 'createPoolConfig') askAboutCurve(c, act, typeOrDefault(typeId), pair, list, true);
  if (c.opaque.length === 0 && !isElsewhere) checkClaimers(run, known?.claimers ?? [], claimers, list);
  const tips = taken.of(UNREQUESTED_TIP, 'tip');
  const maxOut = amountsOf(makes || c.opaque.length === 0 ? expected.maxOut : []);
  for (const { amount } of tips) add(maxOut, 'SOL', amount);
  return {
    ...nothing(),
    recipients: recipientsOf(expected),
    unnamed: tips.map(({ to, amount }) => ({ why: UNREQUESTED_TIP, to, asset: 'SOL', amount })),
    maxOut,
    maxRent: BigInt(expected.maxDeposits),
    confirmed: isConfirmed(c, config, known?.claimers ?? [], expected),
    ...(isElsewhere ? { hidden: CLAIMERS_UNSUPPORTED } : {}),
    mints: [quoteMint],
  };
}

/** Whether another program may write this config: the policy names one for this quote, and the run has no fee share acts. */
const isWrittenElsewhere = ({ inputs, policy }: DecisionContext, run: Run): boolean =>
  canBeSharedElsewhere(inputs, policy) &&
  !run.all.some(({ act }) => act === 'createConfig' || act === 'extendConfig' || act === 'setManager');

/** Whether the simulated config contains the claimers written so far, and the manager if this stage sets one. */
function isConfirmed(
  c: DecisionContext,
  config: Address,
  before: readonly ClaimerShare[],
  { claimers = [], manager }: ExpectedOutcome,
): boolean {
  const after = accountAfter(c, config, feeShareConfig);
  if (after === undefined) return false;
  const writes = c.acts.filter((act) => act.act === 'createConfig' || act.act === 'extendConfig');
  const count = writes.reduce((sum, act) => sum + act.claimers.length, before.length);
  const sets = c.acts.some(({ act }) => act === 'setManager');
  return (
    after.claimers.length === count &&
    sameClaimers(after.claimers, claimers.slice(0, count)) &&
    (!writes.some(({ final }) => final) || after.isInitFinalized === 1) &&
    ((!sets && manager !== null) || after.manager === manager)
  );
}

/** Returns the recipients that a rule may have to allow: claimers, manager, partner, fee claimer, tip and payees. */
export function recipientsOf(expectedOutcome: ExpectedOutcome): readonly Recipient[] {
  const { claimers = [], manager, partner, feeClaimer, tip, paid = [] } = expectedOutcome;
  const recipients = claimers.map(({ wallet }): Recipient => ({ address: wallet, role: 'claimer' }));
  if (manager !== undefined && manager !== null) recipients.push({ address: manager, role: 'admin' });
  if (partner !== undefined) recipients.push({ address: partner, role: 'partner' });
  if (feeClaimer !== undefined) recipients.push({ address: feeClaimer, role: 'feeClaimer' });
  if (tip !== undefined) recipients.push({ address: tip.wallet, role: 'tip' });
  recipients.push(...paid.map((address): Recipient => ({ address, role: 'recipient' })));
  return recipients;
}

/**
 * Checks that the claimers on chain, followed by those the stages write, equal the requested list. A plan that continues a
 * config writes the rest of the list.
 */
function checkClaimers(
  run: Run,
  before: readonly ClaimerShare[],
  wanted: readonly ClaimerShare[],
  list: Checklist,
): void {
  const written: ClaimerShare[] = [];
  let finals = 0;
  for (const act of run.all) {
    if (act.act !== 'createConfig' && act.act !== 'extendConfig') continue;
    written.push(...act.claimers);
    if (act.final) finals += 1;
  }
  const start = wanted.length - written.length;
  const fits =
    before.length >= start &&
    sameClaimers(before, wanted.slice(0, before.length)) &&
    sameClaimers(written, wanted.slice(start));
  const first = fits
    ? -1
    : written.findIndex(({ wallet, bps }, i) => {
        const requested = wanted[start + i];
        return requested?.wallet !== wallet || requested.bps !== bps;
      });
  list.expect(fits, 'REQUEST_MISMATCH', 'claimersWritten', {
    observed: first < 0 ? `${written.length} claimers` : words(written[first]),
    allowed: first < 0 ? `${wanted.length} claimers` : words(wanted[start + first]),
  });
  list.expect(finals === (written.length === 0 ? 0 : 1), 'REQUEST_MISMATCH', 'claimersEnded', {
    observed: `${finals} times`,
  });
}

/** Whether two lists name the same claimers with the same shares in the same order. */
export function sameClaimers(one: readonly ClaimerShare[], other: readonly ClaimerShare[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 1) {
    if (one[i]?.wallet !== other[i]?.wallet || one[i]?.bps !== other[i]?.bps) return false;
  }
  return true;
}

const words = (claimer: ClaimerShare | undefined): string =>
  claimer === undefined ? 'no claimer' : `${claimer.wallet} with ${percent(claimer.bps)}`;
