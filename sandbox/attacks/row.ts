/** A line of the attack table. */
import type { Step } from '../demo/transcript.ts';
import type { Loss } from './world/whatIf.ts';

export interface Row extends Step {
  /** Row of docs/safety.md. */
  readonly row: string;
  /** What the attack does. */
  readonly does: string;
  /** What it would take. */
  readonly takes: string;
  /** Whether the bytes were landed in a trial of the chain. */
  readonly executed: boolean;
  /** The reason if they were not. */
  readonly notExecuted?: string;
  /** Whether anything of this attack was signed. Must be false. */
  readonly signed: boolean;
  /** Reason codes of the policy, or the server's error code. */
  readonly codes: readonly string[];
  readonly expectedCode: string;
  readonly explain: string;
  /** The only check that catches it; `null` if there are several. */
  readonly singleCheck: string | null;
  readonly lostIfSigned?: Loss;
  /** Signature of the landed honest answer to the same request. */
  readonly twinSignature?: string;
}

/** The description of a row's attack. */
export type RowHead = Pick<Row, 'step' | 'row' | 'does' | 'takes' | 'expectedCode'>;

/** Returns the row of a round that threw. */
export function failedRow(head: RowHead, error: unknown): Row {
  return {
    ...head,
    ok: false,
    executed: false,
    signed: false,
    codes: [],
    explain: error instanceof Error ? error.message : String(error),
    singleCheck: null,
  };
}
