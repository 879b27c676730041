/** Errors of plans, as tools report them. */
import type { ErrorClass } from '../plan/readAnswer.ts';

/**
 * `NOT_FOUND`: no such plan or stage · `WALLET_BUSY`: another process signs for the wallet (F43) ·
 * `NETWORK_MISMATCH`: the plan was made for another chain or mode, or the RPC is on another chain (F36, F55) ·
 * `STOPPING`: the server is shutting down · `SIGNATURE_MISMATCH`: the RPC returned another signature than the one
 * sent · `QUOTE_CONFLICT`: the service gave two quotes the same id · `SIGNER_FAILED`: the signer returned no
 * signature in time · `APPROVAL_REQUIRED`: the owner has to permit the action in the policy first.
 */
export type ExecutionErrorCode =
  | 'NOT_FOUND'
  | 'WALLET_BUSY'
  | 'NETWORK_MISMATCH'
  | 'STOPPING'
  | 'SIGNATURE_MISMATCH'
  | 'QUOTE_CONFLICT'
  | 'SIGNER_FAILED'
  | 'APPROVAL_REQUIRED';

const KNOWN: Readonly<Record<ExecutionErrorCode, { class: ErrorClass; retryable: boolean; hint: string }>> = {
  NOT_FOUND: { class: 'input', retryable: false, hint: 'Use list_plans to see the plans of this wallet.' },
  WALLET_BUSY: {
    class: 'availability',
    retryable: true,
    hint: 'Another process or host is signing for this wallet. Try again later.',
  },
  NETWORK_MISMATCH: {
    class: 'security',
    retryable: false,
    hint: 'Check the RPC URL and the mode. A plan can be submitted only in the mode it was made in.',
  },
  STOPPING: {
    class: 'availability',
    retryable: true,
    hint: 'Nothing is lost: submit the plan again after the restart.',
  },
  SIGNATURE_MISMATCH: {
    class: 'security',
    retryable: false,
    hint: 'The RPC cannot be trusted. Use another one.',
  },
  QUOTE_CONFLICT: {
    class: 'security',
    retryable: false,
    hint: 'Nothing was stored. Ask for a new quote; if it happens again, do not use this service.',
  },
  APPROVAL_REQUIRED: {
    class: 'policy',
    retryable: false,
    hint: 'Nothing was sent. Tell the person: to permit it they add the token to `incorporations` in the policy file and lift any freeze.',
  },
  SIGNER_FAILED: {
    class: 'availability',
    retryable: true,
    hint: 'Nothing was sent, and what was reserved is given back. Tell the person that the signer does not sign; submit the plan again when it does.',
  },
};

/** An error of a plan. Its message contains no untrusted text. */
export class ExecutionError extends Error {
  readonly code: ExecutionErrorCode;
  readonly hint: string;
  readonly retryable: boolean;
  readonly class: ErrorClass;

  constructor(code: ExecutionErrorCode, message: string) {
    super(message);
    this.name = 'ExecutionError';
    this.code = code;
    this.hint = KNOWN[code].hint;
    this.retryable = KNOWN[code].retryable;
    this.class = KNOWN[code].class;
  }
}
