/**
 * `countersign login signature`: the wallet signs a challenge of the service, which returns an API key. Only if the
 * deployment supports it (docs/contract.md C-AUTH-06, C-AUTH-07).
 */
import bs58 from 'bs58';
import { SetupError } from '../../runtime/backends/backend.ts';
import { signLoginChallenge } from '../../secrets/keys/walletLogin.ts';
import { Secret } from '../../secrets/secret.ts';
import type { SecretStore } from '../../secrets/stores/store.ts';
import { chooseWallet, homeWallets } from '../../secrets/wallets/wallets.ts';
import type { ServiceClient } from '../../service/index.ts';
import { Reader } from '../../transaction/bytes.ts';
import { readMessage } from '../../transaction/message.ts';
import { readTransaction } from '../../transaction/read.ts';
import type { Terminal } from '../terminal.ts';

const WITH_TOKEN = 'Log in with a token instead: `countersign login`.';

export interface NewKey {
  readonly key: Secret;
  readonly keyId: string | undefined;
}

/**
 * Logs in with the named wallet, or the home's default. Shows the challenge in full and asks before signing it: it may
 * be the login to another site, or a message that another program acts on.
 * @throws SetupError without a wallet or the user's consent, or if the service requires a second factor; SecretError
 * for an unknown wallet name or a challenge that is refused
 */
export async function loginWithWallet(
  service: ServiceClient,
  store: SecretStore,
  terminal: Terminal,
  keyName: string,
  wallet: string | undefined,
): Promise<NewKey> {
  const address = chooseWallet(await homeWallets(store), wallet)?.address;
  if (address === undefined) {
    throw new SetupError('There is no wallet to log in with.', 'Make one with `countersign wallet create`.');
  }
  const { message, nonce } = await service.call('authInit', { address });
  const challenge = bs58.decodeUnsafe(message);
  if (challenge === undefined) throw new SetupError('The login challenge is not base58.', WITH_TOKEN);
  const agree = async (text: string): Promise<void> => {
    terminal.tell(`${service.origin} asks for a signature of ${address} over this text:`);
    for (const line of text.split(/\r?\n/)) terminal.tell(`  | ${line}`);
    terminal.tell('Sign it only if it is the login to this service, and nothing else.');
    const answer = await terminal.ask('Type yes to sign it:', { or: WITH_TOKEN });
    if (answer.trim().toLowerCase() !== 'yes') throw new SetupError('Nothing was signed.', WITH_TOKEN);
  };
  const signature = await signLoginChallenge({ store, address, challenge, looksLikeTransaction, agree });
  const answer = await service.call('authCallback', { signature, address, nonce, keyName });
  if (answer.mfaRequired === true) {
    throw new SetupError('The service asks for a second factor, which this login cannot give.', WITH_TOKEN);
  }
  const key = answer.apiKey ?? undefined;
  if (key === undefined || key === '') throw new SetupError('The service gave no API key.', WITH_TOKEN);
  return { key: Secret.fromText(key), keyId: answer.keyId ?? undefined };
}

/** Returns whether bytes decode as a transaction, or begin with a decodable message of any format. */
export function looksLikeTransaction(bytes: Uint8Array): boolean {
  const reads = (read: () => unknown): boolean => {
    try {
      read();
      return true;
    } catch {
      return false;
    }
  };
  return reads(() => readTransaction(bytes)) || reads(() => readMessage(new Reader(Uint8Array.from(bytes))));
}
