/**
 * The two retired configs (docs/contract.md C-LEGACY-01): the terms of a curve, which pay one wallet or two. The program
 * that shares between two is not read: it needs an entry of the policy, its address is derived from the wallets and the
 * token that were asked for, and how much each gets stays open (T94).
 */
import { sharedAuthorityAddress } from '../../../../programs/feeShareV1/addresses.ts';
import { isAddress } from '../../../../transaction/base58.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Checklist } from '../../checklist.ts';
import { type DecisionContext, rentOf } from '../../decisionContext.ts';
import type { Facts } from '../../types.ts';
import { all, clause, same, take } from '../clauses.ts';
import { CURVE_CONFIG_BYTES, mostFees, TOKEN_ACCOUNT_BYTES } from '../deposits.ts';
import type { Expectation } from '../expectation.ts';
import { curvesMade, noMoreTokens } from '../launch/curveAsks.ts';
import { type Bound, nothing, type OperationRules } from '../operation.ts';
import { askedBps, textOf } from '../request.ts';
import { runOf } from '../run.ts';
import { recipientsOf } from './config.ts';

/** Whether a plan came from one of the retired endpoints. */
export const isRetired = ({ plan }: Pick<Facts, 'plan'>): boolean =>
  plan.endpoint === 'createLaunchConfig' || plan.endpoint === 'legacyFeeShareConfig';

export const retiredConfigRules: OperationRules = {
  expected: expectedRetired,
  bind: (c, list, expected = expectedRetired(c)) => bindRetired(c, expected, list),
  feePayer: 'wallet',
  // The retired endpoints take no intent; their bare transactions are older than v1.
  formats: () => ['legacy', 'v0'],
};

/** Bytes of the accounts of a split between two: one each, and the one that earns. */
const [VAULT_BYTES, AUTHORITY_BYTES] = [73, 109];

const HOW_MUCH = 'how much of it each of the two wallets gets: a program that is not read writes it down';

/** Who earns by a request of the retired endpoints, and the key that must stand in the curve's terms for them. */
interface Earning {
  readonly quoteMint: Address;
  readonly wallets: readonly { readonly wallet: Address; readonly bps: number }[];
  readonly feeClaimer: Address | undefined;
}

function earningBy({ endpoint, request, wallet }: Facts['plan']): Earning {
  if (endpoint === 'createLaunchConfig')
    return { quoteMint: WSOL_MINT, wallets: [{ wallet, bps: 10_000 }], feeClaimer: wallet };
  const [one = '', other = '', base = ''] = ['walletA', 'walletB', 'baseMint'].map((name) =>
    textOf(request, name),
  );
  return {
    quoteMint: textOf(request, 'quoteMint') ?? WSOL_MINT,
    wallets: [
      { wallet: one, bps: askedBps(request.walletABps) },
      { wallet: other, bps: askedBps(request.walletBBps) },
    ],
    feeClaimer: [one, other, base].every(isAddress) ? sharedAuthorityAddress(one, other, base) : undefined,
  };
}

function expectedRetired({ facts, wallet, policy }: DecisionContext): Expectation {
  const { quoteMint, wallets } = earningBy(facts.plan);
  const base = textOf(facts.plan.request, 'baseMint');
  const shared =
    wallets.length === 1
      ? 0n
      : rentOf(facts, VAULT_BYTES) * 2n + rentOf(facts, AUTHORITY_BYTES) + rentOf(facts, TOKEN_ACCOUNT_BYTES);
  return {
    version: 1,
    operation: 'config',
    wallet,
    mostOut: [],
    leastIn: [],
    mostDeposits: `${rentOf(facts, CURVE_CONFIG_BYTES) + shared}`,
    mostFees: mostFees(policy, 1),
    ...(base === undefined ? {} : { baseMint: base }),
    quoteMint,
    earners: wallets,
    rights: [],
    open: wallets.length === 1 ? [] : [HOW_MUCH],
  };
}

/** Compares the one transaction of a retired config with the request. */
function bindRetired(c: DecisionContext, expected: Expectation, list: Checklist): Bound {
  const { quoteMint, wallets, feeClaimer } = earningBy(c.facts.plan);
  take(
    c,
    runOf(c),
    [
      clause('terms of the curve', 'createPoolConfig', [1, 1], (act) =>
        all(
          same('quote of the curve', act.quote, quoteMint),
          same('who earns from the curve', act.feeClaimer, feeClaimer),
          same('who pays for the curve', act.payer, c.wallet),
          noMoreTokens(act.terms),
        ),
      ),
    ],
    list,
  );
  return {
    ...nothing(),
    recipients: recipientsOf(expected),
    mostRent: BigInt(expected.mostDeposits),
    unusual: curvesMade(c),
    ...(wallets.length === 1 ? {} : { hidden: HOW_MUCH }),
    mints: [quoteMint],
  };
}
