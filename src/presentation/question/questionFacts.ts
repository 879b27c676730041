/**
 * Facts of a question in display order. Page, terminal and client dialogs use the same list, so that all show the
 * same facts. Plain data.
 */
import type { Address } from '../../transaction/types.ts';
import type { Mark } from './marks.ts';

/** Label of a requested value that was not verified in the transaction. */
export interface Marked {
  readonly mark?: Mark;
}

/** A formatted amount. `units` are base units; `asset` is `SOL` or the whole mint address. */
export interface ShownAmount extends Marked {
  readonly asset: string;
  readonly units: string;
  /** Number and unit: `0.5` and `SOL`. */
  readonly number: string;
  readonly unit: string;
  /** Number and unit in one text. */
  readonly words: string;
}

/** A token and its name. Name and symbol are untrusted text, cleaned; `by` is their source. */
export interface ShownToken extends Marked {
  readonly mint: Address;
  readonly name?: string;
  readonly symbol?: string;
  readonly by?: NamedBy;
}

/**
 * Source of a name. `bytes`: written by the transactions. `chain`: written earlier by the token's creator. `agent`:
 * given by the agent only.
 */
export type NamedBy = 'bytes' | 'chain' | 'agent';

/** Severity of a line: `bad` gives away money or control, `warn` is uncertain. */
export type Tone = 'plain' | 'warn' | 'bad';

export interface Line extends Marked {
  readonly text: string;
  readonly tone: Tone;
}

/** A claimer as shown. */
export interface ShownClaimer extends Marked {
  readonly address: Address;
  /** `your wallet`, or the label of the policy's wallets and address book; absent for a stranger. */
  readonly label?: string;
  /** Basis points; absent if unknown. */
  readonly bps?: number;
  /** Current basis points, if a split is changed. */
  readonly before?: number;
}

/** Facts a person must know, by kind. */
export type QuestionFact = WhatFact | MoneyFact | ClaimersFact | LinesFact;

/** Subject of the question; the operation is in the view's title. */
export interface WhatFact {
  readonly kind: 'what';
  readonly tokens: readonly ShownToken[];
  readonly lines: readonly Line[];
}

export interface MoneyFact {
  readonly kind: 'leaves' | 'arrives';
  readonly amounts: readonly ShownAmount[];
  /** Set if "nothing" was not verified in the transaction either. */
  readonly mark?: Mark;
}

export interface ClaimersFact {
  readonly kind: 'claimers';
  /** Claimers shown in full. */
  readonly rows: readonly ShownClaimer[];
  /** Further unknown claimers with one percent or more: never folded. */
  readonly more: readonly ShownClaimer[];
  /** The remaining claimers. */
  readonly folded: readonly ShownClaimer[];
  readonly lines: readonly Line[];
}

export interface LinesFact {
  readonly kind: LineKind;
  readonly lines: readonly Line[];
}

/** Kinds of facts that are only sentences. `costs`: parts of the payment, and refundable deposits. */
export type LineKind =
  | 'unusual'
  | 'control'
  | 'terms'
  | 'price'
  | 'costs'
  | 'final'
  | 'later'
  | 'halfway'
  | 'exposed'
  | 'open';

/** Headings of the kinds. */
export const HEADINGS: Readonly<Record<QuestionFact['kind'], string>> = {
  what: 'What it is',
  unusual: 'Unusual',
  control: 'Control',
  leaves: 'Leaves',
  arrives: 'Arrives',
  price: 'Price',
  costs: 'Costs',
  terms: 'Terms',
  claimers: 'Who earns',
  final: 'Cannot be undone',
  later: 'Could change later',
  halfway: 'If it stops halfway',
  exposed: 'Exposed',
  open: 'Not certain',
};

/** Returns the amounts of one side. */
export const amountsOf = (facts: readonly QuestionFact[], kind: MoneyFact['kind']): readonly ShownAmount[] =>
  facts.flatMap((fact) => (fact.kind === kind ? fact.amounts : []));

/** Texts for a side without amounts. */
export const NO_AMOUNT: Readonly<Record<MoneyFact['kind'], string>> = {
  leaves: 'nothing',
  arrives: 'nothing has to arrive',
};

/** Prefixes of bounds. */
export const BOUND: Readonly<Record<MoneyFact['kind'], string>> = { leaves: 'at most', arrives: 'at least' };

/** Constructors of lines by severity. */
export const plain = (text: string): Line => ({ text, tone: 'plain' });
export const warn = (text: string): Line => ({ text, tone: 'warn' });
export const bad = (text: string): Line => ({ text, tone: 'bad' });

/** Labels of name sources. */
export const NAMED_BY: Readonly<Record<NamedBy, string>> = {
  bytes: 'name chosen by the agent',
  chain: 'name chosen by its creator',
  agent: 'name given by the agent',
};

/** Returns name and symbol of a token: `“Once” (ONCE)`; absent if it has neither. */
export function tokenWords({ name, symbol }: Pick<ShownToken, 'name' | 'symbol'>): string | undefined {
  if (name === undefined || symbol === undefined || name === symbol) {
    const one = name ?? symbol;
    return one === undefined ? undefined : `“${one}”`;
  }
  return `“${name}” (${symbol})`;
}
