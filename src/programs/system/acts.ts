/** Acts of the System program's instructions. */
import { SYSTEM_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { Act } from '../acts.ts';
import { isJitoTip } from '../jito.ts';
import type { ActsOf } from '../program.ts';
import { holder, type View } from '../view.ts';
import type { systemLayouts } from './instructions.ts';

/** Returns the act of a SOL transfer: a tip, or a transfer to the recipient or the owner of the token account. */
function transfer(view: View, from: Address, to: Address, amount: bigint, authority: Address): Act {
  // A transfer from an account that another key controls is never a tip.
  if (isJitoTip(to) && from === authority) return { act: 'tip', from, to, amount };
  const known = holder(view, to);
  const arrives = known.owner === undefined ? { account: to, owner: to } : known;
  return {
    act: 'transfer',
    asset: 'SOL',
    from: { account: from, owner: authority },
    to: arrives,
    amount,
    authority,
  };
}

/** Returns the act of a new account that a program owns. */
const open = (account: Address, owner: Address, payer: Address, deposit: bigint): Act => ({
  act: 'openAccount',
  account,
  kind: 'data',
  owner,
  payer,
  deposit,
});

const assign = (account: Address, to: Address, authority: Address): readonly Act[] =>
  to === SYSTEM_PROGRAM
    ? [{ act: 'nothing', what: 'the account stays with the System program' }]
    : [{ act: 'setRight', right: 'program owner', of: account, to, authority }];

export const systemActs: ActsOf<typeof systemLayouts> = {
  'system.createAccount': ({ accounts, args }) => [
    open(accounts.newAccount.address, args.owner, accounts.payer.address, args.lamports),
  ],
  'system.createAccountWithSeed': ({ accounts, args }) => [
    open(accounts.newAccount.address, args.owner, accounts.payer.address, args.lamports),
  ],
  'system.assign': ({ accounts, args }) =>
    assign(accounts.account.address, args.owner, accounts.account.address),
  'system.assignWithSeed': ({ accounts, args }) =>
    assign(accounts.account.address, args.owner, accounts.base.address),
  'system.allocate': () => [{ act: 'nothing', what: 'allocates space in an account' }],
  'system.allocateWithSeed': ({ accounts, args }) =>
    assign(accounts.account.address, args.owner, accounts.base.address),
  'system.transfer': ({ accounts, args }, view) => [
    transfer(view, accounts.from.address, accounts.to.address, args.lamports, accounts.from.address),
  ],
  'system.transferWithSeed': ({ accounts, args }, view) => [
    transfer(view, accounts.from.address, accounts.to.address, args.lamports, accounts.base.address),
  ],
  'system.advanceNonceAccount': ({ accounts }) => [
    { act: 'useNonce', nonce: accounts.nonce.address, authority: accounts.authority.address },
  ],
  'system.withdrawNonceAccount': ({ accounts, args }, view) => [
    transfer(view, accounts.nonce.address, accounts.to.address, args.lamports, accounts.authority.address),
  ],
  'system.initializeNonceAccount': ({ accounts, args }) => [
    { act: 'openAccount', account: accounts.nonce.address, kind: 'nonce', owner: args.authority },
  ],
  'system.authorizeNonceAccount': ({ accounts, args }) => [
    {
      act: 'setRight',
      right: 'nonce authority',
      of: accounts.nonce.address,
      to: args.newAuthority,
      authority: accounts.authority.address,
    },
  ],
  'system.upgradeNonceAccount': () => [{ act: 'nothing', what: 'upgrades the format of a nonce account' }],
};
