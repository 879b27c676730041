/**
 * Clauses every operation shares: the wallet's own token accounts come and go, SOL is wrapped and unwrapped, a tip is
 * paid. None of them gives anything to another key but the tip.
 */
import type { ActOf, Holder } from '../../../programs/acts.ts';
import { associatedTokenAddress } from '../../../transaction/derive.ts';
import { TOKEN_PROGRAM, TOKEN_PROGRAMS, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import {
  type DecisionContext,
  othersCanTake,
  rentOf,
  saidAmount,
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

/** Bytes of a token account of the Token program. */
const TOKEN_ACCOUNT_BYTES = 165;
/** The clause that takes wrapped SOL out of an account of the wallet. */
export const UNWRAPPING = 'unwrapping';

/** The wallet's associated token accounts of a mint, under either token program. */
const associated = (c: DecisionContext, mint: Address): readonly Address[] =>
  TOKEN_PROGRAMS.map((program) => associatedTokenAddress(c.wallet, mint, program));

/**
 * Whether an account is the wallet's own account of a mint: as the chain shows it; else opened for the wallet earlier
 * in the same transaction, or its associated address where nothing is yet.
 */
export function isOwnAccount(c: DecisionContext, { account, owner }: Holder, mint: Address): boolean {
  const state = tokenAccountAt(c, account);
  if (state !== undefined) return state.owner === c.wallet && state.mint === mint;
  if (c.accounts.get(account)?.exists) return false;
  return owner === c.wallet || (owner === undefined && associated(c, mint).includes(account));
}

/** What is sent to an account of ours stays ours: no other key can close it, spend from it or keep it frozen (T65). */
export function arrivesAtUs(c: DecisionContext, to: Holder, mint: Address): readonly Condition[] {
  const state = tokenAccountAt(c, to.account);
  return [
    inWords('destination', to.account, isOwnAccount(c, to, mint), 'an account of the wallet'),
    [
      state === undefined || !othersCanTake(c.own, state),
      () => ({
        wrong: 'ownControl',
        observed: to.account,
        allowed: 'an account only the wallet controls',
        code: 'UNDECLARED_LOSS',
      }),
    ],
  ];
}

/** The wallet's accounts of these mints are opened, by the wallet or by a sponsor. */
export const ownAccounts = (c: DecisionContext, mints: readonly Address[]): Clause =>
  clause('ownTokenAccount', 'openAccount', [0, 6], (act) => {
    const { kind, owner, mint, payer, account } = act;
    if (kind !== 'token' || owner !== c.wallet || mint === undefined || !mints.includes(mint)) return false;
    // Opened by its own instruction, the account was made earlier in this transaction and paid for there.
    return payer === undefined ? isTemporary(c, account) : payer === c.feePayer || payer === c.wallet;
  });

/** An account with its lamports made for wrapped SOL, and closed to the wallet in the same transaction. */
const isTemporary = (c: DecisionContext, account: Address): boolean => {
  const closed = c.acts.some(
    (act) => act.act === 'closeAccount' && act.account.account === account && act.refundTo === c.wallet,
  );
  const opened = c.acts.some(
    (act) => act.act === 'openAccount' && act.account === account && act.mint === WSOL_MINT,
  );
  return closed && opened;
};

/** SOL goes into the wallet's own wrapped account, `most` lamports at most, and comes out of it again. */
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

/** The wallet's own account of wrapped SOL is closed, and what is in it goes to the wallet. */
export const unwraps = (
  c: DecisionContext,
  { account, refundTo, authority }: ActOf<'closeAccount'>,
): boolean => isOwnAccount(c, account, WSOL_MINT) && refundTo === c.wallet && authority === c.wallet;

/** Wrapped SOL becomes SOL: accounts of it are closed to the wallet, and nothing else. */
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

/** The tip a request offers; none without a wallet or an amount. */
export function tipOf(request: Readonly<Record<string, unknown>>): Tip | undefined {
  const wallet = textOf(request, 'tipWallet');
  const lamports = amountOf(request, 'tipLamports');
  return wallet === undefined || lamports === 0n ? undefined : { wallet, lamports };
}

/**
 * The tip that was asked for, once in the whole run, to a block builder or to any other wallet (T23). It goes with the
 * act it rewards: `rewarded` says whether this stage holds that.
 */
export function tipClauses(c: DecisionContext, tip: Tip | undefined, rewarded: boolean): readonly Clause[] {
  if (tip === undefined) return [];
  const fits = (from: Address, to: Address, amount: bigint) => {
    if (from !== c.wallet || (to !== tip.wallet && amount !== tip.lamports)) return false;
    return all(
      same('tipWallet', to, tip.wallet),
      amountIs('tip', amount === tip.lamports, amount, tip.lamports, (units) => saidAmount(c, units, 'SOL')),
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
