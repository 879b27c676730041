/**
 * Fee share program that deviates from its interface: the stand-in with one machine instruction replaced. The service's
 * answers stay honest; only the code at the program's address differs.
 */
import { FEE_SHARE_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { standInPrograms } from '../../sandbox/programs/standIns.ts';

/** Location of a machine instruction in the code, and its replacement. */
interface Patch {
  /** Hex of the surrounding instructions; `.` matches any digit. */
  readonly around: string;
  /** Index of the instruction in `around`; instructions have eight bytes. */
  readonly at: number;
  readonly instead: string;
}

/** Loads a share from the instruction data and writes it to the config. */
const SHARE = '6921000000000000' + '6b16000000000000';
/** Size of an account in the program's memory, and number of accounts before the first claimer. */
const ACCOUNT_BYTES = 56;

const LIES = {
  /** Records half of everything for each claimer. */
  shares: { around: SHARE, at: 0, instead: `b7010000${word(5000)}` },
  /** Records the accounts after the payer as claimers, starting with the service's own key. */
  claimers: {
    around: `7942000000000000${'.'.repeat(16 * 6)}${SHARE}`,
    at: 0,
    instead: `7942${half(-14 * ACCOUNT_BYTES)}00000000`,
  },
  /** Records the service's own key as the manager of the split. */
  manager: {
    around: `18010000${word(5 * ACCOUNT_BYTES)}0000000003000000050018`,
    at: 0,
    instead: `18010000${word(ACCOUNT_BYTES)}`,
  },
} satisfies Record<string, Patch>;

export type Lie = keyof typeof LIES;

function word(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes.toString('hex');
}

function half(value: number): string {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16LE(value);
  return bytes.toString('hex');
}

/**
 * Returns the patched program for the sandbox. Throws if the stand-in was recompiled and the patch no longer matches.
 */
export function lyingFeeShare(lie: Lie): ReadonlyMap<string, Uint8Array> {
  const code = Buffer.from(standInPrograms().get(FEE_SHARE_PROGRAM) ?? []);
  const { around, at, instead } = LIES[lie];
  const text = code.toString('hex');
  const found = [...text.matchAll(new RegExp(around, 'g'))];
  if (found.length !== 1) throw new Error(`${found.length} places in the program fit the lie "${lie}"`);
  code.set(Buffer.from(instead, 'hex'), (found[0]?.index ?? 0) / 2 + 8 * at);
  return new Map([[FEE_SHARE_PROGRAM, new Uint8Array(code)]]);
}
