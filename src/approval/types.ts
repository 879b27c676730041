/**
 * How a person is asked. This layer declares the port; the server implements it for elicitation,
 * the command line for the local page and the commands. No tool can answer an approval.
 */
/** One way to reach a person. `ask` only brings the question before them; answers go through the ledger. */
export interface ApprovalChannel {
  readonly name: 'elicitation' | 'page' | 'command';
  /** False where the channel cannot work now (no client support, no owner key, no browser). */
  available(): Promise<boolean>;
  /** Brings the question before a person and returns without waiting for the answer. */
  ask(approvalId: string): Promise<void>;
}
