/** Trades of one token for another in two swaps, via wrapped SOL. */
import type { ActOf } from '../../../../programs/acts.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import { sum } from '../../amounts.ts';
import type { Checklist } from '../../checklist.ts';
import type { DecisionContext } from '../../decisionContext.ts';
import { type Clause, clause } from '../clauses.ts';
import { UNWRAPPING, unwraps } from '../ownAccounts.ts';
import { expectAmount, type Quote } from './quote.ts';

export type Pair = Pick<Quote, 'inputMint' | 'outputMint'>;

/** Returns the pair that one swap of a trade must exchange: the quoted pair, or wrapped SOL in place of one side. */
export const legOf = (quote: Quote, { input, output }: ActOf<'swap'>): Pair => {
  if (output === WSOL_MINT) return { ...quote, outputMint: WSOL_MINT };
  return input === WSOL_MINT ? { ...quote, inputMint: WSOL_MINT } : quote;
};

/**
 * Checks that the second leg of a token trade spends no wrapped SOL that the wallet already had: it uses a new account, or
 * at most the minimum output of the first leg.
 */
export function checkLegs(
  c: DecisionContext,
  { inputMint, outputMint }: Quote,
  swaps: readonly ActOf<'swap'>[],
  list: Checklist,
): void {
  if (inputMint === WSOL_MINT || outputMint === WSOL_MINT) return;
  const seconds = swaps.filter(({ input }) => input === WSOL_MINT);
  const spent = sum(seconds.map(({ maxIn }) => maxIn));
  const brought = sum(swaps.map(({ output, minOut }) => (output === WSOL_MINT ? minOut : 0n)));
  const isNew = seconds.every(({ source }) => c.accounts.get(source.account)?.exists !== true);
  const amounts = [spent, brought, WSOL_MINT] as const;
  expectAmount(c, list, 'secondLeg', isNew || spent <= brought, amounts);
}

/** Builds the clause that unwraps the SOL between two legs: the account is opened in this transaction and closed to the wallet. */
export const unwrappingOfLegs = (c: DecisionContext): Clause =>
  clause(UNWRAPPING, 'closeAccount', [0, 1], (act) => {
    const { account } = act.account;
    const opens = c.acts.some((each) => each.act === 'openAccount' && each.account === account);
    return opens && c.accounts.get(account)?.exists !== true && unwraps(c, act);
  });
