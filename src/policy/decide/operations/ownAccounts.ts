/**
 * Clauses shared by all operations: opening and closing the wallet's token accounts, wrapping and unwrapping SOL, and tips.
 * Only a tip pays another key.
 */
import type { ActOf, Holder } from '../../../programs/acts.ts';
import { associatedTokenAddress } from '../../../transaction/derive.ts';
import { TOKEN_PROGRAM, TOKEN_PROGRAMS, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import {
  type DecisionContext,
  formatAmount,
  isControlledByOthers,
  rentOf,
  tokenAccountAt,
} from '../decisionContext.ts';
import {
  all,
  amountIs,
  atMost,
  type Clause,
  type Condition,
  clause,
  inWords,
  same,
  take,
} from './clauses.ts';
import { nothing, type OperationRules } from './operation.ts';
import { amountOf, textOf } from './request.ts';
import { runOf } from './run.ts';

/** Size of a Token program account, in bytes. */
const TOKEN_ACCOUNT_BYTES = 165;
/** Name of the clause that unwraps SOL. */
export const UNWRAPPING = 'unwrapping';

/** Returns the wallet's associated token accounts of a mint, one per token program. */
const associated = (c: DecisionContext, mint: Address): readonly Address[] =>
  TOKEN_PROGRAMS.map((program) => associatedTokenAddress(c.wallet, mint, program));

/**
 * Whether an account is the wallet's token account of a mint: by its state on chain or, if it does not exist yet, because
 * this transaction opens it for the wallet or because it is the associated address.
 */
export function isOwnAccount(c: DecisionContext, { account, owner }: Holder, mint: Address): boolean {
  const state = tokenAccountAt(c, account);
  if (state !== undefined) return state.owner === c.wallet && state.mint === mint;
  if (c.accounts.get(account)?.exists) return false;
  return owner === c.wallet || (owner === undefined && associated(c, mint).includes(account));
}

/** Requires that a destination is the wallet's account and that no other key can close it, spend from it or freeze it (T65). */
export function arrivesAtUs(c: DecisionContext, to: Holder, mint: Address): readonly Condition[] {
  const state = tokenAccountAt(c, to.account);
  return [
    inWords('destination', to.account, isOwnAccount(c, to, mint), 'an account of the wallet'),
    [
      state === undefined || !isControlledByOthers(c.own, state),
      () => ({
        wrong: 'ownControl',
        observed: to.account,
        allowed: 'an account only the wallet controls',
        code: 'UNDECLARED_LOSS',
      }),
    ],
  ];
}

/** Builds the clause that opens the wallet's accounts of these mints, paid by the wallet or a sponsor. */
export const ownAccounts = (c: DecisionContext, mints: readonly Address[]): Clause =>
  clause('ownTokenAccount', 'openAccount', [0, 6], (act) => {
    const { kind, owner, mint, payer, account } = act;
    if (kind !== 'token' || owner !== c.wallet || mint === undefined || !mints.includes(mint)) return false;
    // Without a payer, an earlier instruction of this transaction created and funded the account.
    return payer === undefined ? isTemporary(c, account) : payer === c.feePayer || payer === c.wallet;
  });

/** Whether an account is opened for wrapped SOL and closed to the wallet in the same transaction. */
const isTemporary = (c: DecisionContext, account: Address): boolean => {
  const closed = c.acts.some(
    (act) => act.act === 'closeAccount' && act.account.account === account && act.refundTo === c.wallet,
  );
  const opened = c.acts.some(
    (act) => act.act === 'openAccount' && act.account === account && act.mint === WSOL_MINT,
  );
  return closed && opened;
};

/** Builds the clauses that wrap at most `most` lamports in the wallet's own account, and unwrap them. */
export function wrapping(c: DecisionContext, most: bigint): readonly Clause[] {
  return [
    clause('wrapping', 'transfer', [0, 1], ({ asset, from, to, amount }) => {
      if (asset !== 'SOL' || from.account !== c.wallet || !isOwnAccount(c, to, WSOL_MINT)) return false;
      return all(atMost('wrappedAmount', amount, most), ...arrivesAtUs(c, to, WSOL_MINT));
    }),
    clause('wrappingAccount', 'openAccount', [0, 1], ({ kind, owner, payer, account, deposit }) => {
      const made = kind === 'data' && owner === TOKEN_PROGRAM && payer === c.wallet;
      if (!made || typeof deposit !== 'bigint' || !isTemporary(c, account)) return false;
      return all(atMost('wrappedAmount', deposit, most + rentOf(c.inputs, TOKEN_ACCOUNT_BYTES)));
    }),
    clause('wrappedCount', 'nothing', [0, 4], ({ isSync }) => isSync === true),
    clause(UNWRAPPING, 'closeAccount', [0, 2], (act) => unwraps(c, act)),
  ];
}

/** Whether an act closes the wallet's wrapped SOL account to the wallet. */
export const unwraps = (
  c: DecisionContext,
  { account, refundTo, authority }: ActOf<'closeAccount'>,
): boolean => isOwnAccount(c, account, WSOL_MINT) && refundTo === c.wallet && authority === c.wallet;

/** Rules of unwrapping: the wallet's wrapped SOL accounts are closed to the wallet. */
export const unwrapRules: OperationRules = {
  match: (c, list) => {
    take(c, runOf(c), [clause(UNWRAPPING, 'closeAccount', [1, 2], (act) => unwraps(c, act))], list);
    return nothing();
  },
  feePayer: 'wallet',
  formats: () => ['v0'],
};

export interface Tip {
  readonly wallet: Address;
  readonly lamports: bigint;
}

/** Returns the tip of a request, or `undefined` without a wallet or an amount. */
export function tipOf(request: Readonly<Record<string, unknown>>): Tip | undefined {
  const wallet = textOf(request, 'tipWallet');
  const lamports = amountOf(request, 'tipLamports');
  return wallet === undefined || lamports === 0n ? undefined : { wallet, lamports };
}

/**
 * Builds the clauses of the requested tip, paid once in the whole run to a block builder or any other wallet (T23).
 * `rewarded`: whether this stage contains the act that the tip rewards.
 */
export function tipClauses(c: DecisionContext, tip: Tip | undefined, rewarded: boolean): readonly Clause[] {
  if (tip === undefined) return [];
  const fits = (from: Address, to: Address, amount: bigint) => {
    if (from !== c.wallet || (to !== tip.wallet && amount !== tip.lamports)) return false;
    return all(
      same('tipWallet', to, tip.wallet),
      amountIs('tip', amount === tip.lamports, amount, tip.lamports, (units) =>
        formatAmount(c, units, 'SOL'),
      ),
      [rewarded, () => ({ wrong: 'rewardedTip' })],
    );
  };
  return [
    clause('tip', 'tip', [0, 1], ({ from, to, amount }) => fits(from, to, amount)),
    clause('tip', 'transfer', [0, 1], ({ asset, from, to, amount }) =>
      asset === 'SOL' ? fits(from.account, to.account, amount) : false,
    ),
  ];
}
