/**
 * Backends supply money, keys and rules: the embedded sandbox has its own, the live backend uses the user's setup.
 * All other code is the same for both.
 */
import type { ServiceProfile } from '../../contract/profiles/index.ts';
import type { Mode } from '../../plan/types.ts';
import type { SigningPermit } from '../../secrets/keys/wallet.ts';
import type { SecretStore } from '../../secrets/stores/store.ts';
import type { HomeWallet } from '../../secrets/wallets/wallets.ts';
import type { Address } from '../../transaction/types.ts';
import type { PolicySource } from '../policyFile.ts';

/** A missing or wrong piece of setup. `hint` names the command that fixes it. */
export class SetupError extends Error {
  readonly code = 'NOT_SET_UP';
  readonly class = 'input';
  readonly retryable = false;
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'SetupError';
    this.hint = hint;
  }
}

/** Signs with one wallet. The key may be in this process, another process or a device. */
export interface WalletSigner {
  readonly address: Address;
  /** Returns the 64-byte Ed25519 signature of `message`, which the caller verifies. Rejects if it refuses to sign. */
  sign(message: Uint8Array, permit: SigningPermit): Uint8Array | Promise<Uint8Array>;
  /** Drops the key; the signer cannot sign any more. */
  lock?(): void;
}

/** Parts that an embedding program supplies instead of the home. */
export interface Own {
  readonly secrets?: SecretStore | undefined;
  readonly policy?: PolicySource | undefined;
  /** Live mode only: the sandbox has its own wallet. */
  readonly signer?: WalletSigner | undefined;
}

export interface Backend {
  readonly mode: Mode;
  readonly profile: ServiceProfile;
  readonly rootUrl: string;
  readonly rpcUrl: string;
  readonly secondRpcUrl?: string;
  /** Registers every secret with the redactor before returning it. */
  readonly secrets: SecretStore;
  readonly policy: PolicySource;
  /** Opens another policy file like `policy`, for a principal. `pinned`: the hash in force. */
  policyOf(path: string, pinned?: string): Promise<PolicySource>;
  /** Returns the wallets this home can sign for, with their labels; opens no key. */
  wallets(): Promise<readonly HomeWallet[]>;
  /** Returns the signer of a wallet, opened on first use. */
  signer(address: Address): Promise<WalletSigner>;
  /** For the sandbox only: addresses for external readers and the demo. */
  readonly shown: Readonly<Record<string, string>>;
  close(): Promise<void>;
}
