/** The chain's wallet for airdrops, which are ordinary signed transfers. */

import { createHash } from 'node:crypto';
import { addressBytes } from '../../src/transaction/base58.ts';
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '../../src/transaction/programs.ts';
import { type Keypair, keypairFromSeed } from '../keypair.ts';

export class Faucet {
  readonly address: string;
  readonly #key: Keypair;
  #served = 0;

  constructor(secret: Uint8Array) {
    this.#key = keypairFromSeed(createHash('sha256').update(secret).update('faucet').digest());
    this.address = this.#key.address;
  }

  /** Returns the bytes of a signed transfer, unique even for equal amounts and blockhashes. */
  transfer(to: string, lamports: bigint, blockhash: string): Uint8Array {
    this.#served += 1;
    const unitLimit = Buffer.alloc(5, 2);
    unitLimit.writeUInt32LE(1_000 + (this.#served % 1_000_000), 1);
    const transfer = Buffer.alloc(12);
    transfer.writeUInt32LE(2, 0);
    transfer.writeBigUInt64LE(lamports, 4);
    const keys = [this.address, to, COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM].map(addressBytes);
    // One signer, no other key that may not be written but the two programs; each instruction names keys by their place.
    const message = Buffer.concat([
      Uint8Array.of(1, 0, 2, keys.length),
      ...keys,
      addressBytes(blockhash),
      Uint8Array.of(2, 2, 0, unitLimit.length),
      unitLimit,
      Uint8Array.of(3, 2, 0, 1, transfer.length),
      transfer,
    ]);
    return new Uint8Array(Buffer.concat([Uint8Array.of(1), this.#key.sign(message), message]));
  }
}
