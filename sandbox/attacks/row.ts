/** A line of the attack table. */
import type { Step } from '../demo/transcript.ts';
import type { Loss } from './world/whatIf.ts';

export interface Row extends Step {
  /** Row of docs/safety.md. */
  readonly row: string;
  /** What the attack does. */
  readonly does: string;
  /** What it is after. */
  readonly takes: string;
  /** Whether the bytes were landed on a copy of the chain to see what they do. */
  readonly executed: boolean;
  /** Why not, where they were not. */
  readonly notExecuted?: string;
  /** Whether anything of this attack was signed. Must be false. */
  readonly signed: boolean;
  /** The reasons the policy gave, or the code of the error the server gave. */
  readonly codes: readonly string[];
  readonly expectedCode: string;
  readonly explain: string;
  /** The only check that catches it, or `null` when removing any single one would not let it through. */
  readonly singleCheck: string | null;
  readonly lostIfSigned?: Loss;
  /** The signature under which the honest answer to the same request landed. */
  readonly twinSignature?: string;
}

/** What a row says about its attack before it is played. */
export type RowHead = Pick<Row, 'step' | 'row' | 'does' | 'takes' | 'expectedCode'>;

/** A row whose round could not be played to the end. */
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
