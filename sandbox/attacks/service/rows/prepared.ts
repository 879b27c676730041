/** Attacks through accounts that the attacker prepared, or creates in inner calls at the wallet's expense (T65, T66). */
import { encodeInstruction } from '../../../../src/programs/instructions.ts';
import { TOKEN_PROGRAM } from '../../../../src/transaction/programs.ts';
import type { Address } from '../../../../src/transaction/types.ts';
import {
  closeAccount,
  createAccount,
  createTokenAccount,
  systemTransfer,
} from '../../../service/build/tokens.ts';
import { attackerKey, TAKEN_LAMPORTS } from '../assets.ts';
import { append } from '../drafts.ts';
import { deploys, relayed } from '../relay.ts';
import { type Attacks, type AttackTools, service } from '../types.ts';
import { forwardingAddress } from './value.ts';

/** Maximum size in bytes of an account created in an inner call. */
const MAX_BYTES = 10_000;

const prepared = (tools: AttackTools) => attackerKey(tools, 'prepared account');

/** A token account created and paid by the attacker, owned by the wallet, with the attacker as close authority. */
function prepare(tools: AttackTools): undefined {
  const { attacker, onchain, keys, fund } = tools;
  const account = prepared(tools);
  deploys(forwardingAddress)(tools);
  if (onchain.tokenAccount(account.address) !== undefined) return;
  fund(attacker.address, TAKEN_LAMPORTS);
  const gives = (authorityType: 'closeAccount' | 'accountOwner', newAuthority: Address) =>
    encodeInstruction('token.setAuthority', {
      program: TOKEN_PROGRAM,
      accounts: { owned: account.address, authority: attacker.address },
      args: { authorityType, newAuthority },
    });
  const asset = { mint: keys.quoteMint('USDC').address, tokenProgram: TOKEN_PROGRAM, decimals: 6 };
  onchain.landBy(
    attacker,
    [
      ...createTokenAccount(attacker.address, account.address, asset, attacker.address, (bytes) =>
        onchain.chain.rent(bytes),
      ),
      gives('closeAccount', attacker.address),
      gives('accountOwner', keys.wallet.address),
    ],
    account,
  );
}

export const preparedAttacks: Attacks = {
  'prepared-account': service({
    row: 'T65',
    does: 'has a program move SOL to an account of the wallet that the attacker can close later',
    takes: '1 SOL, shown in an account of the wallet by the simulation',
    code: 'PROGRAM_NOT_ALLOWED',
    endpoints: ['tradeSwap'],
    begin: prepare,
    draft: append(({ wallet }, tools) => [
      relayed(forwardingAddress(tools))(systemTransfer(wallet, prepared(tools).address, TAKEN_LAMPORTS)),
    ]),
    afterwards: (_, tools) => [
      closeAccount(TOKEN_PROGRAM, prepared(tools).address, tools.attacker.address, tools.attacker.address),
    ],
  }),
  'rent-by-program': service({
    row: 'T66',
    does: 'has a program create a large account for the attacker, as if its rent were part of the trade',
    takes: 'the rent, which the attacker recovers by closing the account',
    code: 'PROGRAM_NOT_ALLOWED',
    endpoints: ['tradeSwap'],
    begin: deploys(forwardingAddress),
    draft: append(
      ({ wallet }, tools) => {
        const rent = tools.onchain.chain.rent(MAX_BYTES);
        const { address } = attackerKey(tools, 'large account');
        return [
          relayed(forwardingAddress(tools))(
            createAccount(wallet, address, rent, MAX_BYTES, forwardingAddress(tools)),
          ),
        ];
      },
      (tools) => [attackerKey(tools, 'large account')],
    ),
  }),
};
