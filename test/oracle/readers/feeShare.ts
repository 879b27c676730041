/** Bags fee share: claimers with their shares, the manager, and unclaimed fees. */
import { Bytes } from '../accounts.ts';
import { type Amount, found, type Reader, type Right, rightsOf } from '../findings.ts';

const FEE_SHARE_2 = 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK';
const CONFIG = [0x28, 0x47, 0x88, 0x9c, 0xde, 0x31, 0x1f, 0xc9];
const AUTHORITY = [0x52, 0x1c, 0x8c, 0xa7, 0xa8, 0xd8, 0x5d, 0xd3];
const PARTNER_CONFIG = [0xd4, 0x6e, 0x6a, 0xfd, 0x42, 0x83, 0x4d, 0x60];
const USER_VAULT = [0x75, 0x14, 0x98, 0xfb, 0xa3, 0x12, 0xc1, 0xc0];

const CLAIMERS = 184;
/** An address and its basis points, in separate lists. */
const CLAIMER_BYTES = 34;

/** A claimer's right, named by its share, so that a larger share of a stranger is a new line. */
const claimer = (account: string, holder: string, basisPoints: number): Right[] =>
  basisPoints === 0
    ? []
    : [{ account, right: `claimer of ${basisPoints} basis points`, holder, loss: 'never' }];

/** Returns the claimers of a config in order, with their basis points. */
function claimersOf(data: Uint8Array): { readonly holder: string; readonly share: number }[] {
  const bytes = new Bytes(data);
  const count = Math.floor((bytes.length - CLAIMERS) / CLAIMER_BYTES);
  return Array.from({ length: count }, (_, i) => ({
    holder: bytes.key(CLAIMERS + 32 * i),
    share: bytes.u16(CLAIMERS + 32 * count + 2 * i),
  }));
}

/** A config: its manager changes shares or hands over management; every claimer has a share. */
export const feeShareConfig: Reader = ({ address, owner, data }) => {
  const bytes = new Bytes(data);
  if (owner !== FEE_SHARE_2 || !bytes.startsWith(CONFIG) || data.length < CLAIMERS) return undefined;
  const claimers = claimersOf(data);
  return found({
    rights: [
      ...rightsOf(address, { manager: bytes.keyUnlessZero(136), partner: bytes.keyUnlessZero(72) }),
      ...claimers.flatMap(({ holder, share }) => claimer(address, holder, share)),
    ],
    amounts: claimers.map(({ holder, share }) => ({
      line: `shares of ${address}`,
      holder,
      amount: BigInt(share),
    })),
  });
};

const FEES = 104;

/** Unclaimed fees of each claimer, in the order of the config. */
export const feeShareAuthority: Reader = ({ address, owner, data }, around) => {
  const bytes = new Bytes(data);
  if (owner !== FEE_SHARE_2 || !bytes.startsWith(AUTHORITY) || data.length < FEES) return undefined;
  const config = around.get(bytes.key(8));
  if (config === undefined || !new Bytes(config.data).startsWith(CONFIG)) return found({});
  return found({
    amounts: claimersOf(config.data).flatMap(({ holder }, i): Amount[] =>
      data.length < FEES + 8 * (i + 1)
        ? []
        : [{ line: `fees waiting in ${address}`, holder, amount: bytes.u64(FEES + 8 * i) }],
    ),
  });
};

/** A partner's config, or a vault with one user's fees. */
export const partnerOrVault: Reader = ({ address, owner, data }) => {
  const bytes = new Bytes(data);
  if (owner !== FEE_SHARE_2) return undefined;
  if (bytes.startsWith(PARTNER_CONFIG))
    return found({ rights: rightsOf(address, { partner: bytes.key(48) }) });
  if (bytes.startsWith(USER_VAULT))
    return found({ rights: rightsOf(address, { 'fee vault': bytes.key(8) }) });
  return undefined;
};
