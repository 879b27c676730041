/** Invariants of every simulated life under any fault. The model knows the true state; the home does not. */

import { openDatabase } from '../../src/ledger/sqlite/database.ts';
import type { HomeLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { PlanView } from '../../src/presentation/planPort.ts';
import { decodeWire } from '../../src/transaction/wire.ts';
import { usedIn } from '../ledger/samples.ts';
import { DEPTH, type ModelChain } from './modelChain.ts';
import { LIMIT, mostOf } from './modelPolicy.ts';
import type { Intent } from './modelService.ts';
import { FEE, readAct, type SignedAct } from './transactions.ts';

interface Pursued {
  readonly intent: Intent;
  readonly planId?: string;
  readonly view?: PlanView;
}

export class Invariants {
  readonly violations: string[] = [];
  /** Every signature whose row was committed. */
  readonly rows = new Map<string, SignedAct>();
  private readonly chain: ModelChain;
  private readonly intents: readonly Intent[];
  private readonly wallet: string;
  private readonly trace: (event: string) => void;

  constructor(chain: ModelChain, intents: readonly Intent[], wallet: string, trace: (event: string) => void) {
    this.chain = chain;
    this.intents = intents;
    this.wallet = wallet;
    this.trace = trace;
  }

  violate(label: string): void {
    if (this.violations.includes(label)) return;
    this.violations.push(label);
    this.trace(`VIOLATION ${label}`);
  }

  /** Checks that a signature's row is committed before the first send. */
  sending(signature: string): void {
    if (!this.rows.has(signature)) this.violate(`sent before its row was there: ${signature}`);
  }

  /** Checks, right after a row is committed, that no other signature of the same effect has landed or still can. */
  journaled(transaction: string): void {
    const act = readAct(decodeWire(transaction, 'base64'));
    const tip = this.chain.tip();
    for (const other of this.rows.values()) {
      if (other.effect !== act.effect || other.signature === act.signature) continue;
      // A transaction that failed on chain had no effect: a new plan for the intent is permitted.
      const landing = this.chain.landings.get(other.signature);
      if (landing !== undefined) {
        if (landing.error !== null) continue;
        this.violate(`signed again after it landed: ${act.effect}`);
      } else if (this.chain.isValid(other.blockhash, tip)) {
        this.violate(`two signatures can land: ${act.effect}`);
      }
    }
    this.rows.set(act.signature, act);
  }

  /** Checks that a shown status is true, except after a rollback of confirmed slots. */
  shown(intent: Intent, view: PlanView): void {
    // Read first: due slots may roll back transactions.
    const tip = this.chain.tip();
    if (this.chain.deepForks > 0) return;
    const present = (effect: string) => this.chain.landed(effect).length === 1;
    const needed = intent.acts.filter(({ effect }) => !effect.endsWith(' LUT_CLOSE'));
    if (view.status === 'complete' && !needed.every(({ effect }) => present(effect))) {
      this.violate(`called complete and is not: ${intent.id}`);
    }
    for (const { id, status, signature } of view.stages) {
      if (signature === undefined) continue;
      const landing = this.chain.landings.get(signature);
      if (landing === undefined) this.violate(`called ${status} and never landed: ${intent.id} ${id}`);
      else if ((status === 'failed') !== (landing.error !== null)) {
        this.violate(`called ${status} and is not: ${intent.id} ${id}`);
      } else if (status === 'finalized' && landing.slot > tip - DEPTH.finalized) {
        this.violate(`called finalized too early: ${intent.id} ${id}`);
      }
    }
  }

  /** Checks the final state, without faults and running processes. */
  async atRest(ledger: HomeLedger, pursued: readonly Pursued[], file: string, now: number): Promise<void> {
    for (const intent of this.intents) {
      for (const { effect } of intent.acts) {
        if (this.chain.landed(effect).length > 1) this.violate(`landed twice: ${effect}`);
      }
    }
    for (const { act } of this.chain.landings.values()) {
      if (!this.rows.has(act.signature)) this.violate(`landed without a row: ${act.effect}`);
    }
    for (const { intent, planId, view } of pursued) this.ended(intent, planId, view);
    await this.checkLedger(ledger, file, now);
  }

  private ended(intent: Intent, planId: string | undefined, view: PlanView | undefined): void {
    if (planId === undefined || view === undefined) {
      this.violate(`never built: ${intent.kind}`);
      return;
    }
    this.shown(intent, view);
    const failed = [...this.chain.landings.values()].some(
      ({ act, error }) => error !== null && intent.acts.some(({ effect }) => effect === act.effect),
    );
    // A failure that was confirmed and rolled back may have landed successfully later.
    const expected = failed || this.chain.deepForks > 0 ? ['failed', 'expired', 'complete'] : ['complete'];
    if (!expected.includes(view.status)) this.violate(`ended ${view.status}: ${intent.kind}`);
  }

  private async checkLedger(ledger: HomeLedger, file: string, now: number): Promise<void> {
    const db = await openDatabase(file, { now: () => now, sleep: async () => {} }, 'read');
    try {
      let expected = 0n;
      const stored = await db.all(
        'SELECT r.state AS reserved, j.signature, j.state FROM reservations r LEFT JOIN journal j ON j.reservation = r.id',
      );
      const known = new Set<string>();
      for (const row of stored) {
        const signature = row.maybeText('signature');
        const reserved = row.text('reserved');
        if (signature === undefined) {
          if (reserved !== 'released') this.violate(`never signed and still ${reserved}`);
          continue;
        }
        known.add(signature);
        const state = row.text('state');
        const act = this.rows.get(signature);
        const landing = this.chain.landings.get(signature);
        if (act === undefined) {
          this.violate('a row of a signature that was never made');
        } else if (landing === undefined) {
          if (reserved !== 'released')
            this.violate(`never landed (${state}) and still ${reserved}: ${act.effect}`);
        } else {
          if (reserved !== 'settled') this.violate(`landed (${state}) and ${reserved}: ${act.effect}`);
          const fee = act.payer === this.wallet ? FEE : 0n;
          expected += fee + (landing.error === null ? BigInt(act.lamports) : 0n);
        }
        if (reserved === 'signed') expected += mostOf(act?.lamports ?? 0);
      }
      for (const signature of this.rows.keys()) {
        if (!known.has(signature)) this.violate('a row of the journal is lost');
      }
      const used = await usedIn(ledger, [LIMIT], this.wallet, this.chain.genesis);
      if (used[LIMIT.id] !== expected)
        this.violate(`the limit counts ${used[LIMIT.id]} and ${expected} were used`);
      const { brokenAt } = await ledger.verifyDecisions();
      if (brokenAt !== undefined) this.violate('the record of decisions is broken');
    } finally {
      await db.close();
    }
  }
}
