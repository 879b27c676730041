/** A wallet without Countersign, for comparison: signs and sends the service's transactions unchecked. Sandbox only. */
import { generateKeyPairSync, sign } from 'node:crypto';
import bs58 from 'bs58';
import { encodeTransaction, readTransaction } from '../../src/transaction/read.ts';
import { signSlot } from '../../src/transaction/signatures.ts';
import { type DemoSession, text } from './session.ts';

export interface BlindSigner {
  readonly address: string;
  /** Quotes a swap, signs the service's transaction without decoding it and sends it. Returns the signature once it is confirmed. */
  swap(trade: {
    readonly inputMint: string;
    readonly outputMint: string;
    readonly amount: string;
  }): Promise<string>;
}

/** Maximum polls for a signature, and the interval in milliseconds. */
const [LOOKS, PAUSE_MS] = [60, 250];

/** Creates a wallet, funds it from the sandbox, and logs in to the service with it. */
export async function blindSigner(
  { rpc, service }: DemoSession,
  lamports: number,
  pause: (milliseconds: number) => Promise<void>,
): Promise<BlindSigner> {
  // PrivateKeyUse: a temporary sandbox key that exists only during the demo.
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const address = bs58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  const signed = (bytes: Uint8Array) => Uint8Array.from(sign(null, bytes, privateKey));
  const confirmed = async (signature: string) => {
    for (let look = 0; look < LOOKS; look += 1) {
      const { value } = await rpc<{ value: ({ err: unknown; confirmationStatus: string } | null)[] }>(
        'getSignatureStatuses',
        [[signature]],
      );
      const [found] = value;
      if (found?.err) throw new Error(`${signature} failed: ${JSON.stringify(found.err)}`);
      if (found && found.confirmationStatus !== 'processed') return signature;
      await pause(PAUSE_MS);
    }
    throw new Error(`${signature} did not land`);
  };
  await confirmed(await rpc<string>('requestAirdrop', [address, lamports]));
  const challenge = await service('POST', '/agent/v2/auth/init', { address });
  const login = await service('POST', '/agent/v2/auth/callback', {
    address,
    nonce: text(challenge, 'nonce'),
    signature: bs58.encode(signed(bs58.decode(text(challenge, 'message')))),
    keyName: 'blind signer',
  });
  const apiKey = text(login, 'apiKey');
  return {
    address,
    swap: async (trade) => {
      const query = new URLSearchParams({ ...trade, taker: address });
      const quote = await service('GET', `/trade/v2/quote?${query}`, undefined, apiKey);
      const requestId = text(quote, 'requestId');
      const answer = await service('POST', '/trade/v2/swap', { requestId, userPublicKey: address }, apiKey);
      const staged = readTransaction(Buffer.from(text(answer, 'swapTransaction'), 'base64'));
      const bytes = encodeTransaction(await signSlot(staged, { address, sign: signed }));
      const wire = Buffer.from(bytes).toString('base64');
      return confirmed(
        await rpc<string>('sendTransaction', [
          wire,
          { encoding: 'base64', preflightCommitment: 'confirmed' },
        ]),
      );
    },
  };
}
