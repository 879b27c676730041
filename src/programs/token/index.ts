/** Token and Token-2022: what each of the instructions they share does. */
import { TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { AccountUse, Address } from '../../transaction/types.ts';
import type { Act, Right } from '../acts.ts';
import { defineProgram, type InstructionIn } from '../program.ts';
import { holder, type View } from '../view.ts';
import { type AUTHORITY_TYPES, tokenLayouts, tokenNamed } from './instructions.ts';

type In<K extends (typeof tokenLayouts)[number]['kind']> = InstructionIn<typeof tokenLayouts, K>;

/** Returns the act of a token transfer. Without `mint`, the mint is that of the token accounts, if known. */
export function tokenTransfer(
  view: View,
  { source, destination, authority }: In<'token.transfer'>['accounts'],
  amount: bigint,
  mint?: Address,
  fee?: bigint,
): Act {
  const asset =
    mint ?? view.tokenAccount(source.address)?.mint ?? view.tokenAccount(destination.address)?.mint;
  return {
    act: 'transfer',
    ...(asset === undefined ? {} : { asset }),
    from: holder(view, source.address),
    to: holder(view, destination.address),
    amount,
    authority: authority.address,
    ...(fee === undefined ? {} : { fee }),
  };
}

const RIGHTS: Readonly<Record<(typeof AUTHORITY_TYPES)[number], Right>> = {
  mintTokens: 'mint authority',
  freezeAccount: 'freeze authority',
  accountOwner: 'owner',
  closeAccount: 'close authority',
  transferFeeConfig: 'transfer fee authority',
  withheldWithdraw: 'withheld fee authority',
  closeMint: 'mint close authority',
  interestRate: 'interest rate authority',
  permanentDelegate: 'permanent delegate',
  confidentialTransferMint: 'confidential transfer authority',
  transferHookProgramId: 'transfer hook authority',
  confidentialTransferFeeConfig: 'confidential transfer fee authority',
  metadataPointer: 'metadata pointer authority',
  groupPointer: 'group pointer authority',
  groupMemberPointer: 'group member pointer authority',
  scaledUiAmount: 'scaled amount authority',
  pause: 'pause authority',
};

const approve = ({
  accounts,
  args: { amount },
}: In<'token.approve' | 'token.approveChecked'>): readonly Act[] => [
  {
    act: 'setRight',
    right: 'delegate',
    of: accounts.source.address,
    to: accounts.delegate.address,
    authority: accounts.owner.address,
    amount,
    ...('mint' in accounts ? { asset: accounts.mint.address } : {}),
  },
];

const mintTo = (
  { accounts, args }: In<'token.mintTo' | 'token.mintToChecked'>,
  view: View,
): readonly Act[] => [
  {
    act: 'mintTo',
    mint: accounts.mint.address,
    to: holder(view, accounts.account.address),
    amount: args.amount,
    authority: accounts.mintAuthority.address,
  },
];

const burn = ({ accounts, args }: In<'token.burn' | 'token.burnChecked'>, view: View): readonly Act[] => [
  {
    act: 'burn',
    mint: accounts.mint.address,
    from: holder(view, accounts.account.address),
    amount: args.amount,
    authority: accounts.authority.address,
  },
];

const createMint = ({
  accounts: { mint },
  args,
}: In<'token.initializeMint' | 'token.initializeMint2'>): readonly Act[] => [
  { act: 'createMint', mint: mint.address, ...args },
];

const openToken = (account: AccountUse, mint: AccountUse, owner: Address): readonly Act[] => [
  { act: 'openAccount', account: account.address, kind: 'token', owner, mint: mint.address },
];

const openMultisig = ({
  accounts: { multisig },
}: In<'token.initializeMultisig' | 'token.initializeMultisig2'>): readonly Act[] => [
  { act: 'openAccount', account: multisig.address, kind: 'multisig' },
];

const freeze = (
  { kind, accounts }: In<'token.freezeAccount' | 'token.thawAccount'>,
  view: View,
): readonly Act[] => [
  {
    act: 'freeze',
    account: holder(view, accounts.account.address),
    mint: accounts.mint.address,
    frozen: kind === 'token.freezeAccount',
    authority: accounts.freezeAuthority.address,
  },
];

const nothing = (what: string): readonly Act[] => [{ act: 'nothing', what }];

export const token = defineProgram({
  name: 'Token and Token-2022',
  addresses: TOKEN_PROGRAMS,
  source: 'the programs themselves; compared with the client @solana-program/token',
  layouts: tokenLayouts,
  named: tokenNamed,
  acts: {
    'token.initializeMint': createMint,
    'token.initializeMint2': createMint,
    'token.initializeAccount': ({ accounts }) =>
      openToken(accounts.account, accounts.mint, accounts.owner.address),
    'token.initializeAccount2': ({ accounts, args }) =>
      openToken(accounts.account, accounts.mint, args.owner),
    'token.initializeAccount3': ({ accounts, args }) =>
      openToken(accounts.account, accounts.mint, args.owner),
    'token.initializeMultisig': openMultisig,
    'token.initializeMultisig2': openMultisig,
    'token.transfer': ({ accounts, args }, view) => [tokenTransfer(view, accounts, args.amount)],
    'token.transferChecked': ({ accounts, args }, view) => [
      tokenTransfer(view, accounts, args.amount, accounts.mint.address),
    ],
    'token.approve': approve,
    'token.approveChecked': approve,
    'token.revoke': ({ accounts }) => [
      {
        act: 'setRight',
        right: 'delegate',
        of: accounts.source.address,
        to: null,
        authority: accounts.owner.address,
      },
    ],
    'token.setAuthority': ({ accounts, args }) => [
      {
        act: 'setRight',
        right: RIGHTS[args.authorityType],
        of: accounts.owned.address,
        to: args.newAuthority,
        authority: accounts.authority.address,
      },
    ],
    'token.mintTo': mintTo,
    'token.mintToChecked': mintTo,
    'token.burn': burn,
    'token.burnChecked': burn,
    'token.closeAccount': ({ accounts }, view) => [
      {
        act: 'closeAccount',
        account: holder(view, accounts.account.address),
        refundTo: accounts.destination.address,
        authority: accounts.owner.address,
      },
    ],
    'token.freezeAccount': freeze,
    'token.thawAccount': freeze,
    'token.syncNative': () => [
      { act: 'nothing', what: 'syncs the amount of a wrapped SOL account', isSync: true },
    ],
    'token.getAccountDataSize': () => nothing('computes a size'),
    'token.initializeImmutableOwner': ({ accounts }) => [
      { act: 'accountRule', account: accounts.account.address, rule: 'immutable owner', on: true },
    ],
    'token.amountToUiAmount': () => nothing('formats an amount'),
    'token.uiAmountToAmount': () => nothing('reads an amount'),
  },
});
