/** Simulation: partly signed bytes run, state is unchanged, and later sends still require signatures. */
import {
  appendTransactionMessageInstruction,
  type Blockhash,
  createTransactionMessage,
  getTransactionEncoder,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChain, type SandboxChain } from '../../../sandbox/chain/chain.ts';
import { fixedSigner, fundedSigner, SOL, signed, transfer } from './actors.ts';

let chain: SandboxChain;
beforeEach(async () => {
  chain = await createChain({ clock: 'manual' });
});
afterEach(() => chain.close());

/** Returns a transfer signed by its sender but not by the sponsor who pays the fee. */
async function sponsored(blockhash = chain.latestBlockhash('processed').blockhash) {
  const sponsor = await fundedSigner(chain);
  const from = await fundedSigner(chain);
  const to = await fixedSigner(7);
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayer(sponsor.address, m),
    (m) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
        m,
      ),
    (m) => appendTransactionMessageInstruction(transfer(from, to.address, SOL), m),
  );
  const transaction = await partiallySignTransactionMessageWithSigners(message);
  return { bytes: new Uint8Array(getTransactionEncoder().encode(transaction)), sponsor, from, to };
}

test('a partly signed transaction shows its effects, and cannot be sent', async () => {
  const { bytes, sponsor, from, to } = await sponsored();
  const addresses = [to.address, from.address, sponsor.address];
  const before = addresses.map((address) => chain.getAccount(address));

  const simulation = chain.simulate(bytes, { accounts: addresses });
  expect(simulation.err).toBeNull();
  expect(simulation.accounts.map((account) => account?.lamports)).toEqual([
    SOL,
    9n * SOL,
    10n * SOL - 10_000n,
  ]);
  expect(addresses.map((address) => chain.getAccount(address))).toEqual(before);

  expect(chain.simulate(bytes, { sigVerify: true }).err).toBe('SignatureFailure');
  expect(chain.submit(bytes)).toMatchObject({ landed: false, err: 'SignatureFailure' });
});

test('signatures still count after a failed simulation', async () => {
  const { bytes, from } = await sponsored();
  const { bytes: failing } = await signed(
    0,
    from,
    [transfer(from, from.address, 1000n * SOL)],
    chain.latestBlockhash('processed'),
  );
  expect(chain.simulate(failing).err).not.toBeNull();
  expect(chain.submit(bytes)).toMatchObject({ landed: false, err: 'SignatureFailure' });
  // Bytes 1 to 64 are the sponsor's signature.
  const forged = bytes.slice().fill(7, 1, 65);
  expect(chain.submit(forged)).toMatchObject({ landed: false, err: 'SignatureFailure' });
});

test('an account emptied by the transaction is missing in the result', async () => {
  const payer = await fundedSigner(chain);
  const from = await fundedSigner(chain, SOL);
  const { bytes } = await signed(
    0,
    payer,
    [transfer(from, payer.address, SOL)],
    chain.latestBlockhash('processed'),
  );
  const { accounts, err } = chain.simulate(bytes, { accounts: [from.address, payer.address] });
  expect(err).toBeNull();
  expect(accounts[0]).toBeNull();
  expect(accounts[1]?.lamports).toBe(11n * SOL - 10_000n);
});

test('an old blockhash is reported unless it is to be replaced', async () => {
  const { blockhash } = chain.latestBlockhash('processed');
  chain.advanceSlots(151);
  const { bytes, to } = await sponsored(blockhash);
  expect(chain.simulate(bytes, { accounts: [to.address] })).toMatchObject({
    err: 'BlockhashNotFound',
    accounts: [null],
  });
  const replaced = chain.simulate(bytes, { replaceRecentBlockhash: true, accounts: [to.address] });
  expect(replaced.err).toBeNull();
  expect(replaced.accounts[0]?.lamports).toBe(SOL);
  expect(chain.isBlockhashValid(replaced.replacementBlockhash?.blockhash ?? '', 'processed')).toBe(true);
});

test('a transaction that already landed is reported as such', async () => {
  const from = await fundedSigner(chain);
  const { bytes } = await signed(
    0,
    from,
    [transfer(from, from.address, 1n)],
    chain.latestBlockhash('processed'),
  );
  chain.submit(bytes);
  expect(chain.simulate(bytes).err).toBe('AlreadyProcessed');
});
