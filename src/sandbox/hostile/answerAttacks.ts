/** Attacks on the finished answer: bytes and what is said about them no longer agree. */
import type { EndpointName } from '../../contract/index.ts';
import type { Attack, AttackTools, Fields } from './types.ts';

/** Fields that hold a transaction, in whichever answer. */
const TRANSACTION_FIELDS = ['transaction', 'swapTransaction', 'tx'];
const SIGNATURE_BYTES = 64;

/** Changes every object of an answer that holds a transaction. */
function eachTransaction(
  answer: unknown,
  change: (holder: Fields, field: string, text: string) => Fields,
): unknown {
  if (Array.isArray(answer)) return answer.map((each) => eachTransaction(each, change));
  if (typeof answer !== 'object' || answer === null) return answer;
  const inner: Fields = Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [key, eachTransaction(value, change)]),
  );
  const field = TRANSACTION_FIELDS.find((name) => typeof inner[name] === 'string');
  return field === undefined ? inner : change(inner, field, String(inner[field]));
}

/** An attack that changes the bytes and leaves what is said about them alone. */
function onBytes(
  row: string,
  does: string,
  takes: string,
  code: string,
  change: (bytes: Uint8Array) => Uint8Array,
): Attack {
  return {
    row,
    plays: 'service',
    does,
    takes,
    code,
    answer: (answer, _asked, tools, endpoint) =>
      eachTransaction(answer, (holder, field, text) => ({
        ...holder,
        [field]: recoded(tools, endpoint, text, change),
      })),
  };
}

function recoded(
  tools: AttackTools,
  endpoint: EndpointName,
  text: string,
  change: (bytes: Uint8Array) => Uint8Array,
): string {
  return tools.encode(endpoint, change(tools.decode(endpoint, text)));
}

/** Where the message starts and how many signatures stand where. v1 puts its signatures behind the message. */
function layout(bytes: Uint8Array): { message: [number, number]; signatures: number; count: number } {
  if (bytes[0] === 0x81) {
    const count = bytes[1] ?? 0;
    const end = bytes.length - count * SIGNATURE_BYTES;
    return { message: [0, end], signatures: end, count };
  }
  const count = bytes[0] ?? 0;
  return { message: [1 + count * SIGNATURE_BYTES, bytes.length], signatures: 1, count };
}

export const ANSWER_ATTACKS: Readonly<Record<string, Attack>> = {
  'alter-hash': {
    row: 'T42',
    plays: 'service',
    does: 'declares the hash of another message',
    takes: 'nothing; what was reviewed is not what is signed',
    code: 'HASH_MISMATCH',
    answer: (answer) =>
      eachTransaction(answer, (holder) =>
        typeof holder.messageSha256 === 'string'
          ? { ...holder, messageSha256: holder.messageSha256.replace(/^./, (d) => (d === '0' ? '1' : '0')) }
          : holder,
      ),
  },
  'alter-byte': onBytes(
    'T42',
    'changes one byte of instruction data after the service signed',
    'nothing; the service’s signature no longer holds',
    'HASH_MISMATCH',
    (bytes) => {
      const changed = bytes.slice();
      const [, end] = layout(bytes).message;
      // A v0 message ends with the number of its table lookups; v1 and legacy end with instruction data.
      const at = bytes[layout(bytes).message[0]] === 0x80 && bytes[end - 1] === 0 ? end - 2 : end - 1;
      changed[at] = (changed[at] ?? 0) ^ 1;
      return changed;
    },
  ),
  'trailing-byte': onBytes(
    'T43',
    'adds a byte behind the transaction',
    'nothing; two readers may see two transactions',
    'NONCANONICAL_BYTES',
    (bytes) => Uint8Array.from([...bytes, 0]),
  ),
  'junk-base64': {
    row: 'T43',
    plays: 'service',
    does: 'breaks the text encoding in a way lenient decoders overlook',
    takes: 'nothing; two readers may see two transactions',
    code: 'NONCANONICAL_BYTES',
    answer: (answer) =>
      eachTransaction(answer, (holder, field, text) => ({
        ...holder,
        [field]: `${text.slice(0, 20)}\n${text.slice(20)}`,
      })),
  },
  'wrong-signers': {
    row: 'T46',
    plays: 'service',
    does: 'names a required signer that the bytes do not have',
    takes: 'a signature nobody asked for',
    code: 'SIGNERS_MISMATCH',
    answer: (answer, _asked, { attacker }) =>
      eachTransaction(answer, (holder) =>
        Array.isArray(holder.requiredSigners)
          ? { ...holder, requiredSigners: [...holder.requiredSigners.slice(0, -1), attacker.address] }
          : holder,
      ),
  },
  'garbage-cosignature': onBytes(
    'T44',
    'fills the places of the service’s signatures with bytes that are none',
    'the fee of a transaction that cannot land',
    'COSIGNATURE_INVALID',
    (bytes) => {
      const changed = bytes.slice();
      const { signatures, count } = layout(bytes);
      // The first place is the fee payer's, the caller's own.
      for (let index = count > 1 ? 1 : 0; index < count; index += 1) {
        const start = signatures + index * SIGNATURE_BYTES;
        changed.fill(7, start, start + SIGNATURE_BYTES);
      }
      return changed;
    },
  ),
};
