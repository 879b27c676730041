/** Settings of one run of `countersign`, each from its option or environment variable. */
import type { ProfileName } from '../contract/profiles/index.ts';
import type { Mode } from '../plan/types.ts';
import type { Environment } from '../secrets/home.ts';

export interface Settings {
  readonly mode: Mode;
  readonly profile: ProfileName;
  /** Absolute path; the folder is created by the first write. */
  readonly home: string;
  readonly env: Environment;
  /** Address of a PostgreSQL database that holds the ledger instead of the home's file. It may contain a password. */
  readonly ledger?: string | undefined;
  readonly rootUrl?: string | undefined;
  readonly rpcUrl?: string | undefined;
  /** A second RPC that must agree above the policy's threshold. */
  readonly secondRpcUrl?: string | undefined;
  readonly policy?: string | undefined;
  /** Label or address of the only wallet to serve; all by default. Live mode only. */
  readonly wallet?: string | undefined;
  /** URLs of webhooks, separated by spaces. */
  readonly webhook?: string | undefined;
  /** Whether webhooks receive the statement of a question: amounts, parties, names. */
  readonly webhookDetails?: boolean;
  readonly secretStore?: string | undefined;
  /** A module that signs instead of the secret store's wallets. Live mode only. */
  readonly signer?: string | undefined;
  /** Folder for local images. */
  readonly images?: string | undefined;
  /** Explorer address for transaction links, with `{signature}` in it, or `none`. */
  readonly explorer?: string | undefined;
  /** For the embedded sandbox only. */
  readonly seed?: string | undefined;
  /** Milliseconds per block of the embedded chain. */
  readonly slotMs?: number | undefined;
}
