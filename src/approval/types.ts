/**
 * Channels to ask a person for approval. The server implements elicitation, the command line the local page and the
 * commands. No tool can answer an approval.
 */
/** One channel to a person. `ask` only shows the question; answers go through the ledger. */
export interface ApprovalChannel {
  readonly name: 'elicitation' | 'page' | 'command';
  /** Returns false while the channel cannot work (no client support, no owner key, no browser). */
  available(): Promise<boolean>;
  /** Shows the question and returns without waiting for the answer. */
  ask(approvalId: string): Promise<void>;
}
