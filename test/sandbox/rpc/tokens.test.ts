/** Token accounts read over RPC as wallets read them: by owner, by mint, parsed and as balances. */
import type { Address } from '@solana/kit';
import {
  findAssociatedTokenPda,
  getApproveInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getSyncNativeInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { expect, test } from 'vitest';
import { fixedSigner, fundedSigner, SOL, signed, transfer } from '../chain/actors.ts';
import { serve } from './served.ts';

const WSOL = 'So11111111111111111111111111111111111111112' as Address;
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

test('a wallet finds its wrapped SOL, with delegate and reserve', async () => {
  const { chain, call } = await serve();
  const payer = await fundedSigner(chain);
  const delegate = (await fixedSigner(7)).address;
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
      getApproveInstruction({ source: ata, delegate, owner: payer, amount: 5n }),
    ],
    chain.latestBlockhash('processed'),
  );
  expect(chain.submit(bytes)).toMatchObject({ landed: true, record: { err: null } });

  const options = { encoding: 'jsonParsed', commitment: 'processed' };
  const amount = { amount: '1500000000', decimals: 9, uiAmount: 1.5, uiAmountString: '1.5' };
  const found = {
    pubkey: ata,
    account: {
      owner: TOKEN_PROGRAM_ADDRESS,
      space: 165,
      data: {
        program: 'spl-token',
        space: 165,
        parsed: {
          type: 'account',
          info: {
            mint: WSOL,
            owner: payer.address,
            state: 'initialized',
            isNative: true,
            tokenAmount: amount,
            delegate,
            delegatedAmount: { amount: '5', uiAmountString: '0.000000005' },
            rentExemptReserve: { amount: chain.rent(165).toString() },
          },
        },
      },
    },
  };
  const byOwner = (filter: object, view = options) =>
    call('getTokenAccountsByOwner', payer.address, filter, view);
  expect(await byOwner({ mint: WSOL })).toMatchObject({ result: { value: [found] } });
  expect(await byOwner({ programId: TOKEN_PROGRAM_ADDRESS })).toMatchObject({ result: { value: [found] } });
  expect(await byOwner({ programId: TOKEN_2022 })).toMatchObject({ result: { value: [] } });
  expect(await byOwner({ mint: WSOL }, { ...options, commitment: 'confirmed' })).toMatchObject({
    result: { value: [] },
  });
  expect(await byOwner({ programId: payer.address })).toMatchObject({ error: { code: -32602 } });
  expect(await call('getTokenAccountBalance', ata, options)).toMatchObject({ result: { value: amount } });
  expect(await call('getTokenAccountBalance', payer.address, options)).toMatchObject({
    error: { code: -32602, message: 'Invalid param: not a Token account' },
  });
  expect(await call('getTokenSupply', ata, options)).toMatchObject({ error: { code: -32602 } });
});
