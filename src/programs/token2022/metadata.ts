/**
 * Layouts of the token metadata interface in Token-2022. Discriminators are the first eight bytes of the SHA-256 of
 * `spl_token_metadata_interface:` and the instruction's name.
 */
import { bool, type Codec, nonZeroAddress, oneOf, option, text32, u64 } from '../../transaction/codecs.ts';
import { TOKEN_2022_PROGRAM } from '../../transaction/programs.ts';
import { defineLayout } from '../layout.ts';

const program = TOKEN_2022_PROGRAM;
const FIELDS = ['name', 'symbol', 'uri', 'key'] as const;

/** A metadata field: a standard field, or a key of the additional metadata. */
export type MetadataField = { readonly field: 'name' | 'symbol' | 'uri' } | { readonly key: string };

const metadataField: Codec<MetadataField> = {
  read: (r) => {
    const field = oneOf(FIELDS).read(r);
    return field === 'key' ? { key: text32.read(r) } : { field };
  },
  write: (w, v) => {
    oneOf(FIELDS).write(w, 'key' in v ? 'key' : v.field);
    if ('key' in v) text32.write(w, v.key);
  },
};

export const tokenMetadataLayouts = [
  defineLayout('tokenMetadata.initialize', {
    program,
    discriminator: [210, 225, 30, 162, 88, 184, 77, 141],
    accounts: {
      metadata: 'writable',
      updateAuthority: 'readonly',
      mint: 'readonly',
      mintAuthority: 'signer',
    },
    args: { name: text32, symbol: text32, uri: text32 },
  }),
  // `rest`: accounts that the program ignores.
  defineLayout('tokenMetadata.updateField', {
    program,
    discriminator: [221, 233, 49, 45, 181, 202, 220, 200],
    accounts: { metadata: 'writable', updateAuthority: 'signer' },
    args: { field: metadataField, value: text32 },
    rest: 'readonly',
  }),
  defineLayout('tokenMetadata.removeKey', {
    program,
    discriminator: [234, 18, 32, 56, 89, 141, 37, 181],
    accounts: { metadata: 'writable', updateAuthority: 'signer' },
    args: { idempotent: bool, key: text32 },
  }),
  defineLayout('tokenMetadata.updateAuthority', {
    program,
    discriminator: [215, 228, 166, 228, 84, 100, 86, 123],
    accounts: { metadata: 'writable', updateAuthority: 'signer' },
    args: { newAuthority: nonZeroAddress },
  }),
  defineLayout('tokenMetadata.emit', {
    program,
    discriminator: [250, 166, 180, 250, 13, 12, 184, 70],
    accounts: { metadata: 'readonly' },
    args: { start: option(u64), end: option(u64) },
  }),
];
