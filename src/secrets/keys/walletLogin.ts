// Signs login challenges, the only wallet signature without a policy decision. Separate from the server's signer, so
// that no tool call and no answer of a service can reach it.

import bs58 from 'bs58';
import { verifySignature } from '../../base/ed25519.ts';
import { SecretError } from '../errors.ts';
import { type SecretStore, secretNames } from '../stores/store.ts';
import { challengeText } from './challenge.ts';
import { signWith } from './ed25519.ts';
import { openKeypair } from './keypairFile.ts';

export interface SignLoginChallengeParameters {
  readonly store: SecretStore;
  /** Base58 address of the wallet that logs in. */
  readonly address: string;
  /** The bytes chosen by the service. */
  readonly challenge: Uint8Array;
  /** Returns whether bytes are, or contain, a transaction or its message. */
  readonly looksLikeTransaction: (bytes: Uint8Array) => boolean;
  /** Shows the challenge to a person, and rejects unless they agree. */
  readonly agree: (text: string) => Promise<void>;
}

/**
 * Returns the base58 signature over a login challenge that a person agreed to. Throws `CHALLENGE_REFUSED` before it is
 * shown or a key is opened, and `INVALID_KEY` if the store has no key of this wallet. The key is dropped before this returns.
 */
export async function signLoginChallenge(parameters: SignLoginChallengeParameters): Promise<string> {
  const { store, address } = parameters;
  // Checks and signs one copy.
  const challenge = Uint8Array.from(parameters.challenge);
  await parameters.agree(challengeText(challenge, parameters.looksLikeTransaction));
  const secret = await store.get(secretNames.wallet(address));
  if (secret === undefined) throw wrongKey('The secret store has no key of this wallet.');
  try {
    const opened = openKeypair(secret.exposeBytes());
    if (opened.address !== address)
      throw wrongKey("The secret store has another wallet's key under this name.");
    store.checkUnchanged();
    // PrivateKeyUse: the wallet's key, for a login challenge that is not a transaction.
    const signature = signWith(opened.key, challenge);
    if (!verifySignature(opened.publicKey, signature, challenge)) {
      throw new SecretError(
        'SIGNATURE_INVALID',
        'The signature does not verify and was discarded.',
        'Run `countersign login` again; if it happens again, check the hardware.',
      );
    }
    return bs58.encode(signature);
  } finally {
    secret.wipe();
  }
}

const wrongKey = (message: string) =>
  new SecretError(
    'INVALID_KEY',
    message,
    'Run `countersign wallet show`, or `countersign wallet import FILE`.',
  );
