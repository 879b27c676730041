/**
 * Summarizes facts in one line for lists: token, number of claimers, maximum outgoing and minimum incoming amounts.
 */
import { several, shortAddress } from '../../base/format.ts';
import { UNVERIFIED } from './marks.ts';
import { amountsOf, BOUND, type QuestionFact, type ShownAmount, tokenWords } from './questionFacts.ts';

/** Returns `“Once” (ONCE): 2 wallets earn; at most 0.52 SOL leaves`. */
export function briefWords({
  facts,
  read,
}: {
  readonly facts: readonly QuestionFact[];
  readonly read: boolean;
}): string {
  const [leaves, arrives] = [amountsOf(facts, 'leaves'), amountsOf(facts, 'arrives')];
  const inAmounts = new Set([...leaves, ...arrives].map(({ asset }) => asset));
  // Omits tokens that an amount already names.
  const tokens = facts
    .flatMap((fact) => (fact.kind === 'what' ? fact.tokens : []))
    .filter(({ mint }) => !inAmounts.has(mint));
  const named = tokens.map((token) => tokenWords(token) ?? `token ${shortAddress(token.mint)}`);
  const claimers = facts.flatMap((fact) =>
    fact.kind === 'claimers' ? [...fact.rows, ...fact.more, ...fact.folded] : [],
  );
  const moves = [
    ...(claimers.length === 0
      ? []
      : [`${several(claimers.length, 'wallet')} ${claimers.length === 1 ? 'earns' : 'earn'}`]),
    leaves.length === 0 ? 'nothing leaves' : `${BOUND.leaves} ${sumWords(leaves)} leaves`,
    ...(arrives.length === 0 ? [] : [`${BOUND.arrives} ${sumWords(arrives)} arrives`]),
  ].join('; ');
  return `${named.length === 0 ? '' : `${named.join(', ')}: `}${moves}${read ? '' : ` (${UNVERIFIED})`}`;
}

const sumWords = (amounts: readonly ShownAmount[]): string => amounts.map(({ words }) => words).join(' and ');
