/**
 * Where a server's money, keys and rules come from. There are two: the embedded sandbox, which brings its own,
 * and the live one, which uses what a person set up. All other code is the same for both.
 */
import type { ServiceProfile } from '../../contract/profiles/index.ts';
import type { Mode } from '../../plan/types.ts';
import type { SigningPermit } from '../../secrets/keys/wallet.ts';
import type { SecretStore } from '../../secrets/stores/store.ts';
import type { HomeWallet } from '../../secrets/wallets/wallets.ts';
import type { Address } from '../../transaction/types.ts';
import type { PolicySource } from '../policyFile.ts';

/** A person's mistake or a missing piece of setup. `hint` names the command that fixes it. */
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

/** Signs with one wallet. The key may be kept here, in another process or in a device. */
export interface WalletSigner {
  readonly address: Address;
  /** The 64-byte Ed25519 signature of `message`. Rejects when it will not sign; what it gives is verified. */
  sign(message: Uint8Array, permit: SigningPermit): Uint8Array | Promise<Uint8Array>;
  /** Forgets the key; signing is over for this signer. */
  lock?(): void;
}

/** What an embedding program brings in place of what a home has. */
export interface Own {
  readonly secrets?: SecretStore | undefined;
  readonly policy?: PolicySource | undefined;
  /** Live mode only: the sandbox has a wallet of its own. */
  readonly signer?: WalletSigner | undefined;
}

export interface Backend {
  readonly mode: Mode;
  readonly profile: ServiceProfile;
  readonly rootUrl: string;
  readonly rpcUrl: string;
  readonly secondRpcUrl?: string;
  /** Every secret read through it is known to the redactor first. */
  readonly secrets: SecretStore;
  readonly policy: PolicySource;
  /** Another policy file, as `policy` is read: for a principal of a server for several. `pinned`: the hash in force. */
  policyOf(path: string, pinned?: string): Promise<PolicySource>;
  /** The wallets this home can sign for, with their labels; opens no key for the caller. */
  wallets(): Promise<readonly HomeWallet[]>;
  /** The signer of a wallet, opened on first use. */
  signer(address: Address): Promise<WalletSigner>;
  /** For the sandbox only: where outside readers and the demo find it. */
  readonly shown: Readonly<Record<string, string>>;
  close(): Promise<void>;
}
