/** Why the chain could not be asked. The RPC's address is a secret and is never part of a message. */

export type ChainErrorCode =
  | 'RPC_UNREACHABLE'
  | 'RPC_TIMEOUT'
  | 'RPC_BAD_ANSWER'
  | 'RPC_REFUSED'
  /** HTTP 429: too many requests. */
  | 'RPC_RATE_LIMITED'
  /** HTTP 401 or 403: the address lacks a valid key. */
  | 'RPC_UNAUTHORIZED'
  /** The node has not reached the slot a fresh enough view needs. */
  | 'RPC_BEHIND';

const HINTS: Readonly<Record<ChainErrorCode, string>> = {
  RPC_UNREACHABLE: 'Check that the RPC (COUNTERSIGN_RPC_URL) is up, then try again; nothing was lost.',
  RPC_TIMEOUT: 'The RPC is slow or unreachable; try again, nothing was lost.',
  RPC_BAD_ANSWER: 'The RPC answered something a Solana RPC does not; check COUNTERSIGN_RPC_URL.',
  RPC_REFUSED:
    'The RPC refused the call; check that it offers this method and that its limits are not used up.',
  RPC_RATE_LIMITED: 'The RPC limits requests; try again in a moment, or use an RPC with a higher limit.',
  RPC_UNAUTHORIZED: 'The RPC rejects its key; check the key in COUNTERSIGN_RPC_URL.',
  RPC_BEHIND: 'The RPC is behind the chain; try again in a moment.',
};

/** Thrown by every chain access that fails. */
export class ChainError extends Error {
  readonly code: ChainErrorCode;
  readonly hint: string;
  readonly retryable: boolean;
  readonly class = 'availability';
  /** The JSON-RPC error code, where the node gave one. */
  readonly rpcCode: number | undefined;

  constructor(code: ChainErrorCode, message: string, rpcCode?: number) {
    super(message);
    this.name = 'ChainError';
    this.code = code;
    this.hint = HINTS[code];
    this.retryable = code !== 'RPC_REFUSED' && code !== 'RPC_UNAUTHORIZED';
    this.rpcCode = rpcCode;
  }
}
