/** Accounts of native programs: wallets, nonces, stake, programs and buffers, lookup tables. */
import { createHash } from 'node:crypto';
import { Bytes, NO_KEY } from '../accounts.ts';
import { found, type Reader, rightsOf, SOL } from '../findings.ts';

const SYSTEM = NO_KEY;
const STAKE = 'Stake11111111111111111111111111111111111111';
const LOADER_V3 = 'BPFLoaderUpgradeab1e11111111111111111111111';
const LOADER_V4 = 'LoaderV411111111111111111111111111111111111';
const LOOKUP_TABLES = 'AddressLookupTab1e1111111111111111111111111';

/** Short digest of account data. */
export const digest = (data: Uint8Array): string =>
  createHash('sha256').update(data).digest('hex').slice(0, 16);

/** A key's own account: the key moves lamports only while the System program owns it and it has no data. */
export const wallet: Reader = ({ address, owner, lamports, data }) => {
  if (owner !== SYSTEM || data.length > 0) return undefined;
  return found({
    rights: [{ account: address, right: 'wallet', holder: address, loss: 'while open' }],
    amounts: [{ line: SOL, holder: address, amount: lamports }],
  });
};

const NONCE_BYTES = 80;
const NONCE_AUTHORITY = 8;

export const nonce: Reader = ({ address, owner, lamports, data }) => {
  if (owner !== SYSTEM || data.length !== NONCE_BYTES) return undefined;
  const bytes = new Bytes(data);
  if (bytes.u32(4) !== 1) return undefined;
  const holder = bytes.key(NONCE_AUTHORITY);
  return found({
    rights: rightsOf(address, { 'nonce authority': holder }),
    amounts: [{ line: SOL, holder, amount: lamports }],
  });
};

const [INITIALIZED, DELEGATED] = [1, 2];

/** Stake: the withdrawer owns the lamports unless a custodian's lock-up applies; the staker chooses the validator. */
export const stake: Reader = ({ address, owner, lamports, data }) => {
  if (owner !== STAKE || data.length < 200) return undefined;
  const bytes = new Bytes(data);
  const kind = bytes.u32(0);
  if (kind !== INITIALIZED && kind !== DELEGATED) return undefined;
  const withdrawer = bytes.key(44);
  const isLocked = bytes.u64(76) !== 0n || bytes.u64(84) !== 0n;
  const custodian = isLocked ? bytes.key(92) : undefined;
  const isMovable = custodian === undefined || custodian === withdrawer;
  const delegated = kind === DELEGATED && bytes.u64(172) === 2n ** 64n - 1n;
  return found({
    rights: rightsOf(address, { staker: bytes.key(12), withdrawer, 'lock-up custodian': custodian }),
    amounts: isMovable ? [{ line: 'stake', holder: withdrawer, amount: lamports }] : [],
    states: [
      {
        account: address,
        line: 'validator',
        holder: bytes.key(12),
        value: delegated ? `${bytes.key(124)} ${bytes.u64(156)}` : 'none',
      },
    ],
  });
};

const [BUFFER, PROGRAM_DATA] = [1, 3];
const PROGRAM_DATA_HEAD = 45;
const BUFFER_HEAD = 37;

/** Upgradeable programs and code buffers: their authority can close them and take the lamports. */
export const program: Reader = ({ address, owner, lamports, data }) => {
  if (owner === LOADER_V4 && data.length >= 48) {
    const [bytes, FINALIZED] = [new Bytes(data), 2n];
    const holder = bytes.u64(40) === FINALIZED ? undefined : bytes.key(8);
    return found({
      rights: rightsOf(address, { 'upgrade authority': holder }),
      states: [{ account: address, line: 'code', holder, value: digest(data.subarray(48)) }],
    });
  }
  if (owner !== LOADER_V3 || data.length < BUFFER_HEAD) return undefined;
  const bytes = new Bytes(data);
  const kind = bytes.u32(0);
  if (kind !== BUFFER && kind !== PROGRAM_DATA) return undefined;
  const head = kind === BUFFER ? BUFFER_HEAD : PROGRAM_DATA_HEAD;
  const holder = bytes.optionalKey(kind === BUFFER ? 4 : 12, 1);
  const right = kind === BUFFER ? 'buffer authority' : 'upgrade authority';
  return found({
    rights: rightsOf(address, { [right]: holder }),
    amounts: holder === undefined ? [] : [{ line: 'lamports of programs', holder, amount: lamports }],
    states: [{ account: address, line: 'code', holder, value: digest(data.subarray(head)) }],
  });
};

const TABLE_HEAD = 56;
const IN_USE = 2n ** 64n - 1n;

/** A lookup table: its authority can extend, deactivate and close it, and receives its lamports. */
export const lookupTable: Reader = ({ address, owner, lamports, data }) => {
  if (owner !== LOOKUP_TABLES || data.length < TABLE_HEAD) return undefined;
  const bytes = new Bytes(data);
  if (bytes.u32(0) !== 1) return undefined;
  const holder = bytes.optionalKey(21, 1);
  return found({
    rights: rightsOf(address, { 'table authority': holder }),
    amounts: holder === undefined ? [] : [{ line: SOL, holder, amount: lamports }],
    states: [
      { account: address, line: 'entries', holder, value: digest(data.subarray(TABLE_HEAD)) },
      { account: address, line: 'in use', holder, value: String(bytes.u64(4) === IN_USE) },
    ],
  });
};
