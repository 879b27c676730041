/** A sentence of a statement. */

/** The part of a description a sentence belongs to, most important first. */
export type Part =
  | 'what'
  | 'unusual'
  | 'control'
  | 'costs'
  | 'arrives'
  | 'terms'
  | 'final'
  | 'later'
  | 'exposed'
  | 'rehearsed'
  | 'open';
/** `bad`: gives away money or control. `warn`: uncertain, or about an unknown address. */
export type Tone = 'plain' | 'warn' | 'bad';

export interface Sentence {
  readonly part: Part;
  readonly tone: Tone;
  readonly text: string;
}
