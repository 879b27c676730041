/**
 * What refused plans wanted to do: every program they call and how. It shows a person what could be added to a
 * policy; nothing is ever added by itself, and a program that was asked for often is not a better program.
 */

import { DENIED_PROGRAMS, STOCK_PROGRAMS } from '../policy/decide/checks/deniedPrograms.ts';
import type { Decision, Facts } from '../policy/decide/types.ts';
import type { Policy } from '../policy/file/schema.ts';
import { programName } from '../programs/index.ts';
import { type Reading, readInstruction } from '../programs/read.ts';
import { resolveInstructions } from '../transaction/accounts.ts';
import { TransactionError } from '../transaction/errors.ts';
import { readTransaction } from '../transaction/read.ts';
import type { Address, ResolvedInstruction } from '../transaction/types.ts';
import { decodeWire } from '../transaction/wire.ts';

/** A refused stage as recorded. */
export interface Denied {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly planId: string;
  readonly decision: Decision;
  readonly facts: Facts;
}

/** One kind of instruction of a program. */
export interface SeenInstruction {
  /** Its name where it can be read, else the first eight bytes of its data in hex. */
  readonly name: string;
  readonly readable: boolean;
  readonly times: number;
  /** Whether the wallet's signature was handed to it. */
  readonly walletSigns: boolean;
}

/** A program that refused plans call. */
export interface SeenProgram {
  readonly address: Address;
  readonly name?: string;
  /** `listed`: the policy allows it · `addable`: a person could add it · `denied`: no file can allow it. */
  readonly standing: 'listed' | 'addable' | 'denied';
  /** How its instructions would be judged if it were added. */
  readonly binding: 'exact' | 'effects';
  readonly instructions: readonly SeenInstruction[];
  readonly operations: readonly string[];
  readonly plans: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  /** The newest decision it was seen in. */
  readonly decision: string;
}

interface Tally {
  readonly address: Address;
  readonly instructions: Map<
    string,
    { name: string; readable: boolean; times: number; walletSigns: boolean }
  >;
  readonly operations: Set<string>;
  readonly plans: Set<string>;
  first: number;
  last: number;
  decision: string;
}

/** Programs of refused stages: those a person could add first, then the listed, then those no file can allow. */
export function observe(denied: readonly Denied[], policy: Policy | undefined): SeenProgram[] {
  const seen = new Map<Address, Tally>();
  for (const each of denied) {
    if (each.decision.effect !== 'deny') continue;
    for (const instruction of instructionsOf(each.facts)) count(seen, each, instruction);
  }
  const listed = new Set(policy?.programs.map((entry) => entry.address));
  const rank = { addable: 0, listed: 1, denied: 2 } as const;
  return [...seen.values()]
    .map((tally) => said(tally, listed))
    .sort(
      (a, b) => rank[a.standing] - rank[b.standing] || b.plans - a.plans || (a.address < b.address ? -1 : 1),
    );
}

function count(seen: Map<Address, Tally>, { id, time, planId, facts }: Denied, reading: Reading): void {
  const tally = seen.get(reading.program) ?? {
    address: reading.program,
    instructions: new Map(),
    operations: new Set(),
    plans: new Set(),
    first: time,
    last: time,
    decision: id,
  };
  seen.set(reading.program, tally);
  tally.operations.add(facts.plan.operation);
  tally.plans.add(planId);
  tally.first = Math.min(tally.first, time);
  if (time >= tally.last) {
    tally.last = time;
    tally.decision = id;
  }
  const readable = reading.status === 'read';
  const name = readable ? reading.instruction.kind : Buffer.from(reading.data.subarray(0, 8)).toString('hex');
  const before = tally.instructions.get(name) ?? { name, readable, times: 0, walletSigns: false };
  tally.instructions.set(name, {
    ...before,
    times: before.times + 1,
    walletSigns:
      before.walletSigns || reading.accounts.some((use) => use.signer && isOurs(facts, use.address)),
  });
}

const isOurs = (facts: Facts, address: Address): boolean =>
  address === facts.plan.wallet || facts.ourWallets.includes(address);

function said(tally: Tally, listed: ReadonlySet<Address>): SeenProgram {
  const { address, instructions, operations, plans, first, last, decision } = tally;
  const name = programName(address);
  const isRead = [...instructions.values()].every(({ readable }) => readable);
  return {
    address,
    ...(name === undefined ? {} : { name }),
    standing: DENIED_PROGRAMS.has(address) ? 'denied' : listed.has(address) ? 'listed' : 'addable',
    binding: isRead || STOCK_PROGRAMS.has(address) ? 'exact' : 'effects',
    instructions: [...instructions.values()].sort((a, b) => b.times - a.times),
    operations: [...operations].sort(),
    plans: plans.size,
    firstSeen: first,
    lastSeen: last,
    decision,
  };
}

/** The instructions of a stage; those whose accounts a missing table hides are still named. */
function instructionsOf({ stage, tables }: Facts): Reading[] {
  try {
    const transaction = readTransaction(decodeWire(stage.transaction, 'base64'));
    try {
      return resolveInstructions(transaction, tables).map(readInstruction);
    } catch (error) {
      if (!(error instanceof TransactionError)) throw error;
      const { staticAccounts } = transaction;
      return transaction.instructions.map(({ programIndex, data }, index): Reading => {
        const bare: ResolvedInstruction = {
          index,
          program: staticAccounts[programIndex] ?? '',
          accounts: [],
          data,
        };
        return readInstruction(bare);
      });
    }
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    // Bytes without a reading name no program.
    return [];
  }
}
