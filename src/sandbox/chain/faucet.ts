/**
 * A wallet the chain itself owns: it pays airdrops, as ordinary signed transfers that land like any other.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  type SignatureBytes,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { addressFromBytes } from '../../transaction/base58.ts';
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '../../transaction/programs.ts';

/** DER header of a PKCS#8 Ed25519 private key; the 32-byte seed follows. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

export class Faucet {
  readonly address: string;
  readonly #key: KeyObject;
  #served = 0;

  constructor(secret: Uint8Array) {
    const seed = createHash('sha256').update(secret).update('faucet').digest();
    this.#key = createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, seed]), format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.#key).export({ format: 'der', type: 'spki' });
    this.address = addressFromBytes(new Uint8Array(spki.subarray(-32)));
  }

  /** Wire bytes of a signed transfer. No two are equal, even of the same amount on the same blockhash. */
  transfer(to: string, lamports: bigint, blockhash: string): Uint8Array {
    this.#served += 1;
    const unitLimit = Buffer.alloc(5, 2);
    unitLimit.writeUInt32LE(1_000 + (this.#served % 1_000_000), 1);
    const transfer = Buffer.alloc(12);
    transfer.writeUInt32LE(2, 0);
    transfer.writeBigUInt64LE(lamports, 4);
    // Kit brands addresses and blockhashes; both were made from 32 bytes.
    const payer = this.address as Address;
    const message = pipe(
      createTransactionMessage({ version: 'legacy' }),
      (m) => setTransactionMessageFeePayer(payer, m),
      (m) =>
        setTransactionMessageLifetimeUsingBlockhash(
          { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
          m,
        ),
      (m) =>
        appendTransactionMessageInstructions(
          [
            { programAddress: COMPUTE_BUDGET_PROGRAM as Address, data: unitLimit },
            {
              programAddress: SYSTEM_PROGRAM as Address,
              accounts: [
                { address: payer, role: AccountRole.WRITABLE_SIGNER },
                { address: to as Address, role: AccountRole.WRITABLE },
              ],
              data: transfer,
            },
          ],
          m,
        ),
    );
    const transaction = compileTransaction(message);
    const signature = new Uint8Array(sign(null, new Uint8Array(transaction.messageBytes), this.#key));
    return new Uint8Array(
      getTransactionEncoder().encode({
        ...transaction,
        signatures: { [payer]: signature as SignatureBytes },
      }),
    );
  }
}
