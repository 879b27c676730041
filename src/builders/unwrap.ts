/** The bytes that close the wallet's account of wrapped SOL: all of it becomes SOL, and the account's rent comes back. */
import { InputError } from '../base/inputError.ts';
import { encodeInstruction } from '../programs/instructions.ts';
import { tokenAccountOf } from '../programs/token/accounts.ts';
import type { Chain } from '../rpc/types.ts';
import { associatedTokenAddress } from '../transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import { unsignedTransaction } from './compile.ts';

/** What is asked for. */
export type UnwrapRequest = { readonly wallet: Address };

/** Builds the unwrapping. Rejects with `InputError` where there is nothing to unwrap, and with `ChainError`. */
export async function buildUnwrap(
  chain: Pick<Chain, 'accounts' | 'latestBlockhash'>,
  { wallet }: UnwrapRequest,
): Promise<{ readonly transaction: string }> {
  const account = associatedTokenAddress(wallet, WSOL_MINT, TOKEN_PROGRAM);
  const [found] = (await chain.accounts([account], 'confirmed')).value;
  if (tokenAccountOf(found)?.owner !== wallet)
    throw new InputError('The wallet holds no wrapped SOL.', 'get_wallet shows what it holds.');
  const close = encodeInstruction('token.closeAccount', {
    program: TOKEN_PROGRAM,
    accounts: { account, destination: wallet, owner: wallet },
  });
  const { blockhash } = (await chain.latestBlockhash('confirmed')).value;
  return { transaction: Buffer.from(unsignedTransaction(wallet, [close], blockhash)).toString('base64') };
}
