/** Demo steps and their shared helpers: submit and follow a plan, read the chain. */

import { decimal, SOL_DECIMALS } from '../../src/base/format.ts';
import { asRecord } from '../../src/base/record.ts';
import { LAUNCH_DECIMALS } from '../../src/contract/constants.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import type { DemoSession } from './session.ts';
import { records, text } from './session.ts';
import type { Step } from './transcript.ts';

export interface DemoState {
  session: DemoSession;
  wallet: string;
  pause(milliseconds: number): Promise<void>;
  /** Values for later steps. */
  facts: Map<string, string>;
}

export interface DemoStep {
  name: string;
  title: string;
  run(state: DemoState): Promise<{ step: Omit<Step, 'step'>; lines: string[] }>;
}

export interface LandedStage {
  id: string;
  signature: string;
  slot: number;
  feeLamports: number;
  /** Who paid the network fee. */
  feePayer: string;
}

interface LandedAnswer {
  readonly slot: number;
  readonly meta: { readonly err: unknown; readonly fee: number };
  /** Base64, and that word. */
  readonly transaction: readonly [string, string];
}

/** Calls a tool. Rejects with the server's message if it fails. */
export async function must(
  state: DemoState,
  tool: string,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const answer = await state.session.call(tool, args);
  if (answer.isError) throw new Error(`${tool}: ${answer.text}`);
  return answer.data;
}

/** Submits a plan and waits for its end; returns the last plan view. */
export async function land(state: DemoState, planId: string): Promise<Record<string, unknown>> {
  let plan = asRecord((await must(state, 'submit_plan', { planId, waitSeconds: 40 })).plan);
  for (let turn = 0; turn < 20 && (plan.status === 'running' || plan.status === 'waiting_setup'); turn += 1) {
    plan = asRecord((await must(state, 'submit_plan', { planId, waitSeconds: 40 })).plan);
  }
  return plan;
}

/** Reads every landed stage from the chain. */
export async function landedOnChain(state: DemoState, plan: Record<string, unknown>): Promise<LandedStage[]> {
  const landed: LandedStage[] = [];
  for (const stage of records(plan.stages)) {
    if (typeof stage.signature !== 'string') continue;
    const found = await state.session.rpc<LandedAnswer | null>('getTransaction', [
      stage.signature,
      { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 1 },
    ]);
    if (found === null || found.meta.err !== null)
      throw new Error(`stage ${text(stage, 'id')} is not on the chain`);
    landed.push({
      id: text(stage, 'id'),
      signature: stage.signature,
      slot: found.slot,
      feeLamports: found.meta.fee,
      feePayer: readTransaction(Buffer.from(found.transaction[0], 'base64')).staticAccounts[0] ?? '',
    });
  }
  return landed;
}

/** Returns the data of an account; `undefined` if it does not exist. */
export async function accountData(state: DemoState, address: string): Promise<Uint8Array | undefined> {
  const found = await state.session.rpc<{ value: { data: [string, string] } | null }>('getAccountInfo', [
    address,
    { commitment: 'confirmed', encoding: 'base64' },
  ]);
  return found.value === null ? undefined : new Uint8Array(Buffer.from(found.value.data[0], 'base64'));
}

/** Lamports of an account at `confirmed`. */
export async function lamports(state: DemoState, address: string): Promise<bigint> {
  const found = await state.session.rpc<{ value: number }>('getBalance', [
    address,
    { commitment: 'confirmed' },
  ]);
  return BigInt(found.value);
}

/** Base units in a token account; zero when it does not exist. */
export async function tokenAmount(state: DemoState, owner: string, mint: string): Promise<bigint> {
  const found = await state.session.rpc<{
    value: { account: { data: { parsed?: unknown } | [string, string] } }[];
  }>('getTokenAccountsByOwner', [owner, { mint }, { commitment: 'confirmed', encoding: 'base64' }]);
  let total = 0n;
  for (const { account } of found.value) {
    if (!Array.isArray(account.data)) throw new Error('the RPC did not answer in base64');
    total += Buffer.from(account.data[0], 'base64').readBigUInt64LE(64);
  }
  return total;
}

/** Base units of a token that was launched here, in whole tokens. */
export const tokens = (units: bigint): string => `${decimal(units, LAUNCH_DECIMALS)} tokens`;

/** Lamports as SOL for people. */
export const sol = (amount: bigint | number): string => `${decimal(BigInt(amount), SOL_DECIMALS)} SOL`;

/** Abbreviates an address. */
export const short = (address: string): string => `${address.slice(0, 4)}…${address.slice(-4)}`;
