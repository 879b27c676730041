/**
 * Rules of claims. Pools pay into the launch's fee share, the fee share pays the wallet, or a pool or position pays the
 * wallet directly. The wallet spends only fees and rent, and something must arrive.
 */
import type { ActOf } from '../../../programs/acts.ts';
import {
  feeShareAuthorityAddress,
  partnerConfigAddress,
  userFeeVaultAddress,
} from '../../../programs/feeShare/addresses.ts';
import { userVaultAddress } from '../../../programs/feeShare/userVault.ts';
import { tokenAccountOf } from '../../../programs/token/accounts.ts';
import type { AccountFact } from '../../../rpc/types.ts';
import { associatedTokenAddress } from '../../../transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address, TransactionFormat } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import { type Funding, simulatedEffects } from '../checks/effects.ts';
import { assetOf, type DecisionContext, formatAmount, rentOf } from '../decisionContext.ts';
import type { Asset, DecisionInputs } from '../types.ts';
import { claimNotes, feeShareRent } from '../unsupported/claimed.ts';
import { isLocalChain } from '../unsupported/entries.ts';
import { all, clause, exactly, same, take, type Verdict } from './clauses.ts';
import { TOKEN_ACCOUNT_BYTES } from './deposits.ts';
import type { ExpectedOutcome } from './expectedOutcome.ts';
import { type Matched, nothing, type OperationRules } from './operation.ts';
import { arrivesAtUs, ownAccounts, UNWRAPPING, unwraps, wrapping } from './ownAccounts.ts';
import { textOf } from './request.ts';
import { runOf } from './run.ts';

/** Maximum number of fee share accounts that the payer of a claim may create. */
const MAX_ACCOUNTS = 4n;
const MAX_CLAIMS = 8;
const [COLLECTED, EARNED, FOR_SHARE] = [
  'fees into the fee share',
  'what was earned',
  'account of the fee share',
];

const claim = (feePayer: OperationRules['feePayer'], formats: OperationRules['formats']): OperationRules => ({
  expected: expectedClaim,
  match: (c, list, expected = expectedClaim(c)) => matchClaim(c, expected, list),
  feePayer,
  formats,
});
const declared = ({ stage }: DecisionInputs): readonly TransactionFormat[] =>
  stage.format === 'v1' ? ['v1'] : ['v0'];
const bare = (): readonly TransactionFormat[] => ['legacy', 'v0'];

export const holdingClaimRules = claim('wallet', declared);
export const positionClaimRules = claim('sponsor', declared);
/** Rules of vault claims: of one token, or of all tokens of a deployer. */
export const vaultClaimRules = claim('sponsor', bare);

function expectedClaim(c: DecisionContext): ExpectedOutcome {
  const { request } = c.inputs.plan;
  const base = textOf(request, 'tokenMint') ?? textOf(request, 'baseMint');
  return {
    maxOut: [],
    maxDeposits: c.feePayer === c.wallet ? `${rentOf(c.inputs, TOKEN_ACCOUNT_BYTES) * MAX_ACCOUNTS}` : '0',
    ...(base === undefined ? {} : { baseMint: base }),
    quoteMint: textOf(request, 'quoteMint') ?? WSOL_MINT,
  };
}

function matchClaim(c: DecisionContext, expected: ExpectedOutcome, list: Checklist): Matched {
  const { baseMint, quoteMint = WSOL_MINT } = expected;
  // The request of a deployer claim names no token, so the tokens that arrive are the claimed ones.
  const isAny = c.inputs.plan.operation === 'deployer_claim';
  const named = [quoteMint, ...(baseMint === undefined ? [] : [baseMint])];
  const arrives = arrivingIn(c, isAny ? undefined : named);
  const arrived = new Map(arrives.filter(([, amount]) => amount > 0n));
  const mints = isAny ? tokensOf(c, [...arrived.keys()]) : named;
  const taken = take(
    c,
    runOf(c),
    [
      ownAccounts(c, isAny ? [WSOL_MINT, ...mints] : mints),
      ...(isAny ? wrapping(c, 0n).filter(({ name }) => name !== UNWRAPPING) : []),
      clause(UNWRAPPING, 'closeAccount', [0, 2], (act) => {
        const { account } = act.account;
        const isOther = account !== associatedTokenAddress(c.wallet, WSOL_MINT, TOKEN_PROGRAM);
        return unwraps(c, act) && !(isOther && c.accounts.get(account)?.exists === true);
      }),
      clause(
        FOR_SHARE,
        'openAccount',
        [0, 4],
        (act) =>
          act.kind === 'token' &&
          act.payer === c.feePayer &&
          [...named, ...mints].includes(act.mint ?? '') &&
          feeShareOwners(c, expected).includes(act.owner ?? ''),
      ),
      clause(COLLECTED, 'claim', [0, MAX_CLAIMS], (act) => collects(c, expected, act)),
      clause(EARNED, 'claim', [1, MAX_CLAIMS], (act) => pays(c, mints, expected, act)),
      clause('emptiedVault', 'closeAccount', [0, 2], ({ account: { account, owner }, refundTo }) => {
        const isOurs = account === userVaultAddress(c.wallet);
        const isShare = owner !== undefined && feeShareOwners(c, expected).includes(owner);
        return (isOurs || isShare) && refundTo === c.wallet;
      }),
      clause('userVault', 'openAccount', [0, 1], ({ account, kind, payer }) => {
        return kind === 'data' && account === userVaultAddress(c.wallet) && payer === c.feePayer;
      }),
    ],
    list,
  );
  const paid = [COLLECTED, EARNED].flatMap((name) => taken.of(name, 'claim'));
  const places = paid.flatMap(({ payouts }) => payouts.map(({ to }) => to.account));
  const missing = new Set(places.filter((account) => c.accounts.get(account)?.exists !== true));
  const opened = c.opaque.length === 0 || c.feePayer !== c.wallet ? 0n : feeShareRent(c, named);
  const forOthers =
    c.feePayer !== c.wallet || isLocalChain(c.inputs)
      ? []
      : taken.of(FOR_SHARE, 'openAccount').filter(({ account }) => c.accounts.get(account)?.exists !== true);
  if (hasRun(c)) {
    list.expect(arrived.size > 0, 'UNDECLARED_LOSS', 'claimPays', {
      simulated: true,
      observed: formatAmount(c, arrives[0]?.[1] ?? 0n, arrives[0]?.[0] ?? 'SOL'),
      allowed: 'more than 0',
    });
    askAboutCosts(c, list);
  }
  return {
    ...nothing(),
    unnamed: forOthers.map(({ owner, account }) => ({
      why: 'unnamedAccount',
      to: owner ?? account,
      asset: 'SOL',
      amount: rentOf(c.inputs, TOKEN_ACCOUNT_BYTES),
    })),
    minIn: arrived,
    // An unsupported program may only create accounts of the fee share at the wallet's expense.
    maxRent:
      c.opaque.length === 0 || c.feePayer !== c.wallet
        ? BigInt(expected.maxDeposits)
        : rentOf(c.inputs, TOKEN_ACCOUNT_BYTES) * BigInt(missing.size) + opened,
    beside: claimNotes(c, opened),
    reach: isAny ? [WSOL_MINT, ...mints] : mints,
    mints: isAny ? mints : [quoteMint],
  };
}

/**
 * Returns the tokens of a claim whose request names none: those that arrive and, if every instruction is supported, those
 * that the claims pay. Excludes SOL. An unsupported program may not use accounts of other tokens (T71).
 */
function tokensOf(c: DecisionContext, arrived: readonly Asset[]): readonly Address[] {
  const claims = c.opaque.length > 0 ? [] : c.acts.filter((act) => act.act === 'claim');
  const paid = claims.flatMap(({ payouts }) => payouts.map(({ asset }) => asset));
  return [...new Set([...arrived, ...paid])].filter((asset) => asset !== 'SOL');
}

/** Returns the fee share program's addresses that own fee accounts of this launch or wallet. */
function feeShareOwners(
  { wallet }: DecisionContext,
  { baseMint, quoteMint = WSOL_MINT }: ExpectedOutcome,
): Address[] {
  return [
    partnerConfigAddress(wallet),
    ...(baseMint === undefined
      ? []
      : [feeShareAuthorityAddress(baseMint, quoteMint), userFeeVaultAddress(wallet, baseMint, quoteMint)]),
  ];
}

/** Matches a claim that moves pool fees into the requested launch's fee share. Any wallet may trigger it. */
function collects(
  c: DecisionContext,
  expected: ExpectedOutcome,
  { beneficiary, payouts }: ActOf<'claim'>,
): Verdict {
  if (beneficiary !== undefined) return false;
  const [first] = payouts;
  const [authority] = feeShareOwners(c, expected).slice(1);
  return all(same('feeOwner', first?.to.owner, authority));
}

/** Matches a claim by the wallet, of the requested token, paid into the wallet's accounts. */
function pays(
  c: DecisionContext,
  mints: readonly Address[],
  { baseMint }: ExpectedOutcome,
  { base, beneficiary, payouts }: ActOf<'claim'>,
): Verdict {
  if (beneficiary === undefined) return false;
  const among = (asset: Asset) => asset === 'SOL' || mints.includes(asset);
  return all(
    same('claimant', beneficiary, c.wallet),
    exactly('claimedToken', base, base === undefined || base === baseMint, baseMint),
    ...payouts.flatMap(({ asset, to }) => [
      exactly('paidToken', asset, among(asset), mints[0]),
      ...(asset === 'SOL' ? [same('payee', to.account, c.wallet)] : []),
      ...(asset === 'SOL' ? [] : arrivesAtUs(c, to, asset)),
    ]),
  );
}

const hasRun = ({ inputs: { simulation } }: DecisionContext): boolean =>
  simulation.status === 'done' && simulation.error === null;

/**
 * Returns the simulated gain of each asset in base units: of the given mints, or of every asset that arrives. Excludes the
 * network fee and rent. Empty without a simulation. Instructions do not contain the claimed amounts.
 */
function arrivingIn(
  c: DecisionContext,
  mints: readonly Address[] | undefined,
): readonly (readonly [Asset, bigint])[] {
  const { simulation } = c.inputs;
  if (simulation.status !== 'done' || !hasRun(c)) return [];
  const effects = simulatedEffects(c.own, simulation.before, simulation.after);
  // Rent deposited by an unsupported program does not count toward the claimed amount.
  const rent = c.opaque.length === 0 ? rentOfNew(c, effects.funded) : 0n;
  const paid = c.own.has(c.feePayer)
    ? c.fee.total + rent
    : -givenRent(c, simulation.before, simulation.after);
  const assets = mints?.map(assetOf) ?? [...effects.in.keys()];
  return assets.map((asset) => {
    const gained = (effects.in.get(asset) ?? 0n) - (effects.out.get(asset) ?? 0n);
    return [asset, gained + (asset === 'SOL' ? paid : 0n)];
  });
}

/** Returns the lamports of rent that others pay for new token accounts of the wallet. */
function givenRent(
  c: DecisionContext,
  before: readonly AccountFact[],
  after: readonly AccountFact[],
): bigint {
  const bought = c.acts.flatMap((act) =>
    act.act === 'openAccount' && c.own.has(act.payer ?? '') ? act.account : [],
  );
  return after.reduce((sum, account) => {
    const isNew = before.some(({ address, exists }) => address === account.address && !exists);
    const token = isNew && !bought.includes(account.address) ? tokenAccountOf(account) : undefined;
    if (token === undefined || !c.own.has(token.owner)) return sum;
    return sum + BigInt(account.lamports) - (assetOf(token.mint) === 'SOL' ? token.amount : 0n);
  }, 0n);
}

/**
 * Asks about a claim that costs the wallet more than it brings, counting the network fee and deposits in accounts of others
 * (T182). Other tokens than SOL have no price here, so on a public network any deposit beside them asks.
 */
function askAboutCosts(c: DecisionContext, list: Checklist): void {
  const { simulation } = c.inputs;
  if (simulation.status !== 'done' || !c.own.has(c.feePayer)) return;
  const effects = simulatedEffects(c.own, simulation.before, simulation.after);
  const deposits = rentOfNew(c, effects.funded);
  const costs = c.fee.total + deposits;
  const net = (effects.in.get('SOL') ?? 0n) - (effects.out.get('SOL') ?? 0n);
  const brings = net + costs;
  if (brings > 0n ? net > 0n : deposits === 0n || isLocalChain(c.inputs)) return;
  list.ask('CLAIM_COSTS_MORE', 'claimCosts', {
    observed: `${formatAmount(c, brings, 'SOL')} for ${formatAmount(c, costs, 'SOL')}, of which ${formatAmount(c, deposits, 'SOL')} stays in accounts of others`,
  });
}

/** Returns the lamports of rent in new accounts of others; amounts above the rent-exempt minimum do not count. */
const rentOfNew = ({ inputs }: DecisionContext, funded: readonly Funding[]): bigint =>
  funded.reduce((sum, { from, to, lamports }) => {
    const rent = from === undefined ? rentOf(inputs, to) : 0n;
    return sum + (lamports < rent ? lamports : rent);
  }, 0n);
