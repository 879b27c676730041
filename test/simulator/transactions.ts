/**
 * Model transactions: real v0 bytes with real signatures, whose only instruction names the effect, its cost and its
 * prerequisites.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import bs58 from 'bs58';
import { addressBytes, addressFromBytes } from '../../src/transaction/base58.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { digest } from './random.ts';

export interface TestKey {
  readonly address: string;
  readonly key: KeyObject;
  readonly keypair: Uint8Array;
}

export function testKey(name: string): TestKey {
  const seed = digest(`key ${name}`);
  const header = Buffer.from('302e020100300506032b657004220420', 'hex');
  const key = createPrivateKey({ key: Buffer.concat([header, seed]), format: 'der', type: 'pkcs8' });
  const bytes = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  return { address: addressFromBytes(bytes), key, keypair: Uint8Array.from([...seed, ...bytes]) };
}

export const someAddress = (name: string): string => addressFromBytes(digest(name));

const PROGRAM = someAddress('the program of the model');
export const FEE = 5_000n;

/** Effect of a model transaction. */
export interface Act {
  readonly effect: string;
  readonly lamports: number;
  readonly needs: readonly string[];
}

/** Encodes unsigned bytes; a sponsor pays the fee and has signed. */
export function write(act: Act, wallet: string, blockhash: string, sponsor?: TestKey): Uint8Array {
  const signers = sponsor === undefined ? [wallet] : [sponsor.address, wallet];
  const accounts = [...signers, PROGRAM];
  const data = Buffer.from(JSON.stringify([act.effect, act.lamports, act.needs]));
  const size = data.length < 128 ? [data.length] : [(data.length & 0x7f) | 0x80, data.length >> 7];
  const message = Buffer.concat([
    Buffer.from([0x80, signers.length, 0, 1, accounts.length]),
    ...accounts.map((address) => addressBytes(address)),
    addressBytes(blockhash),
    Buffer.from([1, accounts.length - 1, 0, ...size]),
    data,
    Buffer.from([0]),
  ]);
  const slots = [...(sponsor === undefined ? [] : [sign(null, message, sponsor.key)]), Buffer.alloc(64)];
  return Uint8Array.from(Buffer.concat([Buffer.from([slots.length]), ...slots, message]));
}

/** Signed transaction as decoded by the chain. */
export interface SignedAct extends Act {
  readonly signature: string;
  readonly blockhash: string;
  readonly payer: string;
  readonly wallet: string;
}

const known = new WeakMap<Uint8Array, SignedAct>();

export function readAct(bytes: Uint8Array): SignedAct {
  const cached = known.get(bytes);
  if (cached !== undefined) return cached;
  const { signatures, instructions, blockhash, staticAccounts, numRequiredSignatures } =
    readTransaction(bytes);
  const [effect, lamports, needs] = JSON.parse(Buffer.from(instructions[0]?.data ?? []).toString());
  const signature = bs58.encode(signatures[0] ?? new Uint8Array(64));
  const [payer = ''] = staticAccounts;
  const wallet = staticAccounts[numRequiredSignatures - 1] ?? '';
  const act = { effect, lamports, needs, signature, blockhash, payer, wallet };
  known.set(bytes, act);
  return act;
}
