/** One row of `countersign doctor`. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
  /** The command that fixes it. */
  readonly next?: string | undefined;
}
