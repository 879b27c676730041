/**
 * The stages of the sweep on the real runtime: an honest stage and the same with a shot in it, on the accounts the
 * recording saw and those the wallet owns besides; and what the oracle says of the difference.
 */

import { relayProgram } from '../../src/attacks/programs/relayProgram.ts';
import type { Facts } from '../../src/policy/decide/types.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { type Account, accountsFrom } from '../oracle/accounts.ts';
import { key, u32, u64 } from '../oracle/encode.ts';
import { type Inventory, inventoryOf } from '../oracle/inventory.ts';
import { type Allowance, allowanceOf, worse } from '../oracle/judge.ts';
import { OracleChain, type Trial } from '../oracle/runtime.ts';
import { rewritten, stage, WALLET } from '../policy/recorded/stages.ts';
import { RELAY } from './policies.ts';
import { accountFact, owned, placedIn, type Shot } from './sweep.ts';

/** Fees of a shot that its honest twin does not pay: a signature of the attacker's, which it pays itself or not. */
const SIGNATURE_FEES = 20_000n;
const MOST_UNITS = 1_400_000;

/** What running a shot showed. */
export interface Shown {
  /** Why it did not run, or `undefined`. */
  readonly failed: string | undefined;
  /** What is worse for the wallet than after the honest stage. */
  readonly harms: readonly string[];
  /** The facts of the shot with what the run did as their simulation. */
  readonly facts: Facts;
}

/** One recorded stage on a chain of its own. */
export class Running {
  readonly #name: string;
  readonly #chain = new OracleChain();
  readonly #before: ReadonlyMap<string, Account>;
  readonly #inventory: Inventory;
  readonly #allowance: Allowance;
  /** Why the honest stage itself does not run; `undefined` when it does. */
  readonly failed: string | undefined;

  constructor(name: string) {
    this.#name = name;
    const facts = stage(name);
    const simulated = facts.simulation.status === 'done' ? facts.simulation.before : [];
    const accounts = [
      ...owned.snapshot,
      ...accountsFrom(facts.accounts),
      ...accountsFrom(simulated),
      ...tablesOf(facts),
    ].filter(({ owner }) => !owner.startsWith('NativeLoader') && !owner.startsWith('Sysvar'));
    this.#before = new Map(accounts.map((account) => [account.address, account]));
    this.#chain.warpTo(BigInt(facts.slot + 1));
    this.#chain.put(this.#before.values());
    this.#chain.deploy(RELAY, relayProgram());
    this.#inventory = inventoryOf([WALLET], this.#before.values());
    const honest = this.#try(runnable(facts, (list) => list));
    this.failed = honest.failed;
    const allowance = allowanceOf(this.#inventory, this.#after(honest));
    const sol = (allowance.out?.SOL ?? 0n) + SIGNATURE_FEES;
    // Where the honest stage brings SOL, a little less of it is the fee of one more signature.
    const least = allowance.in?.SOL;
    this.#allowance = {
      ...allowance,
      out: { ...allowance.out, SOL: sol },
      ...(least === undefined ? {} : { in: { ...allowance.in, SOL: least - SIGNATURE_FEES } }),
    };
  }

  /** Runs a shot, given the facts the policy decided about. */
  show(shot: Shot, decided: Facts): Shown {
    const trial = this.#try(runnable(stage(this.#name), placedIn(shot)));
    const { failed, written } = trial;
    if (failed !== undefined) return { failed, harms: [], facts: decided };
    const harms = worse(this.#inventory, this.#after(trial), this.#allowance);
    const watched = decided.simulation.status === 'done' ? decided.simulation.before : [];
    const now = new Map(written.map((account) => [account.address, account]));
    const after = watched.map((was) => {
      const account = now.get(was.address);
      if (account === undefined) return was;
      if (account.lamports > 0n) return accountFact(account);
      return { ...was, exists: false, lamports: '0', data: '', owner: '11111111111111111111111111111111' };
    });
    const simulation =
      decided.simulation.status === 'done' ? { ...decided.simulation, after } : decided.simulation;
    return { failed, harms, facts: { ...decided, simulation } };
  }

  #try(facts: Facts): Trial {
    return this.#chain.tryBytes(Buffer.from(facts.stage.transaction, 'base64'));
  }

  #after({ written }: Trial): Inventory {
    const accounts = new Map(this.#before);
    for (const account of written)
      if (account.lamports > 0n) accounts.set(account.address, account);
      else accounts.delete(account.address);
    return inventoryOf([WALLET], accounts.values());
  }
}

/** The stage with as many compute units as there may be, so that no shot fails for want of them. */
function runnable(facts: Facts, change: Parameters<typeof rewritten>[1]): Facts {
  const limit = encodeInstruction('computeBudget.setComputeUnitLimit', {
    accounts: {},
    args: { units: MOST_UNITS },
  });
  const { config, format } = readTransaction(Buffer.from(facts.stage.transaction, 'base64'));
  return format === 'v1'
    ? rewritten(facts, change, { config: { ...config, computeUnitLimit: MOST_UNITS } })
    : rewritten(facts, change, { budget: [limit] });
}

/** Lookup tables as accounts, from what the facts say is in them. */
function tablesOf({ tables }: Facts): Account[] {
  return tables.map(({ table, addresses }) => ({
    address: table,
    owner: 'AddressLookupTab1e1111111111111111111111111',
    lamports: 10_000_000n,
    data: Uint8Array.from([
      ...u32(1),
      ...u64(2n ** 64n - 1n),
      ...u64(1n),
      ...new Uint8Array(36),
      ...addresses.flatMap(key),
    ]),
  }));
}
