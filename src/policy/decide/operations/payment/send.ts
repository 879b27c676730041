/**
 * A payment to another wallet: exactly the amount that was asked for, of the asset that was asked for, to the key that was
 * asked for or its associated account. The bytes are compared with the request as if a stranger had built them (docs/policy.md).
 */
import type { ActOf } from '../../../../programs/acts.ts';
import { isAddress } from '../../../../transaction/base58.ts';
import { associatedTokenAddress, isOnCurve } from '../../../../transaction/derive.ts';
import { SYSTEM_PROGRAM, WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Checklist } from '../../checklist.ts';
import { type DecisionContext, rentOf, saidAmount, tokenAccountAt } from '../../decisionContext.ts';
import type { Asset } from '../../types.ts';
import { all, amountIs, clause, exactly, same, take, type Verdict } from '../clauses.ts';
import type { Expectation } from '../expectation.ts';
import { type Bound, nothing, type OperationRules } from '../operation.ts';
import { isOwnAccount } from '../own.ts';
import { amountOf, textOf } from '../request.ts';
import { runOf } from '../run.ts';
import { recipientsOf } from '../sharing/config.ts';

/** Bytes of the largest token account a mint's extensions may ask for. */
const TOKEN_ACCOUNT_BYTES = 300;

export const sendRules: OperationRules = {
  expected: expectedSend,
  bind: bindSend,
  feePayer: 'wallet',
  formats: () => ['v0'],
};

/** A payment as it was asked for. */
interface Payment {
  readonly to: Address;
  /** Absent: SOL. */
  readonly mint?: Address;
  readonly amount: bigint;
  readonly memo?: string;
}

function paymentOf({ request }: DecisionContext['facts']['plan']): Payment | undefined {
  const [to, mint, memo] = ['to', 'tokenMint', 'memo'].map((name) => textOf(request, name));
  const amount = amountOf(request, 'amountRaw');
  const isToken = mint !== undefined && isAddress(mint) && mint !== WSOL_MINT;
  if (to === undefined || !isAddress(to) || amount === 0n || (mint !== undefined && !isToken))
    return undefined;
  return { to, amount, ...(mint === undefined ? {} : { mint }), ...(memo === undefined ? {} : { memo }) };
}

const assetOf = ({ mint }: Payment): Asset => mint ?? 'SOL';

const mostRent = (c: DecisionContext, { mint }: Payment): bigint =>
  mint === undefined ? 0n : rentOf(c.facts, TOKEN_ACCOUNT_BYTES);

function expectedSend(c: DecisionContext): Expectation {
  const payment = paymentOf(c.facts.plan);
  return {
    version: 1,
    operation: 'send',
    wallet: c.wallet,
    mostOut: payment === undefined ? [] : [{ asset: assetOf(payment), amount: `${payment.amount}` }],
    leastIn: [],
    mostDeposits: payment === undefined ? '0' : `${mostRent(c, payment)}`,
    ...(payment === undefined ? {} : { recipient: payment.to }),
    ...(payment?.memo === undefined ? {} : { memo: payment.memo }),
    rights: [],
    open: [],
  };
}

function bindSend(c: DecisionContext, list: Checklist, expected = expectedSend(c)): Bound {
  const payment = paymentOf(c.facts.plan);
  if (payment === undefined) {
    list.fail('REQUEST_MISMATCH', 'matchesRequest', { params: { part: 'askedPayment' } });
    return nothing();
  }
  const { to, mint, amount, memo } = payment;
  checkRecipient(c, to, list);
  const memos = memo === undefined ? 0 : 1;
  take(
    c,
    runOf(c),
    [
      clause('payment', 'transfer', [1, 1], (act) =>
        mint === undefined ? paysSol(c, payment, act) : paysToken(c, payment, mint, act),
      ),
      clause('recipientAccount', 'openAccount', [0, 1], (act) => {
        const { kind, owner, payer, account } = act;
        if (mint === undefined || kind !== 'token' || payer !== c.wallet) return false;
        return all(
          same('newAccountOwner', owner, to),
          same('newAccountToken', act.mint, mint),
          exactly('newAccount', account, account === accountOf(c, to, mint)),
        );
      }),
      clause('memo', 'memo', [memos, memos], ({ text }) => all(same('memo', text, memo))),
    ],
    list,
  );
  return {
    ...nothing(),
    recipients: recipientsOf(expected),
    mostOut: new Map([[assetOf(payment), amount]]),
    mostRent: mostRent(c, payment),
    mints: mint === undefined ? [] : [mint],
  };
}

/** What is sent to anything but a wallet may stay there for good (T112). */
function checkRecipient(c: DecisionContext, to: Address, list: Checklist): void {
  const account = c.accounts.get(to);
  const { exists = false, owner, data, executable } = account ?? {};
  const isWallet = !exists || (owner === SYSTEM_PROGRAM && data === '' && executable !== true);
  list.expect(isOnCurve(to) && isWallet && to !== c.wallet, 'REQUEST_MISMATCH', 'recipientIsWallet', {
    observed: exists ? `${to}, an account of ${owner}` : to,
  });
}

/** Where a wallet holds a token, under the program that owns the mint by our own view. */
function accountOf(c: DecisionContext, owner: Address, mint: Address): Address | undefined {
  const program = c.accounts.get(mint)?.owner;
  return program === undefined ? undefined : associatedTokenAddress(owner, mint, program);
}

function paysSol(c: DecisionContext, { to, amount }: Payment, act: ActOf<'transfer'>): Verdict {
  if (act.asset !== 'SOL') return false;
  return all(
    same('payer', act.from.account, c.wallet),
    same('payee', act.to.account, to),
    amountIs('amount', act.amount === amount, act.amount, amount, (units) => saidAmount(c, units, 'SOL')),
  );
}

function paysToken(
  c: DecisionContext,
  { to, amount }: Payment,
  mint: Address,
  { asset, from, to: paid, amount: moved, authority }: ActOf<'transfer'>,
): Verdict {
  const theirs = accountOf(c, to, mint);
  const state = tokenAccountAt(c, paid.account);
  const isTheirs =
    state === undefined || (state.owner === to && state.mint === mint && state.state !== 'frozen');
  return all(
    same('token', asset, mint),
    exactly('payer', from.account, isOwnAccount(c, from, mint) && authority === c.wallet, c.wallet),
    same('payee', paid.account, theirs),
    exactly('payeeAccount', state?.owner ?? to, isTheirs, to),
    amountIs('amount', moved === amount, moved, amount, (units) => saidAmount(c, units, mint)),
  );
}
