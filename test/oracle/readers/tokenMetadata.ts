/** Metaplex token metadata: the update authority, and a token's name and link. */
import { Bytes } from '../accounts.ts';
import { found, type Reader, rightsOf } from '../findings.ts';
import { digest } from './stock.ts';

const METAPLEX = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
const METADATA_V1 = 4;

export const tokenMetadata: Reader = ({ address, owner, data }) => {
  if (owner !== METAPLEX || data.length < 65 || data[0] !== METADATA_V1) return undefined;
  const bytes = new Bytes(data);
  let at = 65;
  // Name, symbol, link.
  for (let i = 0; i < 3; i++) at = bytes.text(at).end;
  at += 2;
  const hasCreators = bytes.u8(at) === 1;
  at += 1 + (hasCreators ? 4 + 34 * bytes.u32(at + 1) : 0);
  // The primary-sale flag, then the mutability flag.
  const isMutable = bytes.u8(at + 1) === 1;
  const holder = isMutable ? bytes.key(1) : undefined;
  return found({
    rights: rightsOf(address, { 'metadata authority': holder }),
    states: [{ account: address, line: 'metadata', holder, value: digest(data.subarray(33, at + 2)) }],
  });
};
