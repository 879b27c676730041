/** Original token programs: wrapping and unwrapping SOL, and balances in the record. */
import type { Address } from '@solana/kit';
import {
  findAssociatedTokenPda,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getSyncNativeInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChain, type SandboxChain } from '../../../sandbox/chain/chain.ts';
import { tokenAccount } from '../../../sandbox/chain/runtime/layouts.ts';
import { fixedSigner, fundedSigner, SOL, signed, transfer } from './actors.ts';

const WSOL = 'So11111111111111111111111111111111111111112' as Address;
let chain: SandboxChain;
beforeEach(async () => {
  chain = await createChain({ clock: 'manual' });
});
afterEach(() => chain.close());

test('SOL is wrapped, paid to another wallet and unwrapped, to the lamport', async () => {
  const payer = await fundedSigner(chain);
  const payee = await fundedSigner(chain);
  const account = async (owner: Address) =>
    (await findAssociatedTokenPda({ owner, mint: WSOL, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0];
  const [source, destination] = [await account(payer.address), await account(payee.address)];
  const create = (ata: Address, owner: Address) =>
    getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner, mint: WSOL });
  const { bytes } = await signed(
    0,
    payer,
    [
      create(source, payer.address),
      transfer(payer, source, 2n * SOL),
      getSyncNativeInstruction({ account: source }),
      create(destination, payee.address),
      getTransferCheckedInstruction({
        source,
        mint: WSOL,
        destination,
        authority: payer,
        amount: SOL,
        decimals: 9,
      }),
    ],
    chain.latestBlockhash('processed'),
  );
  const outcome = chain.submit(bytes);
  if (!outcome.landed) throw new Error(JSON.stringify(outcome.err));
  const { record } = outcome;
  expect(record.err).toBeNull();
  expect(record.preTokenBalances).toEqual([]);
  const accounts = record.staticAccounts;
  expect(
    record.postTokenBalances.map((balance) => ({ ...balance, accountIndex: accounts[balance.accountIndex] })),
  ).toEqual(
    expect.arrayContaining([
      {
        accountIndex: source,
        mint: WSOL,
        owner: payer.address,
        programId: TOKEN_PROGRAM_ADDRESS,
        amount: SOL,
        decimals: 9,
      },
      {
        accountIndex: destination,
        mint: WSOL,
        owner: payee.address,
        programId: TOKEN_PROGRAM_ADDRESS,
        amount: SOL,
        decimals: 9,
      },
    ]),
  );
  expect(record.innerInstructions.map((inner) => inner.index)).toEqual([0, 3]);
  expect(tokenAccount(chain.getAccount(destination))).toMatchObject({
    owner: payee.address,
    mint: WSOL,
    amount: SOL,
    state: 'initialized',
    isNative: chain.rent(165),
    extensions: [],
  });

  const unwrap = getCloseAccountInstruction({
    account: destination,
    destination: payee.address,
    owner: payee,
  });
  const closed = await signed(0, payee, [unwrap], chain.latestBlockhash('processed'));
  expect(chain.submit(closed.bytes)).toMatchObject({
    landed: true,
    record: { err: null, postTokenBalances: [] },
  });
  expect(chain.getAccount(destination)).toBeNull();
  expect(chain.getAccount(payee.address)?.lamports).toBe(11n * SOL + chain.rent(165) - 5000n);
  expect([...chain.programAccounts(TOKEN_PROGRAM_ADDRESS).keys()].sort()).toEqual([WSOL, source].sort());
});

test("an account is rent exempt exactly at the chain's amount", async () => {
  const payer = await fundedSigner(chain);
  const { address } = await fixedSigner(7);
  const pay = async (amount: bigint) => {
    const { bytes } = await signed(
      0,
      payer,
      [transfer(payer, address, amount)],
      chain.latestBlockhash('processed'),
    );
    const outcome = chain.submit(bytes);
    return outcome.landed ? outcome.record.err : outcome.err;
  };
  expect(await pay(chain.rent(0) - 1n)).toEqual({ InsufficientFundsForRent: { account_index: 1 } });
  expect(await pay(chain.rent(0))).toBeNull();
});
