/** The service's access to the chain: typed account reads, from the newest block by default, and its own transactions. */

import { attempt } from '../../src/base/attempt.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { type LookupTableState, readLookupTable } from '../../src/programs/solana/lookupTable.ts';
import {
  type MintState,
  readMint,
  readTokenAccount,
  type TokenAccountState,
} from '../../src/programs/token/accounts.ts';
import type { TransferFeeSchedule } from '../../src/programs/token2022/extensions.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAMS } from '../../src/transaction/programs.ts';
import type { Address } from '../../src/transaction/types.ts';
import type { SandboxChain } from '../chain/chain.ts';
import { transactionErrorSentence } from '../chain/errors.ts';
import type { ChainAccount, TransactionRecord, View } from '../chain/types.ts';
import type { Keypair } from '../keypair.ts';
import { budgetFor, compileDraft, type Draft, type Lifetime } from './build/compile.ts';

/** A mint with the program that owns it. */
export interface MintOnChain extends MintState {
  readonly address: Address;
  readonly tokenProgram: Address;
}

/** One of the service's own transactions did not land. */
export class LandError extends Error {}

const SLOTS_PER_EPOCH = 432_000;
/** Additional instructions in the compute budget, since programs differ in their use. */
const MARGIN = 20;

export class Onchain {
  readonly chain: SandboxChain;
  readonly #sleep: ((ms: number) => Promise<void>) | undefined;
  /** Makes otherwise equal transactions of one block different. */
  #nonce = 0;

  /** Without `sleep`, waiting advances the slots of the chain. */
  constructor(chain: SandboxChain, sleep?: (ms: number) => Promise<void>) {
    this.chain = chain;
    this.#sleep = sleep;
  }

  account(address: Address, view: View = 'processed'): ChainAccount | null {
    return this.chain.getAccount(address, view);
  }

  lamports(address: Address): bigint {
    return this.account(address)?.lamports ?? 0n;
  }

  mint(address: Address, view: View = 'processed'): MintOnChain | undefined {
    const account = this.account(address, view);
    if (account === null || !TOKEN_PROGRAMS.includes(account.owner)) return undefined;
    const state = attempt(() => readMint(account.data));
    return state && { ...state, address, tokenProgram: account.owner };
  }

  tokenAccount(address: Address, view: View = 'processed'): TokenAccountState | undefined {
    const account = this.account(address, view);
    if (account === null || !TOKEN_PROGRAMS.includes(account.owner)) return undefined;
    return attempt(() => readTokenAccount(account.data));
  }

  /** Base units in a token account; 0 when there is none. */
  balance(address: Address, view: View = 'processed'): bigint {
    return this.tokenAccount(address, view)?.amount ?? 0n;
  }

  lookupTable(address: Address, view: View = 'processed'): LookupTableState | undefined {
    const account = this.account(address, view);
    return account === null ? undefined : attempt(() => readLookupTable(account.data));
  }

  /** The transfer fee in force now, if the mint has one. */
  transferFee(mint: MintOnChain): TransferFeeSchedule | undefined {
    if (mint.tokenProgram !== TOKEN_2022_PROGRAM || mint.transferFee === undefined) return undefined;
    const epoch = BigInt(Math.floor(this.chain.slot / SLOTS_PER_EPOCH));
    const { newer, older } = mint.transferFee;
    return epoch >= newer.epoch ? newer : older;
  }

  rent(bytes: number): bigint {
    return this.chain.rent(bytes);
  }

  /** Returns the newest confirmed lifetime. */
  lifetime(): Lifetime {
    const { blockhash, lastValidBlockHeight } = this.chain.latestBlockhash('confirmed');
    return { blockhash, lastValidBlockHeight };
  }

  /** Milliseconds since the epoch, by the newest block's time. */
  now(): number {
    return this.chain.blockTime(this.chain.slot) * 1000;
  }

  /** Lands one of the service's own transactions. Throws LandError with the runtime's sentence. */
  land(draft: Draft): TransactionRecord {
    this.#nonce += 1;
    const nonce = BigInt(this.#nonce);
    const fee = { microLamportsPerUnit: 1_000n + nonce, priorityFeeLamports: 500n + nonce };
    const budget = { ...draft.budget, ...fee };
    const outcome = this.chain.submit(compileDraft({ ...draft, budget }, this.lifetime()).bytes);
    const err = outcome.landed ? outcome.record.err : outcome.err;
    if (outcome.landed && err === null) return outcome.record;
    const logs = outcome.landed ? ` ${outcome.record.logs.slice(-3).join(' ')}` : '';
    throw new LandError(`${transactionErrorSentence(err ?? 'SanitizeFailure')}${logs}`);
  }

  /** Lands instructions of the service's own: `payer` pays, and the others sign where they must. Throws LandError. */
  landBy(
    payer: Keypair,
    instructions: readonly EncodedInstruction[],
    ...others: readonly Keypair[]
  ): TransactionRecord {
    const budget = budgetFor(instructions.length + MARGIN);
    const signers = [payer, ...others];
    return this.land({ format: 'v1', feePayer: payer.address, instructions, budget, signers });
  }

  /** Waits until what has landed so far is confirmed. */
  confirmed(): Promise<void> {
    return this.#until(this.chain.slot + this.chain.confirmedLag);
  }

  /** Waits until a table extended just now can be used in every view of confirmed blocks. */
  tablesWarm(): Promise<void> {
    return this.#until(this.chain.slot + this.chain.confirmedLag + 1);
  }

  async #until(slot: number): Promise<void> {
    while (this.chain.slot < slot) {
      if (this.#sleep === undefined) this.chain.advanceSlots(1);
      else await this.#sleep(5);
    }
  }
}
