/** Metadata accounts of Metaplex Token Metadata. Untrusted text. */
import {
  address,
  bool,
  type Codec,
  oneOf,
  option,
  struct,
  text32,
  u8,
  variants,
} from '../../transaction/codecs.ts';
import { defineAccount } from '../account.ts';
import { METADATA_PROGRAM } from './addresses.ts';
import { collection, collectionDetails, metadataTexts, TOKEN_STANDARDS, uses } from './instructions.ts';

/** Account type in the first byte. */
const METADATA_V1 = 4;
/** Old and current account sizes in bytes. */
const LENGTHS: readonly number[] = [679, 607];

/** Codec of texts that the program pads with zero bytes to their maximum length. */
const paddedText: Codec<string> = {
  read: (r) => text32.read(r).replace(/\0+$/, ''),
  write: (w, v) => text32.write(w, v),
};

export const metadata = defineAccount('metaplex.metadata', {
  program: METADATA_PROGRAM,
  discriminator: [METADATA_V1],
  length: (length) => LENGTHS.includes(length),
  padded: true,
  fields: {
    updateAuthority: address,
    mint: address,
    ...metadataTexts,
    name: paddedText,
    symbol: paddedText,
    uri: paddedText,
    primarySaleHappened: bool,
    isMutable: bool,
    editionNonce: option(u8),
    tokenStandard: option(oneOf(TOKEN_STANDARDS)),
    collection,
    uses,
    collectionDetails,
    programmableConfig: option(variants({ V1: struct({ ruleSet: option(address) }) })),
  },
});
