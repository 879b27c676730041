/**
 * How a person is asked. This layer declares the port; the server implements it for elicitation,
 * the command line for the local page and the commands. No tool can answer an approval.
 */
import type { Expectation, Opened } from '../policy/decide/operations/expectation.ts';
import type { Address } from '../transaction/types.ts';

/** What one approval covers. Its digest is what a stage must fall under when it is signed. */
export interface ApprovalEnvelope {
  readonly network: string;
  readonly wallet: Address;
  readonly policyHash: string;
  readonly intentKey: string;
  readonly requestDigest: string;
  /** Each stage's resolved instructions; blockhash, recent slot and the plan's own table replaced by their roles. */
  readonly stages: readonly EnvelopeStage[];
  /** Over all stages, per asset: the most that may leave, the least that must arrive. Decimal strings, base units. */
  readonly assets: readonly EnvelopeAsset[];
  readonly authorityChanges: readonly string[];
  /**
   * What the whole run may do, where every instruction of it is read: then the approval covers any stage of the run that
   * fits it, and `assets` is a budget that the stages draw on.
   */
  readonly expectation?: Expectation;
  /** What the stages that were shown fix beyond it. */
  readonly opened?: readonly Opened[];
  /** The question this one was asked instead of, because its approval does not count here. */
  readonly instead?: string;
}

/** One stage an approval covers. */
export interface EnvelopeStage {
  readonly id: string;
  /** What the policy says the stage's instructions are, apart from blockhash, slot and the plan's own table. */
  readonly instructionsDigest: string;
  /** The message that was decided when the question was asked. */
  readonly messageSha256: string;
  /** Digest of the whole decision, from which the question is shown. */
  readonly decisionDigest: string;
  /** It could not be simulated when the person was asked: its amounts were shown as "at most". */
  readonly staticOnly: boolean;
  readonly assets: readonly EnvelopeAsset[];
  readonly authorityChanges: readonly string[];
}

/** Base units as decimal strings. */
export interface EnvelopeAsset {
  readonly asset: string;
  readonly mostOut: string;
  readonly leastIn: string;
}

/** One way to reach a person. `ask` only brings the question before them; answers go through the ledger. */
export interface ApprovalChannel {
  readonly name: 'elicitation' | 'page' | 'command';
  /** False where the channel cannot work now (no client support, no owner key, no browser). */
  available(): Promise<boolean>;
  /** Brings the question before a person and returns without waiting for the answer. */
  ask(approvalId: string): Promise<void>;
}
