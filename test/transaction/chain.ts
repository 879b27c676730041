/** A LiteSVM chain that runs locally built instructions on the real programs. */
import { getTransactionDecoder, address as kitAddress } from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { expect } from 'vitest';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { resolveInstructions } from '../../src/transaction/accounts.ts';
import { TOKEN_2022_PROGRAM } from '../../src/transaction/programs.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { decodeInstruction } from '../programs/stock.ts';
import { compile, SIGNERS } from './arbitrary.ts';
import { testAddress } from './keys.ts';

const signer = (n: number) => SIGNERS[n]?.address ?? '';
/** The payer, and two more signers, so that accounts can be created at their addresses. */
export const [payer, mint, holder] = [signer(0), signer(1), signer(2)];
export const wallet = testAddress('wallet');
const slots = ['signed', 'signed', 'signed', 'signed'] as const;

/** Kinds that ran on the real programs in this test file. */
export const ran = new Set<string>();

/** A fresh chain with a funded payer. */
export function newChain() {
  const svm = new LiteSVM();
  svm.airdrop(kitAddress(payer), 10_000_000_000n as Parameters<LiteSVM['airdrop']>[1]);

  /** Runs the instructions in one legacy transaction. Returns the failure, or `undefined`. */
  function run(...instructions: EncodedInstruction[]): string | undefined {
    svm.expireBlockhash();
    const blockhash = svm.latestBlockhash();
    const bytes = compile({ format: 'legacy', feePayer: payer, blockhash, instructions, tables: [], slots });
    const outcome = svm.sendTransaction(getTransactionDecoder().decode(bytes));
    if (outcome instanceof FailedTransactionMetadata) {
      return `${outcome.err()} ${outcome.meta().logs().join(' ')}`;
    }
    for (const instruction of resolveInstructions(readTransaction(bytes), [])) {
      ran.add(decodeInstruction(instruction).kind);
    }
    return undefined;
  }

  return {
    svm,
    run,
    /** Expects the instructions to land. */
    lands: (...instructions: EncodedInstruction[]) => expect(run(...instructions)).toBeUndefined(),
    /** The data of an account. */
    data(address: string): Uint8Array {
      const account = svm.getAccount(kitAddress(address));
      if (!account.exists) throw new Error(`${address} does not exist`);
      return new Uint8Array(account.data);
    },
  };
}

/** A `createAccount` with 0.1 SOL. */
export const create = (newAccount: string, space: number, owner = TOKEN_2022_PROGRAM) =>
  encodeInstruction('system.createAccount', {
    accounts: { payer, newAccount },
    args: { lamports: 100_000_000n, space: BigInt(space), owner },
  });
