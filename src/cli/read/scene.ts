/** A transaction with everything known of it for the wallet that must sign. Pure. */
import type { Reading } from '../../programs/read.ts';
import type { Address } from '../../transaction/types.ts';
import { depositsOf } from './amounts/deposits.ts';
import { totalsOf } from './amounts/summary.ts';
import type { Asked } from './asked.ts';
import { type Explained, MISSING_TABLE } from './explain.ts';
import type { Summary, Unread } from './facts.ts';
import { knownOf, type StepAct, type TransactionKnown } from './known.ts';
import { fixedName } from './naming.ts';
import { rightsOf } from './rights.ts';
import type { Surroundings } from './surroundings.ts';

/** What a page is made with besides the transaction. */
export interface Shown {
  /** Wallets of the reader, called by these names. */
  readonly names: ReadonlyMap<Address, string>;
  /** What was looked up; absent where no RPC was asked. */
  readonly around?: Surroundings;
  /** What the plan was asked with; absent where the transaction is of no plan of this home. */
  readonly asked?: Asked;
}

export interface Scene {
  readonly wallet: Address;
  /** Why the page may be for another wallet than the reader's, as a sentence. */
  readonly doubt?: string;
  /** The reader's names, with one for the wallet. */
  readonly names: ReadonlyMap<Address, string>;
  readonly decimals: (mint: Address) => number | undefined;
  readonly known: TransactionKnown;
  readonly summary: Summary;
}

export function sceneOf(found: Explained, { names, around, asked }: Shown): Scene {
  const unsigned = found.signers.filter(({ signed }) => !signed).map(({ address }) => address);
  const [only] = unsigned.length === 1 ? unsigned : [];
  const wallet =
    unsigned.find((address) => names.has(address)) ??
    (unsigned.includes(found.feePayer) ? found.feePayer : (only ?? found.feePayer));
  const named = new Map(names);
  if (!named.has(wallet))
    named.set(wallet, unsigned.includes(wallet) ? 'the signing wallet' : 'the fee payer');
  const steps: StepAct[] = found.instructions.flatMap(({ reading, acts }) =>
    acts.map((act) => ({ step: reading.index + 1, act })),
  );
  const accountAt = around?.accountAt ?? (() => undefined);
  const known = knownOf(steps, wallet, accountAt, around !== undefined, asked?.settings);
  const doubt = doubtOf(names, unsigned);
  return {
    wallet,
    ...(doubt === undefined ? {} : { doubt }),
    names: named,
    known,
    decimals: (mint) => around?.decimals(mint) ?? known.decimalsOf(mint),
    summary: {
      wallet,
      online: around !== undefined,
      totals: totalsOf(steps, wallet, known, accountAt),
      deposits: depositsOf(steps, wallet, known, accountAt),
      rights: rightsOf(steps, wallet, known),
      unread: found.instructions.flatMap(({ reading }) => unreadOf(reading, wallet)),
      steps,
      inferred: found.instructions.flatMap(({ reading }) =>
        reading.status === 'read' ? reading.inferred.map((what) => ({ step: reading.index + 1, what })) : [],
      ),
      isFamiliar: (address) =>
        known.isOwn(address) ||
        named.has(address) ||
        fixedName(address) !== undefined ||
        known.feeShareOf(address) !== undefined,
      ...(asked === undefined ? {} : { asked }),
    },
  };
}

function doubtOf(names: ReadonlyMap<Address, string>, unsigned: readonly Address[]): string | undefined {
  if (unsigned.some((address) => names.has(address))) return undefined;
  if (names.size > 0) return 'None of the wallets you named must sign this.';
  return unsigned.length > 1
    ? 'More than one key must sign. If this is not your wallet, pass --wallet ADDRESS.'
    : undefined;
}

function unreadOf(reading: Reading, wallet: Address): Unread[] {
  if (reading.status === 'read') return [];
  const { index, program, accounts } = reading;
  return [
    {
      step: index + 1,
      program,
      missingTable: reading.status === 'unread' && reading.reason === MISSING_TABLE,
      signed: accounts.some(({ address, signer }) => signer && address === wallet),
      writes: [...new Set(accounts.flatMap(({ address, writable }) => (writable ? [address] : [])))],
    },
  ];
}
