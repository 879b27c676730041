/**
 * The facts of a question, in the order a person reads them. One list feeds the page, the terminal and a client's own
 * dialog, so that none of them can leave out what another shows. Plain data.
 */
import type { Address } from '../../transaction/types.ts';
import type { Mark } from './marks.ts';

/** Stands beside a value that was asked for and not read from bytes. */
export interface Marked {
  readonly mark?: Mark;
}

/** An amount as shown. `units` are base units; `asset` is `SOL` or the whole mint address. */
export interface ShownAmount extends Marked {
  readonly asset: string;
  readonly units: string;
  /** The amount in a person's units, and what they are: `0.5` and `SOL`. */
  readonly number: string;
  readonly unit: string;
  /** Both in one text. */
  readonly words: string;
}

/** A token, with what it calls itself. Name and symbol are text from outside, cleaned; `by` says whose words they are. */
export interface ShownToken extends Marked {
  readonly mint: Address;
  readonly name?: string;
  readonly symbol?: string;
  readonly by?: NamedBy;
}

/** `bytes`: the transactions write it. `chain`: the token's maker wrote it before. `agent`: the agent's words only. */
export type NamedBy = 'bytes' | 'chain' | 'agent';

/** How much a line weighs: `bad` is about giving away money or control, `warn` about what is not certain. */
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
  /** Basis points; absent where they are not known. */
  readonly bps?: number;
  /** Basis points now, where a split is changed. */
  readonly before?: number;
}

/** What a person must know, by kind. */
export type QuestionFact = WhatFact | MoneyFact | ClaimersFact | LinesFact;

/** What it is: the operation is the view's title. */
export interface WhatFact {
  readonly kind: 'what';
  readonly tokens: readonly ShownToken[];
  readonly lines: readonly Line[];
}

export interface MoneyFact {
  readonly kind: 'leaves' | 'arrives';
  readonly amounts: readonly ShownAmount[];
  /** Where "nothing" was not read from bytes either. */
  readonly mark?: Mark;
}

export interface ClaimersFact {
  readonly kind: 'claimers';
  /** The first few in full. */
  readonly rows: readonly ShownClaimer[];
  /** Strangers with one percent or more who follow: never folded, so that none is overlooked. */
  readonly more: readonly ShownClaimer[];
  /** The rest. */
  readonly folded: readonly ShownClaimer[];
  readonly lines: readonly Line[];
}

export interface LinesFact {
  readonly kind: LineKind;
  readonly lines: readonly Line[];
}

/** Facts made of sentences only. `costs`: the parts of the payment, and the deposits that return. */
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

/** What each kind is called. */
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

/** The amounts of one side. */
export const amountsOf = (facts: readonly QuestionFact[], kind: MoneyFact['kind']): readonly ShownAmount[] =>
  facts.flatMap((fact) => (fact.kind === kind ? fact.amounts : []));

/** Amounts of an asset that has none to show. */
export const NO_AMOUNT: Readonly<Record<MoneyFact['kind'], string>> = {
  leaves: 'nothing',
  arrives: 'nothing has to arrive',
};

/** Bounds, as they stand before an amount. */
export const BOUND: Readonly<Record<MoneyFact['kind'], string>> = { leaves: 'at most', arrives: 'at least' };

/** How much each line weighs. */
export const plain = (text: string): Line => ({ text, tone: 'plain' });
export const warn = (text: string): Line => ({ text, tone: 'warn' });
export const bad = (text: string): Line => ({ text, tone: 'bad' });

/** Whose words a token's name is, as a person reads it. */
export const NAMED_BY: Readonly<Record<NamedBy, string>> = {
  bytes: 'name chosen by the agent',
  chain: 'name chosen by its maker',
  agent: "name by the agent's word",
};

/** A token's name and symbol: `“Once” (ONCE)`. Absent where it has neither. */
export function tokenWords({ name, symbol }: Pick<ShownToken, 'name' | 'symbol'>): string | undefined {
  if (name === undefined || symbol === undefined || name === symbol) {
    const one = name ?? symbol;
    return one === undefined ? undefined : `“${one}”`;
  }
  return `“${name}” (${symbol})`;
}
