/** Shared by tests that change one thing in the service's instructions of the real programs. */

import { FEE_SHARE_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { feeShareAuthority, feeShareConfig, inSol, quoteOf } from '../../sandbox/programs/feeShare.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { keyNamed } from './people.ts';
import { type Change, edited, type RealWorld, type Subject } from './realOperations.ts';

export type Edit = Parameters<typeof edited>[2];
type Accounts = EncodedInstruction['accounts'];

/** Requests in the larger format, with space for added instructions. */
export const LARGE = { transactionFormat: 'v1' };
export const TIP = { tipWallet: keyNamed('tip').address, tipLamports: 1_000_000 };

/** Offsets of the amounts in the data of a venue's second swap. */
export const [AMOUNT, LEAST] = [8, 16] as const;
/** Offset of the shares in the fee share instructions that write a list, after its length. */
export const SHARES = 12;

/** Removes an instruction. */
export const dropped = () => [];

/** Replaces the address at an index among the accounts of an instruction. */
export const replacedAt = (
  accounts: Accounts,
  index: number,
  address: string,
  writable?: boolean,
): Accounts =>
  accounts.map((each, i) =>
    i === index ? { ...each, address, ...(writable === undefined ? {} : { writable }) } : each,
  );

/** The token of a launch. */
export const launchedBy = ({ fields }: Subject) => ({
  mint: String(fields.tokenMint),
  tokenProgram: TOKEN_PROGRAM,
});

/** The claimers in the world's requests, after the wallet. */
export const claimer = (n: number): string => keyNamed(`claimer ${n}`).address;

/** A config on a curve for three claimers, with a tip. */
export const curveConfig = ({ world }: RealWorld, mint: string): Subject => ({
  endpoint: 'feeShareConfig',
  fields: world.configRequest(mint, [5000, 3000, 2000], { flow: 'dbc', ...LARGE, ...TIP }),
});

/** Changes the first fee share instruction, which writes the list of claimers. */
export const list = (edit: Edit): Change => edited(FEE_SHARE_PROGRAM, 0, edit);

/** The same instruction for another token. */
export function renamed(each: EncodedInstruction, from: string, to: string): EncodedInstruction {
  const held = (mint: string) => quoteOf(feeShareAuthority(inSol(mint)), inSol(mint));
  const names = new Map([
    [from, to],
    [feeShareConfig(inSol(from)), feeShareConfig(inSol(to))],
    [feeShareAuthority(inSol(from)), feeShareAuthority(inSol(to))],
    [held(from), held(to)],
  ]);
  return {
    ...each,
    accounts: each.accounts.map((account) => ({
      ...account,
      address: names.get(account.address) ?? account.address,
    })),
  };
}
