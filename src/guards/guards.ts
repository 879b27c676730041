/**
 * Guards: instructions at the end of a transaction that make it fail unless the wallet's closing balances reach their
 * minimum. First come `Revoke` and `SetAuthority(CloseAccount, none)`, which require the owner of a token account, while a
 * delegate could sign a transfer. Then lamports above rent are withdrawn to the wallet. Last, each account transfers its
 * minimum closing balance to itself, and so does the wallet with SOL.
 */
import { type EncodedInstruction, encodeInstruction } from '../programs/instructions.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../transaction/programs.ts';
import { equal } from '../transaction/read.ts';
import type { Address, ResolvedInstruction } from '../transaction/types.ts';
import { type Bounds, type Bucket, isSwept } from './bounds.ts';

/** Returns the guards of bounds, in order. */
export function guardsFor(
  { buckets, least, sol = 1n, kept = 0n }: Bounds,
  wallet: Address,
): EncodedInstruction[] {
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
  const all = [...rights, ...guarded.flatMap(({ bucket }) => sweep(bucket, wallet)), ...held];
  // Apart from the fee, only the System program can take lamports from the wallet.
  if (sol < 1n || sol <= kept) return all;
  // This transfer also fails if another program owns the wallet.
  const accounts = { from: wallet, to: wallet };
  return [...all, encodeInstruction('system.transfer', { accounts, args: { lamports: sol } })];
}

/**
 * Returns the instruction that moves lamports above rent to the wallet, whose own transfer proves them, or converts them
 * to wrapped SOL.
 */
function sweep(bucket: Bucket, wallet: Address): EncodedInstruction[] {
  const { account, program, excess } = bucket;
  if (isSwept(bucket))
    return [
      {
        programAddress: program,
        accounts: [
          { address: account, signer: false, writable: true },
          { address: wallet, signer: false, writable: true },
          { address: wallet, signer: true, writable: false },
        ],
        data: Uint8Array.of(WITHDRAW_EXCESS_LAMPORTS),
      },
    ];
  return excess > 0n ? [encodeInstruction('token.syncNative', { program, accounts: { account } })] : [];
}

/** Discriminator of an instruction that is refused anywhere else. */
const WITHDRAW_EXCESS_LAMPORTS = 38;

/** Returns the index of the failed instruction in an error from the chain; -1 for any other error. */
export const failedAt = (error: string): number =>
  Number(/"InstructionError":\[(\d+),/.exec(error)?.[1] ?? -1);

/** Returns the maximum compute units of a guard: measured values with a margin. */
export const unitsOf = ({ programAddress: program }: EncodedInstruction): number =>
  program === TOKEN_2022_PROGRAM ? 1_200 : 200;

/** Whether to revoke twice. In Token-2022 a delegate can sign one revoke, so without a later transfer a second one is needed. */
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

/** Proven base units by token account, and lamports of the wallet. */
export type Proven = ReadonlyMap<Address, bigint>;

/**
 * Returns the balances that the last instructions of a transaction prove, or `undefined` unless they are exactly the guards
 * of a subset of the buckets, with any amounts.
 */
export function provenBy(
  last: readonly Pick<ResolvedInstruction, 'program' | 'accounts' | 'data'>[],
  buckets: readonly Bucket[],
  wallet: Address,
): Proven | undefined {
  const least = new Map<Address, bigint>();
  for (const { program, accounts, data } of last) {
    const at = program === SYSTEM_PROGRAM ? 4 : 1;
    if (data.length >= at + 8) least.set(accounts[0]?.address ?? '', Buffer.from(data).readBigUInt64LE(at));
  }
  const named = buckets.filter(({ account }) =>
    last.some(({ accounts: [first] }) => first?.address === account),
  );
  const sol = least.get(wallet) ?? 0n;
  const guards = guardsFor({ buckets: named, least, sol }, wallet);
  const isSame = ({ programAddress, accounts, data }: EncodedInstruction, i: number): boolean => {
    const now = last[i];
    const used = now?.accounts.map(({ address }) => address).join();
    return (
      now?.program === programAddress &&
      equal(now.data, data) &&
      used === accounts.map(({ address }) => address).join()
    );
  };
  if (guards.length !== last.length || !guards.every(isSame)) return undefined;
  return new Map([
    ...named.map(({ account }) => [account, least.get(account) ?? 0n] as const),
    ...(sol > 0n ? [[wallet, sol] as const] : []),
  ]);
}
