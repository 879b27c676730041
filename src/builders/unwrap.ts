/** Builds the transaction that closes the wallet's wrapped SOL account, which returns its SOL and rent to the wallet. */
import { InputError } from '../base/inputError.ts';
import { encodeInstruction } from '../programs/instructions.ts';
import { tokenAccountOf } from '../programs/token/accounts.ts';
import type { Chain } from '../rpc/types.ts';
import { associatedTokenAddress } from '../transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import { unsignedTransaction } from './compile.ts';

/** Request to unwrap SOL. */
export type UnwrapRequest = { readonly wallet: Address };

/** Builds the transaction. Rejects with `InputError` if there is no wrapped SOL, and with `ChainError`. */
export async function buildUnwrap(
  chain: Pick<Chain, 'accounts' | 'latestBlockhash'>,
  { wallet }: UnwrapRequest,
): Promise<{ readonly transaction: string }> {
  const account = associatedTokenAddress(wallet, WSOL_MINT, TOKEN_PROGRAM);
  const [found] = (await chain.accounts([account], 'confirmed')).value;
  if (tokenAccountOf(found)?.owner !== wallet)
    throw new InputError('The wallet holds no wrapped SOL.', "get_wallet shows the wallet's balances.");
  const close = encodeInstruction('token.closeAccount', {
    program: TOKEN_PROGRAM,
    accounts: { account, destination: wallet, owner: wallet },
  });
  const { blockhash } = (await chain.latestBlockhash('confirmed')).value;
  return { transaction: Buffer.from(unsignedTransaction(wallet, [close], blockhash)).toString('base64') };
}
