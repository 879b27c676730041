/** Meteora's pools: bonding curves (DBC) with their configs, DAMM v2 pools with positions. */
import { type Account, Bytes } from '../accounts.ts';
import { type Amount, found, type Reader, rightsOf } from '../findings.ts';

const DBC = 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN';
const DAMM_V2 = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG';
const POOL_CONFIG = [0x1a, 0x6c, 0x0e, 0x7b, 0x74, 0xe6, 0x81, 0x2b];
const VIRTUAL_POOL = [0xd5, 0xe0, 0x05, 0xd1, 0x62, 0x45, 0x77, 0x5c];
/** The same two for tokens with a transfer hook; their layouts begin alike. */
const HOOKED_CONFIG = [0x28, 0xdc, 0xc2, 0xfb, 0x29, 0xc7, 0x7b, 0xfd];
const HOOKED_POOL = [0xed, 0xdb, 0xb8, 0x17, 0x2a, 0xbd, 0xa9, 0x23];
const POOL = [0xf1, 0x9a, 0x6d, 0x04, 0x11, 0xb1, 0x6d, 0xbc];
const POSITION = [0xaa, 0xbc, 0x8f, 0xe4, 0x7a, 0x40, 0xf7, 0xd0];

const isKind = ({ owner, data }: Account, program: string, discriminator: readonly number[], size: number) =>
  owner === program && data.length >= size && new Bytes(data).startsWith(discriminator);

const isCurveConfig = (account: Account) =>
  [POOL_CONFIG, HOOKED_CONFIG].some((kind) => isKind(account, DBC, kind, 1048));
const isCurve = (account: Account) =>
  [VIRTUAL_POOL, HOOKED_POOL].some((kind) => isKind(account, DBC, kind, 424));

/** The terms of bonding curves: receivers of the partner's fees and of the leftover supply. */
export const curveConfig: Reader = (account) => {
  if (!isCurveConfig(account)) return undefined;
  const bytes = new Bytes(account.data);
  const holders = { 'fee claimer': bytes.key(40), 'leftover receiver': bytes.key(72) };
  return found({ rights: rightsOf(account.address, holders) });
};

const CONFIG_OF_POOL = 72;
const CREATOR_OF_CURVE = 104;
/** Unclaimed fees: base and quote, of partner and creator. */
const [PARTNER_FEES, CREATOR_FEES] = [264, 352];

/** A bonding curve: its creator, and the unclaimed fees of creator and partner. */
export const curvePool: Reader = (account, around) => {
  if (!isCurve(account)) return undefined;
  const { address } = account;
  const bytes = new Bytes(account.data);
  const creator = bytes.key(CREATOR_OF_CURVE);
  const config = around.get(bytes.key(CONFIG_OF_POOL));
  const partner = config && isCurveConfig(config) ? new Bytes(config.data).key(40) : undefined;
  const waiting = (holder: string, at: number, of: string): Amount[] => [
    { line: `${of} base fees in ${address}`, holder, amount: bytes.u64(at) },
    { line: `${of} quote fees in ${address}`, holder, amount: bytes.u64(at + 8) },
  ];
  return found({
    rights: rightsOf(address, { 'pool creator': creator }),
    amounts: [
      ...waiting(creator, CREATOR_FEES, 'creator'),
      ...(partner === undefined ? [] : waiting(partner, PARTNER_FEES, 'partner')),
    ],
  });
};

const POOL_BYTES = 1112;
const [FEES_PER_LIQUIDITY, CREATOR_OF_POOL] = [488, 648];

export const pool: Reader = (account) => {
  if (!isKind(account, DAMM_V2, POOL, POOL_BYTES)) return undefined;
  const creator = new Bytes(account.data).key(CREATOR_OF_POOL);
  return found({ rights: rightsOf(account.address, { 'pool creator': creator }) });
};

const [CHECKPOINTS, PENDING, LIQUIDITY] = [72, 136, 152];

/** A position, owned by the holder of its NFT: its liquidity, the removable part, its fees. */
export const position: Reader = (account, around) => {
  if (!isKind(account, DAMM_V2, POSITION, 408)) return undefined;
  const { address } = account;
  const bytes = new Bytes(account.data);
  const holder = around.holderOfNft(bytes.key(40));
  if (holder === undefined) return found({});
  const [unlocked = 0n, vested = 0n, permanent = 0n] = [0, 1, 2].map((i) => bytes.u128(LIQUIDITY + 16 * i));
  const whole = unlocked + vested + permanent;
  const inPool = around.get(bytes.key(8));
  const fees = ['A', 'B'].map((token, i): Amount => {
    const perLiquidity =
      inPool && isKind(inPool, DAMM_V2, POOL, POOL_BYTES)
        ? new Bytes(inPool.data).u256(FEES_PER_LIQUIDITY + 32 * i) - bytes.u256(CHECKPOINTS + 32 * i)
        : 0n;
    const amount = bytes.u64(PENDING + 8 * i) + ((whole * perLiquidity) >> 128n);
    return { line: `fees in token ${token} of position ${address}`, holder, amount };
  });
  return found({
    rights: rightsOf(address, { position: holder }),
    amounts: [
      { line: `liquidity of position ${address}`, holder, amount: whole },
      { line: `removable liquidity of position ${address}`, holder, amount: unlocked },
      ...fees,
    ],
  });
};
