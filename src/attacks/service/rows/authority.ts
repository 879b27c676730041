/** Attacks that take nothing now and everything later: owner, delegate and close authority change (T1–T5). */
import { encodeInstruction } from '../../../programs/instructions.ts';
import { ata, closeAccount } from '../../../sandbox/service/build/tokens.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../../transaction/programs.ts';
import { append, firstOf, rewrite } from '../drafts.ts';
import { derivedAddress, dollars, holding, LOOT, lair, sweep } from '../loot.ts';
import { SOL } from '../swaps.ts';
import { type Attacks, service } from '../types.ts';

const MAX_U64 = 2n ** 64n - 1n;

export const authorityAttacks: Attacks = {
  'assign-wallet': service({
    row: 'T1',
    does: 'appends an instruction that hands the wallet account itself to another program',
    takes: 'the wallet, with everything in it; the balance does not move',
    code: 'AUTHORITY_CHANGE',
    draft: append(({ wallet }, tools) => [
      encodeInstruction('system.assign', {
        accounts: { account: wallet },
        args: { owner: lair(tools, 'program').address },
      }),
    ]),
  }),
  'allocate-wallet': service({
    row: 'T2',
    does: 'turns the wallet into a data account, which can never pay again',
    takes: 'the use of everything in the wallet',
    code: 'AUTHORITY_CHANGE',
    draft: append(({ wallet }) => [
      encodeInstruction('system.allocate', { accounts: { account: wallet }, args: { space: 64n } }),
    ]),
  }),
  'assign-derived-account': service({
    row: 'T2',
    does: 'hands an account derived from the wallet to another program',
    takes: 'the derived account and what lies in it',
    code: 'AUTHORITY_CHANGE',
    draft: append(({ wallet }, tools) => {
      const owner = lair(tools, 'program').address;
      const account = derivedAddress(wallet, 'savings', owner);
      tools.fund(account, LOOT);
      return [
        encodeInstruction('system.assignWithSeed', {
          accounts: { account, base: wallet },
          args: { base: wallet, seed: 'savings', owner },
        }),
      ];
    }),
  }),
  'transfer-from-derived-account': service({
    row: 'T2',
    does: 'empties an account derived from the wallet, which no instruction names as the wallet',
    takes: 'what lies in the derived account',
    code: 'UNDECLARED_LOSS',
    draft: append(({ wallet }, tools) => {
      const from = derivedAddress(wallet, 'savings', SYSTEM_PROGRAM);
      tools.fund(from, LOOT);
      return [
        encodeInstruction('system.transferWithSeed', {
          accounts: { from, base: wallet, to: tools.attacker.address },
          args: { lamports: LOOT, seed: 'savings', fromOwner: SYSTEM_PROGRAM },
        }),
      ];
    }),
  }),
  'approve-tokens': service({
    row: 'T3',
    does: 'appends an approval of the largest amount there is over a token account of the wallet',
    takes: 'all tokens of that account, whenever the delegate likes',
    code: 'DELEGATE_GRANTED',
    draft: append(({ wallet }, tools) => {
      const held = holding(tools, wallet, 'token2022');
      return [
        encodeInstruction('token.approve', {
          program: held.tokenProgram,
          accounts: { source: held.account, delegate: tools.attacker.address, owner: wallet },
          args: { amount: MAX_U64 },
        }),
      ];
    }),
    afterwards: (wallet, tools) => {
      const held = holding(tools, wallet, 'token2022');
      return sweep(tools, held, tools.attacker.address, tools.attacker.address);
    },
  }),
  'approve-checked': service({
    row: 'T3',
    does: 'appends a checked approval over the wallet’s dollars',
    takes: 'the approved dollars, whenever the delegate likes',
    code: 'DELEGATE_GRANTED',
    draft: append(({ wallet }, tools) => {
      const { account, mint, amount, decimals } = dollars(tools, wallet);
      return [
        encodeInstruction('token.approveChecked', {
          accounts: { source: account, mint, delegate: tools.attacker.address, owner: wallet },
          args: { amount, decimals },
        }),
      ];
    }),
    afterwards: (wallet, tools) => {
      const held = dollars(tools, wallet);
      return sweep(tools, held, tools.attacker.address, tools.attacker.address);
    },
  }),
  'give-token-account': service({
    row: 'T4',
    does: 'makes the attacker the owner of a token account of the wallet',
    takes: 'everything in that account; the amount does not move',
    code: 'AUTHORITY_CHANGE',
    draft: append(({ wallet }, tools) => [
      encodeInstruction('token.setAuthority', {
        accounts: { owned: dollars(tools, wallet).account, authority: wallet },
        args: { authorityType: 'accountOwner', newAuthority: tools.attacker.address },
      }),
    ]),
  }),
  'give-close-authority': service({
    row: 'T4',
    does: 'lets the attacker close a token account of the wallet',
    takes: 'the account and its rent',
    code: 'AUTHORITY_CHANGE',
    draft: append(({ wallet }, tools) => [
      encodeInstruction('token.setAuthority', {
        accounts: { owned: dollars(tools, wallet).account, authority: wallet },
        args: { authorityType: 'closeAccount', newAuthority: tools.attacker.address },
      }),
    ]),
  }),
  'unwrap-to-attacker': service({
    row: 'T5',
    does: 'closes the wallet’s wrapped SOL account in favour of the attacker',
    takes: 'all SOL the trade brought, and the rent',
    code: 'UNDECLARED_LOSS',
    endpoints: ['tradeSwap', 'claimTxs'],
    draft: (draft, { wallet }, { attacker }) => {
      const close = closeAccount(TOKEN_PROGRAM, ata(wallet, SOL), attacker.address, wallet);
      // A claim leaves what it brings as it comes.
      return firstOf(draft, 'token.closeAccount') === undefined
        ? { ...draft, instructions: [...draft.instructions, close] }
        : rewrite(draft, 'token.closeAccount', () => [close]);
    },
  }),
};
