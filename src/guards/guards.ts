/**
 * Guards: instructions at the end of a transaction that make it fail unless the wallet ends with what was promised. First
 * `Revoke` and `SetAuthority(CloseAccount, none)`, which only the owner of a token account can sign: a transfer alone could
 * be signed by a delegate. Then a transfer of the least closing balance from each account to itself, and of the least SOL
 * from the wallet to itself.
 */
import { type EncodedInstruction, encodeInstruction, type Instruction } from '../programs/instructions.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import type { Bounds, Bucket } from './bounds.ts';

/** Returns the guards of bounds, in their order. */
export function guardsFor({ buckets, least, sol = 1n }: Bounds, wallet: Address): EncodedInstruction[] {
  const guarded = buckets
    .filter(({ isFree }) => isFree)
    .map((bucket) => ({ bucket, amount: bucket.canTransfer ? (least.get(bucket.account) ?? 0n) : 0n }));
  const rights = guarded.flatMap(({ bucket: { account, program }, amount }) => {
    const revoke = encodeInstruction('token.revoke', {
      program,
      accounts: { source: account, owner: wallet },
    });
    const close = encodeInstruction('token.setAuthority', {
      program,
      accounts: { owned: account, authority: wallet },
      args: { authorityType: 'closeAccount', newAuthority: null },
    });
    return [...(needsBoth(program, amount) ? [revoke] : []), revoke, close];
  });
  const held = guarded.flatMap(({ bucket, amount }) =>
    amount < 1n ? [] : [transferToItself(bucket, amount, wallet)],
  );
  if (sol < 1n) return [...rights, ...held];
  // A wallet that another program owns cannot transfer at all.
  const accounts = { from: wallet, to: wallet };
  return [...rights, ...held, encodeInstruction('system.transfer', { accounts, args: { lamports: sol } })];
}

/** Compute units a guard takes at most, by the program that carries it out: measured, with some more. */
export const unitsOf = ({ programAddress: program }: EncodedInstruction): number =>
  program === TOKEN_2022_PROGRAM ? 1_200 : 200;

/** Whether the wallet revokes twice: in Token-2022 a delegate can revoke as well, but only once, and a transfer comes after it. */
const needsBoth = (program: Address, amount: bigint): boolean => program !== TOKEN_PROGRAM && amount < 1n;

function transferToItself(
  { account, mint, program, decimals = 0 }: Bucket,
  amount: bigint,
  wallet: Address,
): EncodedInstruction {
  const accounts = { source: account, destination: account, authority: wallet };
  return program === TOKEN_PROGRAM
    ? encodeInstruction('token.transfer', { program, accounts, args: { amount } })
    : encodeInstruction('token.transferChecked', {
        program,
        accounts: { ...accounts, mint },
        args: { amount, decimals },
      });
}

/** Base units that the guards of a transaction prove, by account; the wallet itself in lamports. */
export type Proven = ReadonlyMap<Address, bigint>;

/**
 * Reads the last instructions of a transaction as guards. Returns the balances they prove, or the index of the first
 * instruction that is not a guard, is out of order, or concerns an account that is neither the wallet nor in `buckets`.
 */
export function provenBy(
  instructions: readonly Instruction[],
  buckets: readonly Bucket[],
  wallet: Address,
): Proven | { readonly at: number } {
  const proven = new Map<Address, bigint>();
  const taken = new Map<Address, string[]>();
  let last = 0;
  for (const instruction of instructions) {
    const guard = guardOf(instruction, wallet);
    const { index, kind } = instruction;
    if (guard === undefined || guard.step < last) return { at: index };
    const { account, step, amount } = guard;
    const rights = taken.get(account) ?? [];
    last = step;
    if (step < 2 && !buckets.some((each) => each.account === account && each.isFree)) return { at: index };
    if (step === 0) taken.set(account, [...rights, kind]);
    // Without both rights taken away before it, another key could have signed it.
    else if ((step === 1 && new Set(rights).size < 2) || amount < 1n || proven.has(account))
      return { at: index };
    else proven.set(account, amount);
  }
  for (const { account, program } of buckets) {
    const rights = taken.get(account) ?? [];
    const isOwned = new Set(rights).size === 2 && rights.length === (needsBoth(program, 0n) ? 3 : 2);
    if (isOwned && !proven.has(account)) proven.set(account, 0n);
  }
  return proven;
}

interface Guard {
  readonly step: 0 | 1 | 2;
  readonly account: Address;
  readonly amount: bigint;
}

function guardOf(instruction: Instruction, wallet: Address): Guard | undefined {
  if (instruction.kind === 'unknown' || instruction.rest.length > 0) return undefined;
  switch (instruction.kind) {
    case 'token.revoke': {
      const { source, owner } = instruction.accounts;
      return owner.address === wallet ? { step: 0, account: source.address, amount: 0n } : undefined;
    }
    case 'token.setAuthority': {
      const { accounts, args } = instruction;
      const isNone = args.authorityType === 'closeAccount' && args.newAuthority === null;
      return isNone && accounts.authority.address === wallet
        ? { step: 0, account: accounts.owned.address, amount: 0n }
        : undefined;
    }
    case 'token.transfer':
    case 'token.transferChecked': {
      const { source, destination, authority } = instruction.accounts;
      const isSelf = source.address === destination.address && authority.address === wallet;
      return isSelf ? { step: 1, account: source.address, amount: instruction.args.amount } : undefined;
    }
    case 'system.transfer': {
      const { from, to } = instruction.accounts;
      const isSelf = from.address === wallet && to.address === wallet;
      return isSelf ? { step: 2, account: wallet, amount: instruction.args.lamports } : undefined;
    }
    default:
      return undefined;
  }
}
