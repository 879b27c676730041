/** Fee share configs of the model: account data as the program of the sandbox would have left it. */
import { type ConfigRecord, configFields } from '../../src/contract/stockPrograms.ts';
import { addressBytes } from '../../src/transaction/base58.ts';

/** A mint is padded to the length of a token account; behind that come its kind and its extensions. */
const PADDED_BYTES = 165;
const KIND_OF_MINT = 1;
const TOKEN_METADATA = 19;
const INITIALIZED_AT = 45;

const u16 = (value: number): Buffer => Buffer.from(Uint16Array.of(value).buffer);
const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
const text = (value: string): Buffer => Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)]);

/** A Token-2022 mint whose metadata holds a config, base64. */
export function configData(address: string, record: ConfigRecord): string {
  const base = Buffer.alloc(PADDED_BYTES);
  base[INITIALIZED_AT] = 1;
  const fields = configFields(record);
  const metadata = Buffer.concat([
    Buffer.alloc(32),
    addressBytes(address),
    ...['Fee share', 'FEESHARE', ''].map(text),
    u32(fields.length),
    ...fields.flat().map(text),
  ]);
  const extension = Buffer.concat([u16(TOKEN_METADATA), u16(metadata.length), metadata]);
  return Buffer.concat([base, Buffer.from([KIND_OF_MINT]), extension]).toString('base64');
}
