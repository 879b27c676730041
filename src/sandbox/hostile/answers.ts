/** Changing a finished answer: the bytes of its transactions, and what it says about them. */
import {
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
} from '@solana/kit';
import bs58 from 'bs58';
import type { AnswerHook, Fields } from './types.ts';

/** Fields in which answers carry transactions. */
const FIELDS = ['transaction', 'swapTransaction'] as const;

/** Changes the bytes of every transaction in an answer, whatever its shape and encoding. */
export function editBytes(change: (bytes: Uint8Array) => Uint8Array): AnswerHook {
  const text = (value: string): string => {
    const decoded = Buffer.from(value, 'base64');
    const isBase64 = decoded.toString('base64') === value;
    const changed = change(new Uint8Array(isBase64 ? decoded : bs58.decode(value)));
    return isBase64 ? Buffer.from(changed).toString('base64') : bs58.encode(changed);
  };
  return (answer) => (typeof answer === 'string' ? text(answer) : mapFields(answer, text));
}

function mapFields(value: unknown, text: (value: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => mapFields(each, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      typeof each === 'string' && FIELDS.some((field) => field === name) ? text(each) : mapFields(each, text),
    ]),
  );
}

/** A compiled message of any version. */
export type Message = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime;
/** One that lists its instructions whole: legacy and v0. */
export type ListedMessage = Extract<Message, { version: 'legacy' | 0 }>;

/** Changes the message of every legacy or v0 transaction; signatures that were there no longer fit. */
export function editMessages(change: (message: ListedMessage) => ListedMessage): AnswerHook {
  return editBytes((bytes) => {
    const { messageBytes } = getTransactionDecoder().decode(bytes);
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    if (message.version === 1) return bytes;
    const encoded = getCompiledTransactionMessageEncoder().encode(change(message));
    return Uint8Array.from([...bytes.subarray(0, bytes.length - messageBytes.length), ...encoded]);
  });
}

/** Changes what an answer says about each stage of its plan. */
export function editStages(change: (stage: Fields) => Fields): (answer: unknown) => unknown {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, visit(each)]));
    return 'messageSha256' in fields ? change(fields) : fields;
  };
  return visit;
}
