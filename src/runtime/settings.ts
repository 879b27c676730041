/** The settings of one run of `countersign`: each from its option or its environment variable. */
import type { ProfileName } from '../contract/profiles/index.ts';
import type { Mode } from '../plan/types.ts';
import type { Environment } from '../secrets/home.ts';

export interface Settings {
  readonly mode: Mode;
  readonly profile: ProfileName;
  /** Absolute; nothing is created there before the first write. */
  readonly home: string;
  readonly env: Environment;
  /** The address of a PostgreSQL that holds the ledger, instead of the file of the home. It may hold a password. */
  readonly ledger?: string | undefined;
  readonly rootUrl?: string | undefined;
  readonly rpcUrl?: string | undefined;
  /** A second RPC that must agree above the policy's threshold. */
  readonly secondRpcUrl?: string | undefined;
  readonly policy?: string | undefined;
  /** Label or address of the one wallet of the home that is served; otherwise all are. Live mode only. */
  readonly wallet?: string | undefined;
  /** URLs of webhooks, separated by spaces. */
  readonly webhook?: string | undefined;
  /** Webhooks are told the statement of a question: amounts, parties, names. */
  readonly webhookDetails?: boolean;
  readonly secretStore?: string | undefined;
  /** A module that signs instead of the wallets of the secret store. Live mode only. */
  readonly signer?: string | undefined;
  /** Folder that local images may be read from. */
  readonly images?: string | undefined;
  /** Where the page links a transaction to: an address with `{signature}` in it, or `none`. */
  readonly explorer?: string | undefined;
  /** For the embedded sandbox only. */
  readonly seed?: string | undefined;
  /** Milliseconds a block of the embedded chain takes. */
  readonly slotMs?: number | undefined;
}
