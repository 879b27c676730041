/**
 * A launch on the bonding curve: token, metadata, pool and an optional first buy. The pool's terms and the claimers are
 * read from accounts that exist before the launch.
 */
import type { ActOf } from '../../../../programs/acts.ts';
import { poolConfig } from '../../../../programs/dbc/accounts.ts';
import { feeShareAuthorityAddress } from '../../../../programs/feeShare/addresses.ts';
import { termsOfCurve } from '../../../../programs/poolTerms/curve.ts';
import type { CurveConfig } from '../../../../programs/poolTerms/terms.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { type Amounts, add, amountsOf } from '../../amounts.ts';
import type { Checklist } from '../../checklist.ts';
import { type DecisionContext, rentOf } from '../../decisionContext.ts';
import { accountAt } from '../chain.ts';
import { all, clause, exactly, same, take, type Verdict } from '../clauses.ts';
import { madeBytes } from '../deposits.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import type { Matched } from '../operation.ts';
import { ownAccounts, tipClauses, tipOf, wrapping } from '../ownAccounts.ts';
import { textOf } from '../request.ts';
import { runOf } from '../run.ts';
import { recipientsOf } from '../sharing/config.ts';
import { CLAIMERS_UNSUPPORTED, isSharedElsewhere } from '../sharing/elsewhere.ts';
import { buyOf, calledAs, checkShare, firstBuy, firstBuyMinimum, mayLaunch } from './parts.ts';
import { askAboutCurve, requestedType } from './terms.ts';

/** Matches a stage of a curve launch with the request. */
export function matchCurveLaunch(c: DecisionContext, expected: ExpectedOutcome, list: Checklist): Matched {
  const { request } = c.inputs.plan;
  const { baseMint: mint = '', quoteMint = WSOL_MINT, token } = expected;
  const buy = buyOf(request);
  const configKey = textOf(request, 'configKey') ?? '';
  const run = runOf(c);
  const config = configOf(c, configKey, quoteMint, list);
  const isElsewhere = config !== undefined && isSharedElsewhere(c, run, quoteMint, config.feeClaimer);
  if (config !== undefined && !isElsewhere) {
    // Any other claimer would take the fees for good.
    const authority = feeShareAuthorityAddress(mint, quoteMint);
    list.expect(config.feeClaimer === authority, 'REQUEST_MISMATCH', 'curveClaimer', {
      observed: config.feeClaimer,
      allowed: authority,
    });
    checkShare(c, expected, list);
  }
  const launches = (act: ActOf<'createPool'>): Verdict =>
    all(
      same('launchedToken', act.base, mint),
      same('poolQuote', act.quote, quoteMint),
      same('curveConfig', act.config, configKey),
      exactly('poolCreator', act.creator, act.creator === c.wallet || !c.own.has(act.creator)),
      same('poolPayer', act.payer, c.wallet),
      ...calledAs(token, act.token),
    );
  const opens = c.acts.some(({ act }) => act === 'createPool');
  const isIt = opens || mayLaunch(c, run, mint);
  const taken = take(
    c,
    run,
    [
      ...tipClauses(c, tipOf(request), isIt),
      clause('launch', 'createPool', [1, 1], launches),
      ownAccounts(c, [mint, quoteMint]),
      ...(quoteMint === WSOL_MINT ? wrapping(c, buy) : []),
      firstBuy(c, expected, buy, run),
    ],
    list,
  );
  const bought = firstBuyMinimum(taken);
  const minIn: Amounts = new Map();
  add(minIn, mint, bought);
  const [made] = taken.of('launch', 'createPool');
  // The creator of the pool receives the supply that the curve holds back.
  const gets = (config?.terms.curve?.heldBack ?? 0n) > 0n && made?.creator !== c.wallet;
  if (made !== undefined && (gets || !isKnownCreator(c, made.creator)))
    list.ask('PARTY_UNKNOWN', 'poolCreator', { observed: made.creator, allowed: c.wallet });
  const deposits = new Map<Address, bigint>();
  for (const { account, bytes } of made?.makes ?? []) {
    const surcharge = account === made?.surchargeOn ? (made?.surcharge ?? 0n) : 0n;
    deposits.set(account, rentOf(c.inputs, madeBytes(bytes)) + surcharge);
  }
  const isRead = c.opaque.length === 0;
  if (config !== undefined && isIt) {
    const type = requestedType(c, configKey, config.terms.curve?.isFirstSwapCheap, list);
    askAboutCurve(c, config, type, { mint, quote: quoteMint }, list, false);
  }
  const creation = config?.terms.creationFee ?? 0n;
  const maxOut = amountsOf(isIt || isRead ? expected.maxOut : []);
  // If every instruction is supported, a named deposit covers the metadata surcharge.
  if (isIt || isRead) add(maxOut, 'SOL', isRead ? creation : BigInt(expected.surcharges ?? '0'));
  const buys = buy > 0n && (isIt || isRead);
  // Without a fixed supply the curve's prices determine it, and the simulation shows the amount.
  const curve = config?.terms.curve;
  const counted = isRead && curve?.isSupplyFixed === true ? { read: { bought, supply: curve.supply } } : {};
  return {
    recipients: recipientsOf(expected),
    minIn,
    maxOut,
    deposits,
    ...(isRead ? {} : { maxRent: BigInt(expected.maxDeposits) }),
    mints: buy > 0n ? [quoteMint] : [],
    reach: [mint, quoteMint],
    ...(isElsewhere ? { hidden: CLAIMERS_UNSUPPORTED } : {}),
    ...(buys ? { firstBuy: { mint, quoteMint, paid: buy, ...counted } } : {}),
  };
}

/** Whether a key may create the pool without asking: the wallet, or a key in the address book or the service profile. */
const isKnownCreator = ({ inputs, policy, wallet }: DecisionContext, creator: Address): boolean =>
  creator === wallet ||
  [...policy.addressBook, ...inputs.serviceAddresses].some(({ address }) => address === creator);

/** Returns the curve's terms on chain. Records a failure if they are missing or in another quote than requested. */
function configOf(
  c: DecisionContext,
  configKey: Address,
  quoteMint: Address,
  list: Checklist,
): CurveConfig | undefined {
  const config = accountAt(c, configKey, poolConfig);
  list.expect(config !== undefined, 'REQUEST_MISMATCH', 'curveOnChain', { observed: configKey });
  if (config === undefined) return undefined;
  list.expect(config.quoteMint === quoteMint, 'REQUEST_MISMATCH', 'curveQuote', {
    observed: config.quoteMint,
    allowed: quoteMint,
  });
  const terms = termsOfCurve(config);
  list.expect(terms.curve?.mayMintMore === false, 'REQUEST_MISMATCH', 'noMoreTokens', {
    observed: terms.curve?.updater,
  });
  return { terms, leftoverReceiver: config.leftoverReceiver, feeClaimer: config.feeClaimer };
}
