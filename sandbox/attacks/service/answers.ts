/** Changes of finished answers: the bytes of transactions, and their descriptions. */
import {
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
} from '@solana/kit';
import type { AnswerHook, Fields } from './types.ts';

/** Fields in which answers carry transactions. */
const FIELDS: readonly string[] = ['transaction', 'swapTransaction', 'tx'];
const SIGNATURE_BYTES = 64;

/** Changes the text of every transaction in an answer, whatever its shape. */
export function editTexts(change: (text: string) => string): (answer: unknown) => unknown {
  const visit = (value: unknown, name?: string): unknown => {
    if (typeof value === 'string') return name === undefined || FIELDS.includes(name) ? change(value) : value;
    if (Array.isArray(value)) return value.map((each) => visit(each, name ?? ''));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, visit(each, key)]));
  };
  return (answer) => visit(answer);
}

/** Changes the bytes of every transaction in an answer, in the encoding of its endpoint. */
export function editBytes(change: (bytes: Uint8Array) => Uint8Array): AnswerHook {
  return (answer, _, tools, endpoint) =>
    editTexts((text) => tools.encode(endpoint, change(tools.decode(endpoint, text))))(answer);
}

/** Offsets of signatures and message in a transaction. */
export interface Layout {
  readonly messageAt: number;
  readonly messageEnd: number;
  /** Offset of each signature, the fee payer's first. */
  readonly signaturesAt: readonly number[];
}

/** Returns the layout of well-formed bytes with fewer than 128 signers. In v1 the signatures follow the message. */
export function layoutOf(bytes: Uint8Array): Layout {
  const isV1 = bytes[0] === 0x81;
  const count = (isV1 ? bytes[1] : bytes[0]) ?? 0;
  const first = isV1 ? bytes.length - count * SIGNATURE_BYTES : 1;
  return {
    messageAt: isV1 ? 0 : first + count * SIGNATURE_BYTES,
    messageEnd: isV1 ? first : bytes.length,
    signaturesAt: Array.from({ length: count }, (_, slot) => first + slot * SIGNATURE_BYTES),
  };
}

/** A compiled message of any version. */
export type Message = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime;
/** A legacy or v0 message. */
export type ListedMessage = Extract<Message, { version: 'legacy' | 0 }>;

/** Changes the message of every legacy or v0 transaction, which invalidates its signatures. */
export function editMessages(change: (message: ListedMessage) => ListedMessage): AnswerHook {
  return editBytes((bytes) => {
    const { messageBytes } = getTransactionDecoder().decode(bytes);
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    if (message.version === 1) return bytes;
    const encoded = getCompiledTransactionMessageEncoder().encode(change(message));
    return Uint8Array.from([...bytes.subarray(0, bytes.length - messageBytes.length), ...encoded]);
  });
}

/** Changes the stages of an answer's plan. */
export function editStages(change: (stage: Fields) => Fields): (answer: unknown) => unknown {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, visit(each)]));
    return 'messageSha256' in fields ? change(fields) : fields;
  };
  return visit;
}
