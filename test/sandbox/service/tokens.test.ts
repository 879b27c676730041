/** Amounts of tokens with a transfer fee. */
import { expect, it } from 'vitest';
import { type TokenAsset, transferFeeOf } from '../../../sandbox/service/build/tokens.ts';
import { TOKEN_2022_PROGRAM } from '../../../src/transaction/programs.ts';

const token: TokenAsset = { mint: 'mint', tokenProgram: TOKEN_2022_PROGRAM, decimals: 6 };

it('rounds transfer fees up and caps them, as the program does', () => {
  const taxed = { ...token, fee: { epoch: 0n, basisPoints: 100, maximumFee: 50n } };
  const fees = [1n, 100n, 101n, 5_000n, 1_000_000n].map((sent) => transferFeeOf(taxed, sent));
  expect(fees).toEqual([1n, 1n, 2n, 50n, 50n]);
  expect(transferFeeOf(token, 1_000n)).toBe(0n);
});
