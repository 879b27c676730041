/** Attacks that change owner, delegate or close authority (T1–T5), including changes reverted within the transaction. */
import { encodeInstruction } from '../../../../src/programs/instructions.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../../../src/transaction/programs.ts';
import type { Address } from '../../../../src/transaction/types.ts';
import { ata, closeAccount, transfer } from '../../../service/build/tokens.ts';
import {
  attackerKey,
  derivedAddress,
  dollars,
  type Holding,
  holding,
  openAccounts,
  sweep,
  TAKEN_LAMPORTS,
} from '../assets.ts';
import { append, firstOf, rewrite } from '../drafts.ts';
import { deploys, relayed, relaySigner } from '../relay.ts';
import { SOL } from '../swaps.ts';
import { type Attacks, type AttackTools, service } from '../types.ts';
import { forwardingAddress } from './value.ts';

const MAX_U64 = 2n ** 64n - 1n;

/** Deploys the relay and opens the attacker's receiving accounts. */
const begin = (tools: AttackTools): undefined => {
  openAccounts(tools);
  deploys(forwardingAddress)(tools);
};

/** Token program instructions on an account of the wallet, hidden inside the relay. */
function inRelay(tools: AttackTools, held: Holding) {
  const { account, amount, tokenProgram: program } = held;
  const by = relaySigner(forwardingAddress(tools));
  const through = relayed(forwardingAddress(tools));
  return {
    by,
    approve: (owner: Address, delegate: Address) =>
      through(
        encodeInstruction('token.approve', {
          ...{ program, accounts: { source: account, delegate, owner }, args: { amount } },
        }),
      ),
    revoke: (owner: Address) =>
      through(encodeInstruction('token.revoke', { program, accounts: { source: account, owner } })),
    give: (
      authority: Address,
      newAuthority: Address,
      authorityType: 'accountOwner' | 'closeAccount' = 'accountOwner',
    ) =>
      through(
        encodeInstruction('token.setAuthority', {
          ...{ program, accounts: { owned: account, authority }, args: { authorityType, newAuthority } },
        }),
      ),
    take: through(transfer(held, account, ata(tools.attacker.address, held), by, amount)),
  };
}

/** An empty Token-2022 account of the wallet without an immutable owner. */
const emptyAccount = (tools: AttackTools, wallet: Address): Holding => ({
  ...holding(tools, wallet, 'token2022'),
  ...{ account: attackerKey(tools, 'empty account of the wallet').address, amount: 1n },
});

export const authorityAttacks: Attacks = {
  'assign-wallet': service({
    row: 'T1',
    does: 'appends an instruction that assigns the wallet account to another program',
    takes: 'the wallet and everything in it, without a balance change',
    code: 'AUTHORITY_CHANGE',
    draft: append(({ wallet }, tools) => [
      encodeInstruction('system.assign', {
        accounts: { account: wallet },
        args: { owner: attackerKey(tools, 'program').address },
      }),
    ]),
  }),
  'allocate-wallet': service({
    row: 'T2',
    does: 'allocates data in the wallet account, which can never pay again',
    takes: 'the use of the whole wallet',
    code: 'AUTHORITY_CHANGE',
    draft: append(({ wallet }) => [
      encodeInstruction('system.allocate', { accounts: { account: wallet }, args: { space: 64n } }),
    ]),
  }),
  'assign-derived-account': service({
    row: 'T2',
    does: 'assigns an account derived from the wallet to another program',
    takes: 'the derived account and its balance',
    code: 'AUTHORITY_CHANGE',
    draft: append(({ wallet }, tools) => {
      const owner = attackerKey(tools, 'program').address;
      const account = derivedAddress(wallet, 'savings', owner);
      tools.fund(account, TAKEN_LAMPORTS);
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
    does: 'empties an account derived from the wallet, in an instruction that does not name the wallet',
    takes: 'the balance of the derived account',
    code: 'UNDECLARED_LOSS',
    draft: append(({ wallet }, tools) => {
      const from = derivedAddress(wallet, 'savings', SYSTEM_PROGRAM);
      tools.fund(from, TAKEN_LAMPORTS);
      return [
        encodeInstruction('system.transferWithSeed', {
          accounts: { from, base: wallet, to: tools.attacker.address },
          args: { lamports: TAKEN_LAMPORTS, seed: 'savings', fromOwner: SYSTEM_PROGRAM },
        }),
      ];
    }),
  }),
  'approve-tokens': service({
    row: 'T3',
    does: 'appends an approval of the maximum amount over a token account of the wallet',
    takes: 'all tokens of that account, at any time',
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
    takes: 'the approved dollars, at any time',
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
    takes: 'everything in that account, without a balance change',
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
    does: 'makes the attacker the close authority of a token account of the wallet',
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
    does: 'closes the wallet’s wrapped SOL account to the attacker',
    takes: 'the SOL proceeds of the trade, and the rent',
    code: 'UNDECLARED_LOSS',
    endpoints: ['tradeSwap', 'claimTxs'],
    draft: (draft, { wallet }, { attacker }) => {
      const close = closeAccount(TOKEN_PROGRAM, ata(wallet, SOL), attacker.address, wallet);
      // A claim does not unwrap its proceeds.
      return firstOf(draft, 'token.closeAccount') === undefined
        ? { ...draft, instructions: [...draft.instructions, close] }
        : rewrite(draft, 'token.closeAccount', () => [close]);
    },
  }),
  'delegate-gone-again': service({
    row: 'T3',
    does: 'makes a program delegate of the wallet’s dollars, which moves them and revokes the delegation',
    takes: 'the wallet’s dollars',
    code: 'PROGRAM_NOT_ALLOWED',
    begin,
    draft: append(({ wallet }, tools) => {
      const { approve, take, revoke, by } = inRelay(tools, dollars(tools, wallet));
      return [approve(wallet, by), take, revoke(wallet)];
    }),
  }),
  'owner-back-again': service({
    row: 'T4',
    does: 'makes a program owner of the wallet’s dollars, which moves them and returns the empty account',
    takes: 'the wallet’s dollars',
    code: 'PROGRAM_NOT_ALLOWED',
    begin,
    draft: append(({ wallet }, tools) => {
      const { give, take, by } = inRelay(tools, dollars(tools, wallet));
      return [give(wallet, by), take, give(by, wallet)];
    }),
  }),
  'owner-behind-delegate': service({
    row: 'T4',
    does: 'makes a program owner of the wallet’s dollars, and the wallet their delegate',
    takes: 'the wallet’s dollars, without a balance change',
    code: 'PROGRAM_NOT_ALLOWED',
    begin,
    draft: append(({ wallet }, tools) => {
      const { give, approve, by } = inRelay(tools, dollars(tools, wallet));
      return [give(wallet, by), approve(by, wallet)];
    }),
    afterwards: (wallet, tools) => [inRelay(tools, dollars(tools, wallet)).take],
  }),
  'owner-behind-rights': service({
    row: 'T4',
    does: 'makes a program owner of an empty account of the wallet, and the wallet its delegate and close authority',
    takes: 'the account and its rent, once the program revokes these rights',
    code: 'PROGRAM_NOT_ALLOWED',
    begin: (tools) => {
      begin(tools);
      const { chain } = tools.onchain;
      const { wallet } = tools.keys;
      const { account } = emptyAccount(tools, wallet.address);
      const held = chain.getAccount(holding(tools, wallet.address, 'token2022').account);
      if (held === null) return undefined;
      const data = Buffer.from(held.data.subarray(0, 165));
      data.writeBigUInt64LE(0n, 64);
      chain.setAccount(account, { ...held, data: new Uint8Array(data) });
      return () => chain.setAccount(account, null);
    },
    draft: append(({ wallet }, tools) => {
      const { give, approve, by } = inRelay(tools, emptyAccount(tools, wallet));
      return [give(wallet, by), give(by, wallet, 'closeAccount'), approve(by, wallet)];
    }),
  }),
  'unwrapped-out-of-sight': service({
    row: 'T5',
    does: 'closes the wallet’s wrapped SOL account to the attacker inside an unsupported program',
    takes: 'the SOL proceeds of the trade, and the rent',
    code: 'PROGRAM_NOT_ALLOWED',
    endpoints: ['tradeSwap'],
    begin,
    draft: (draft, { wallet }, tools) =>
      rewrite(draft, 'token.closeAccount', () => [
        relayed(forwardingAddress(tools))(
          closeAccount(TOKEN_PROGRAM, ata(wallet, SOL), tools.attacker.address, wallet),
        ),
      ]),
  }),
};
