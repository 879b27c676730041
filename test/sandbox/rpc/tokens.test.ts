/** Token account queries over RPC by owner, program and mint. */
import type { Address } from '@solana/kit';
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getSyncNativeInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { expect, test } from 'vitest';
import { fundedSigner, SOL, signed, transfer } from '../chain/actors.ts';
import { serve } from './served.ts';

const WSOL = 'So11111111111111111111111111111111111111112' as Address;
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

test('a wallet finds its wrapped SOL in the requested view', async () => {
  const { chain, call } = await serve();
  const payer = await fundedSigner(chain);
  const [ata] = await findAssociatedTokenPda({
    owner: payer.address,
    mint: WSOL,
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  const { bytes } = await signed(
    0,
    payer,
    [
      getCreateAssociatedTokenIdempotentInstruction({ payer, ata, owner: payer.address, mint: WSOL }),
      transfer(payer, ata, SOL + SOL / 2n),
      getSyncNativeInstruction({ account: ata }),
    ],
    chain.latestBlockhash('processed'),
  );
  expect(chain.submit(bytes)).toMatchObject({ landed: true, record: { err: null } });

  const options = { encoding: 'base64', commitment: 'processed' };
  const found = { pubkey: ata, account: { owner: TOKEN_PROGRAM_ADDRESS, space: 165 } };
  const byOwner = (filter: object, view = options) =>
    call('getTokenAccountsByOwner', payer.address, filter, view);
  expect(await byOwner({ mint: WSOL })).toMatchObject({ result: { value: [found] } });
  expect(await byOwner({ programId: TOKEN_PROGRAM_ADDRESS })).toMatchObject({ result: { value: [found] } });
  expect(await byOwner({ programId: TOKEN_2022 })).toMatchObject({ result: { value: [] } });
  expect(await byOwner({ mint: WSOL }, { ...options, commitment: 'confirmed' })).toMatchObject({
    result: { value: [] },
  });
  expect(await byOwner({ programId: payer.address })).toMatchObject({ error: { code: -32602 } });
  expect(await call('getTokenLargestAccounts', WSOL, options)).toMatchObject({
    result: { value: [{ address: ata, amount: '1500000000', decimals: 9, uiAmountString: '1.5' }] },
  });
});
