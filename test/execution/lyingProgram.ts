/**
 * A fee share program that does something else than its instructions were read to say: the stand-in, with one of its
 * machine instructions replaced. The service's answers stay honest; only the code at the program's address is not.
 */
import { FEE_SHARE_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { standInPrograms } from '../../sandbox/programs/standIns.ts';

/** Where a machine instruction stands in the code, and what is put there. */
interface Patch {
  /** Hex of the instructions around it; `.` stands for any digit. */
  readonly around: string;
  /** The instruction's place in `around`, in instructions of eight bytes. */
  readonly at: number;
  readonly instead: string;
}

/** A share is loaded from the instruction data, and written into the config. */
const SHARE = '6921000000000000' + '6b16000000000000';
/** Bytes of an account in the program's memory, and how many stand before the first claimer. */
const ACCOUNT_BYTES = 56;

const LIES = {
  /** Each claimer is written down with half of everything. */
  shares: { around: SHARE, at: 0, instead: `b7010000${word(5000)}` },
  /** The accounts after the payer are written down as claimers: the service's own key is the first of them. */
  claimers: {
    around: `7942000000000000${'.'.repeat(16 * 6)}${SHARE}`,
    at: 0,
    instead: `7942${half(-14 * ACCOUNT_BYTES)}00000000`,
  },
  /** The service's own key is written down as the one who may change the split later. */
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

/** The program that lies, as the sandbox takes it. Throws where the stand-in was compiled anew and has to be looked at again. */
export function lyingFeeShare(lie: Lie): ReadonlyMap<string, Uint8Array> {
  const code = Buffer.from(standInPrograms().get(FEE_SHARE_PROGRAM) ?? []);
  const { around, at, instead } = LIES[lie];
  const text = code.toString('hex');
  const found = [...text.matchAll(new RegExp(around, 'g'))];
  if (found.length !== 1) throw new Error(`${found.length} places in the program fit the lie "${lie}"`);
  code.set(Buffer.from(instead, 'hex'), (found[0]?.index ?? 0) / 2 + 8 * at);
  return new Map([[FEE_SHARE_PROGRAM, new Uint8Array(code)]]);
}
