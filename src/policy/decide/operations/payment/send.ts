/**
 * Rules of payments: exactly the requested amounts and assets, to the requested wallets or their associated accounts, in
 * one transaction. The locally built transaction is compared with the request like any other (docs/policy.md).
 */
import { paymentsIn } from '../../../../plan/ownPlans.ts';
import type { ActOf } from '../../../../programs/acts.ts';
import { isAddress } from '../../../../transaction/base58.ts';
import { associatedTokenAddress, isOnCurve } from '../../../../transaction/derive.ts';
import { SYSTEM_PROGRAM, WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Checklist } from '../../checklist.ts';
import { type DecisionContext, formatAmount, rentOf, tokenAccountAt } from '../../decisionContext.ts';
import type { Asset } from '../../types.ts';
import { all, amountIs, clause, exactly, same, take, type Verdict } from '../clauses.ts';
import type { ExpectedOutcome } from '../expectedOutcome.ts';
import { type Matched, nothing, type OperationRules } from '../operation.ts';
import { isOwnAccount } from '../ownAccounts.ts';
import { amountOf, textOf } from '../request.ts';
import { runOf } from '../run.ts';
import { recipientsOf } from '../sharing/config.ts';

/** Maximum size of a token account with extensions, in bytes. */
const TOKEN_ACCOUNT_BYTES = 300;

export const sendRules: OperationRules = {
  expected: expectedSend,
  match: matchSend,
  feePayer: 'wallet',
  formats: () => ['v0'],
};

/** A requested payment. */
interface Payment {
  readonly to: Address;
  /** Absent: SOL. */
  readonly mint?: Address;
  readonly amount: bigint;
}

/** Returns the payments of a request; empty if one is invalid or repeats the recipient and asset of another. */
function paymentsOf({ request }: DecisionContext['inputs']['plan']): readonly Payment[] {
  const requested = paymentsIn(request).map(paymentOf);
  const payments = requested.filter((each) => each !== undefined);
  const distinct = new Set(payments.map(({ to, mint }) => `${to} ${mint}`));
  return distinct.size === requested.length ? payments : [];
}

function paymentOf(fields: Readonly<Record<string, unknown>>): Payment | undefined {
  const [to, mint] = ['to', 'tokenMint'].map((name) => textOf(fields, name));
  const amount = amountOf(fields, 'amountRaw');
  const isToken = mint !== undefined && isAddress(mint) && mint !== WSOL_MINT;
  if (to === undefined || !isAddress(to) || amount === 0n || (mint !== undefined && !isToken))
    return undefined;
  return { to, amount, ...(mint === undefined ? {} : { mint }) };
}

/** Sums the payments by asset. */
function leaving(payments: readonly Payment[]): Map<Asset, bigint> {
  const sums = new Map<Asset, bigint>();
  for (const { mint = 'SOL', amount } of payments) sums.set(mint, (sums.get(mint) ?? 0n) + amount);
  return sums;
}

const maxRent = (c: DecisionContext, payments: readonly Payment[]): bigint =>
  BigInt(payments.filter(({ mint }) => mint !== undefined).length) * rentOf(c.inputs, TOKEN_ACCOUNT_BYTES);

function expectedSend(c: DecisionContext): ExpectedOutcome {
  const payments = paymentsOf(c.inputs.plan);
  return {
    maxOut: [...leaving(payments)].map(([asset, amount]) => ({ asset, amount: `${amount}` })),
    maxDeposits: `${maxRent(c, payments)}`,
    ...(payments.length === 0 ? {} : { paid: [...new Set(payments.map(({ to }) => to))] }),
  };
}

function matchSend(c: DecisionContext, list: Checklist, expected = expectedSend(c)): Matched {
  const payments = paymentsOf(c.inputs.plan);
  if (payments.length === 0) {
    list.fail('REQUEST_MISMATCH', 'matchesRequest', { params: { part: 'askedPayment' } });
    return nothing();
  }
  const memo = textOf(c.inputs.plan.request, 'memo');
  for (const to of expected.paid ?? []) checkRecipient(c, to, list);
  const memos = memo === undefined ? 0 : 1;
  take(
    c,
    runOf(c),
    [
      ...payments.map((payment) =>
        clause('payment', 'transfer', [1, 1], (act) =>
          payment.mint === undefined ? paysSol(c, payment, act) : paysToken(c, payment, payment.mint, act),
        ),
      ),
      ...payments.map((payment) =>
        clause('recipientAccount', 'openAccount', [0, 1], (act) => {
          const { to, mint } = payment;
          const { kind, owner, payer, account } = act;
          if (mint === undefined || kind !== 'token' || payer !== c.wallet) return false;
          return all(
            same('newAccountOwner', owner, to),
            same('newAccountToken', act.mint, mint),
            exactly('newAccount', account, account === accountOf(c, payment)),
          );
        }),
      ),
      clause('memo', 'memo', [memos, memos], ({ text }) => all(same('memo', text, memo))),
    ],
    list,
  );
  return {
    ...nothing(),
    recipients: recipientsOf(expected),
    maxOut: leaving(payments),
    maxRent: maxRent(c, payments),
    mints: [...leaving(payments).keys()].filter((asset) => asset !== 'SOL'),
  };
}

/** Checks that a recipient is another wallet: funds sent to a program account may be lost (T112). */
function checkRecipient(c: DecisionContext, to: Address, list: Checklist): void {
  const account = c.accounts.get(to);
  const { exists = false, owner, data, executable } = account ?? {};
  const isWallet = !exists || (owner === SYSTEM_PROGRAM && data === '' && executable !== true);
  list.expect(isOnCurve(to) && isWallet && to !== c.wallet, 'REQUEST_MISMATCH', 'recipientIsWallet', {
    observed: exists ? `${to}, an account of ${owner}` : to,
  });
}

/** Returns the recipient's associated account under the mint's token program; `undefined` for SOL or an unknown mint. */
function accountOf(c: DecisionContext, { to, mint = '' }: Payment): Address | undefined {
  const program = c.accounts.get(mint)?.owner;
  return program === undefined ? undefined : associatedTokenAddress(to, mint, program);
}

function paysSol(c: DecisionContext, { to, amount }: Payment, act: ActOf<'transfer'>): Verdict {
  if (act.asset !== 'SOL') return false;
  return all(
    same('payer', act.from.account, c.wallet),
    same('payee', act.to.account, to),
    amountIs('amount', act.amount === amount, act.amount, amount, (units) => formatAmount(c, units, 'SOL')),
  );
}

function paysToken(
  c: DecisionContext,
  payment: Payment,
  mint: Address,
  { asset, from, to: paid, amount: moved, authority }: ActOf<'transfer'>,
): Verdict {
  const { to, amount } = payment;
  const theirs = accountOf(c, payment);
  const state = tokenAccountAt(c, paid.account);
  const isTheirs =
    state === undefined || (state.owner === to && state.mint === mint && state.state !== 'frozen');
  return all(
    same('token', asset, mint),
    exactly('payer', from.account, isOwnAccount(c, from, mint) && authority === c.wallet, c.wallet),
    same('payee', paid.account, theirs),
    exactly('payeeAccount', state?.owner ?? to, isTheirs, to),
    amountIs('amount', moved === amount, moved, amount, (units) => formatAmount(c, units, mint)),
  );
}
