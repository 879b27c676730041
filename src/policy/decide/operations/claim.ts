/**
 * Claims bring money. Pools pay into the launch's fee share, the fee share pays the wallet, or a pool or position pays
 * the wallet itself. Nothing of the wallet leaves but what it pays for its own accounts, and something must arrive.
 */
import type { ActOf } from '../../../programs/acts.ts';
import {
  feeShareAuthorityAddress,
  partnerConfigAddress,
  userFeeVaultAddress,
} from '../../../programs/feeShare/addresses.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address, TransactionFormat } from '../../../transaction/types.ts';
import type { Amounts } from '../amounts.ts';
import type { Checklist } from '../checklist.ts';
import { type Funding, simulatedEffects } from '../checks/effects.ts';
import { assetOf, type DecisionContext, rentOf } from '../decisionContext.ts';
import { all, exactly, type Verdict } from '../profiles/parts.ts';
import { type Bound, nothing, textOf } from '../profiles/profile.ts';
import { simulatedCheck } from '../reasons.ts';
import type { Asset, Facts } from '../types.ts';
import { clause, take } from './clauses.ts';
import { mostFees } from './deposits.ts';
import type { Expectation } from './expectation.ts';
import type { OperationRules } from './operation.ts';
import { arrivesAtUs, ownAccounts, wrapping } from './own.ts';
import { runOf } from './run.ts';

const TOKEN_ACCOUNT_BYTES = 182;
/** Most accounts of the fee share that the payer of a claim may have to make. */
const MOST_ACCOUNTS = 4n;
const MOST_CLAIMS = 8;

const claim = (feePayer: OperationRules['feePayer'], formats: OperationRules['formats']): OperationRules => ({
  expected: expectedClaim,
  bind: (c, list) => bindClaim(c, expectedClaim(c), list),
  feePayer,
  formats,
});
const declared = ({ stage }: Facts): readonly TransactionFormat[] =>
  stage.format === 'v1' ? ['v1'] : ['v0'];
const bare = (): readonly TransactionFormat[] => ['legacy', 'v0'];

export const holdingClaimRules = claim('wallet', declared);
export const positionClaimRules = claim('sponsor', declared);
export const vaultClaimRules = claim('sponsor', bare);

function expectedClaim(c: DecisionContext): Expectation {
  const { request, operation } = c.facts.plan;
  const base = textOf(request, 'tokenMint') ?? textOf(request, 'baseMint');
  return {
    version: 1,
    operation,
    wallet: c.wallet,
    mostOut: [],
    leastIn: [],
    mostDeposits: c.feePayer === c.wallet ? `${rentOf(c.facts, TOKEN_ACCOUNT_BYTES) * MOST_ACCOUNTS}` : '0',
    mostFees: c.feePayer === c.wallet ? mostFees(c.policy, 4) : '0',
    ...(base === undefined ? {} : { baseMint: base }),
    quoteMint: textOf(request, 'quoteMint') ?? WSOL_MINT,
    rights: [],
    open: ['how much has been earned when it lands'],
  };
}

function bindClaim(c: DecisionContext, expected: Expectation, list: Checklist): Bound {
  const { baseMint, quoteMint = WSOL_MINT } = expected;
  const mints = [quoteMint, ...(baseMint === undefined ? [] : [baseMint])];
  take(
    c,
    runOf(c),
    [
      ownAccounts(c, mints),
      ...wrapping(c, 0n).filter(({ name }) => name === 'unwrapping'),
      clause(
        'account of the fee share',
        'openAccount',
        [0, 4],
        (act) =>
          act.kind === 'token' &&
          act.payer === c.feePayer &&
          feeShareOwners(c, expected).includes(act.owner ?? ''),
      ),
      clause('fees into the fee share', 'claim', [0, MOST_CLAIMS], (act) => collects(c, expected, act)),
      clause('what was earned', 'claim', [1, MOST_CLAIMS], (act) => pays(c, mints, expected, act)),
      clause('emptied vault', 'closeAccount', [0, 1], ({ account, refundTo }) => {
        const { owner } = account;
        return owner !== undefined && feeShareOwners(c, expected).includes(owner) && refundTo === c.wallet;
      }),
    ],
    list,
  );
  const arrived = checkArrival(c, mints, list);
  return {
    ...nothing(),
    leastIn: arrived,
    mostRent: BigInt(expected.mostDeposits),
    reach: mints,
    mints: [quoteMint],
  };
}

/** The keys of the fee share program that hold fees of this launch, or of this wallet. */
function feeShareOwners(
  { wallet }: DecisionContext,
  { baseMint, quoteMint = WSOL_MINT }: Expectation,
): Address[] {
  return [
    partnerConfigAddress(wallet),
    ...(baseMint === undefined
      ? []
      : [feeShareAuthorityAddress(baseMint, quoteMint), userFeeVaultAddress(wallet, baseMint, quoteMint)]),
  ];
}

/** Fees of a pool move into the fee share of the launch that was asked for. Any wallet may ask for it. */
function collects(
  c: DecisionContext,
  expected: Expectation,
  { beneficiary, payouts }: ActOf<'claim'>,
): Verdict {
  if (beneficiary !== undefined) return false;
  const [first] = payouts;
  const [authority] = feeShareOwners(c, expected).slice(1);
  return all(exactly('whose fees they are', first?.to.owner, first?.to.owner === authority, authority));
}

/** A claim of the wallet's own, of the token that was asked for, paid into accounts of the wallet. */
function pays(
  c: DecisionContext,
  mints: readonly Address[],
  { baseMint }: Expectation,
  { base, beneficiary, payouts }: ActOf<'claim'>,
): Verdict {
  if (beneficiary === undefined) return false;
  const among = (asset: Asset) => asset === 'SOL' || mints.includes(asset);
  return all(
    exactly('whose claim it is', beneficiary, beneficiary === c.wallet, c.wallet),
    exactly('token of the claim', base, base === undefined || base === baseMint, baseMint),
    ...payouts.flatMap(({ asset, to }) => [
      exactly('what is paid', asset, among(asset), mints[0]),
      ...(asset === 'SOL' ? [exactly('who is paid', to.account, to.account === c.wallet, c.wallet)] : []),
      ...(asset === 'SOL' ? [] : arrivesAtUs(c, to, asset)),
    ]),
  );
}

/**
 * How much has been earned stands in no instruction, so the simulation must show that something arrives. The fee is
 * no part of it, nor is the rent of accounts the wallet makes for the fee share. Returns what arrives, base units by asset; empty without a simulation.
 */
function checkArrival(c: DecisionContext, mints: readonly Address[], list: Checklist): Amounts {
  const { simulation } = c.facts;
  if (simulation.status !== 'done' || simulation.error !== null) return new Map();
  const effects = simulatedEffects(c.own, simulation.before, simulation.after);
  const paid = c.own.has(c.feePayer) ? c.fee.total + rentOfNew(c, effects.funded) : 0n;
  const arrived = (asset: Asset) =>
    (effects.in.get(asset) ?? 0n) - (effects.out.get(asset) ?? 0n) + (asset === 'SOL' ? paid : 0n);
  const shown = mints.map((mint): [Asset, bigint] => [assetOf(mint), arrived(assetOf(mint))]);
  const some = shown.filter(([, amount]) => amount > 0n);
  list.expect(some.length > 0, 'UNDECLARED_LOSS', simulatedCheck('claim pays the wallet'), {
    observed: `${shown[0]?.[1] ?? 0n}`,
    allowed: 'more than 0',
  });
  return new Map(some);
}

/** Rent of accounts of others that this transaction makes, in lamports; what they get above it is no rent. */
const rentOfNew = ({ facts }: DecisionContext, funded: readonly Funding[]): bigint =>
  funded.reduce((sum, { from, to, lamports }) => {
    const rent = from === undefined ? rentOf(facts, to) : 0n;
    return sum + (lamports < rent ? lamports : rent);
  }, 0n);
