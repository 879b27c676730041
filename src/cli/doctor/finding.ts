/** One row of `countersign doctor`. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
  /** The command that fixes it. */
  readonly next?: string | undefined;
}

export const good = (what: string, detail: string): Finding => ({ what, ok: true, detail });
export const bad = (what: string, detail: string, next?: string): Finding => ({
  what,
  ok: false,
  detail,
  next,
});
