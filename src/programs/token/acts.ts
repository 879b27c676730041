/** Acts of the instructions shared by Token and Token-2022. */
import type { AccountUse, Address } from '../../transaction/types.ts';
import type { Act, Right } from '../acts.ts';
import type { ActsOf } from '../program.ts';
import { holder, type View } from '../view.ts';
import type { AUTHORITY_TYPES, tokenLayouts } from './instructions.ts';

interface Moved {
  readonly source: AccountUse;
  readonly destination: AccountUse;
  readonly authority: AccountUse;
}

/** Returns the act of a token transfer. Without `mint`, the mint is that of the token accounts, if known. */
export function tokenTransfer(
  view: View,
  { source, destination, authority }: Moved,
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

interface Approved {
  readonly source: AccountUse;
  readonly delegate: AccountUse;
  readonly owner: AccountUse;
  readonly mint?: AccountUse;
}
const delegate = ({ source, delegate: to, owner, mint }: Approved, amount: bigint): readonly Act[] => [
  {
    act: 'setRight',
    right: 'delegate',
    of: source.address,
    to: to.address,
    authority: owner.address,
    amount,
    ...(mint === undefined ? {} : { asset: mint.address }),
  },
];

interface Minted {
  readonly mint: AccountUse;
  readonly account: AccountUse;
  readonly mintAuthority: AccountUse;
}
const mintTo = (view: View, { mint, account, mintAuthority }: Minted, amount: bigint): readonly Act[] => [
  {
    act: 'mintTo',
    mint: mint.address,
    to: holder(view, account.address),
    amount,
    authority: mintAuthority.address,
  },
];

interface Burned {
  readonly account: AccountUse;
  readonly mint: AccountUse;
  readonly authority: AccountUse;
}
const burn = (view: View, { account, mint, authority }: Burned, amount: bigint): readonly Act[] => [
  {
    act: 'burn',
    mint: mint.address,
    from: holder(view, account.address),
    amount,
    authority: authority.address,
  },
];

const createMint = (
  mint: AccountUse,
  args: {
    readonly decimals: number;
    readonly mintAuthority: Address;
    readonly freezeAuthority: Address | null;
  },
): readonly Act[] => [
  {
    act: 'createMint',
    mint: mint.address,
    decimals: args.decimals,
    mintAuthority: args.mintAuthority,
    freezeAuthority: args.freezeAuthority,
  },
];

const openToken = (account: AccountUse, mint: AccountUse, owner: Address): readonly Act[] => [
  { act: 'openAccount', account: account.address, kind: 'token', owner, mint: mint.address },
];

const openMultisig = (multisig: AccountUse): readonly Act[] => [
  { act: 'openAccount', account: multisig.address, kind: 'multisig' },
];

interface Frozen {
  readonly account: AccountUse;
  readonly mint: AccountUse;
  readonly freezeAuthority: AccountUse;
}
const freeze = (view: View, { account, mint, freezeAuthority }: Frozen, frozen: boolean): readonly Act[] => [
  {
    act: 'freeze',
    account: holder(view, account.address),
    mint: mint.address,
    frozen,
    authority: freezeAuthority.address,
  },
];

const nothing = (what: string): readonly Act[] => [{ act: 'nothing', what }];

export const tokenActs: ActsOf<typeof tokenLayouts> = {
  'token.initializeMint': ({ accounts, args }) => createMint(accounts.mint, args),
  'token.initializeMint2': ({ accounts, args }) => createMint(accounts.mint, args),
  'token.initializeAccount': ({ accounts }) =>
    openToken(accounts.account, accounts.mint, accounts.owner.address),
  'token.initializeAccount2': ({ accounts, args }) => openToken(accounts.account, accounts.mint, args.owner),
  'token.initializeAccount3': ({ accounts, args }) => openToken(accounts.account, accounts.mint, args.owner),
  'token.initializeMultisig': ({ accounts }) => openMultisig(accounts.multisig),
  'token.initializeMultisig2': ({ accounts }) => openMultisig(accounts.multisig),
  'token.transfer': ({ accounts, args }, view) => [tokenTransfer(view, accounts, args.amount)],
  'token.transferChecked': ({ accounts, args }, view) => [
    tokenTransfer(view, accounts, args.amount, accounts.mint.address),
  ],
  'token.approve': ({ accounts, args }) => delegate(accounts, args.amount),
  'token.approveChecked': ({ accounts, args }) => delegate(accounts, args.amount),
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
  'token.mintTo': ({ accounts, args }, view) => mintTo(view, accounts, args.amount),
  'token.mintToChecked': ({ accounts, args }, view) => mintTo(view, accounts, args.amount),
  'token.burn': ({ accounts, args }, view) => burn(view, accounts, args.amount),
  'token.burnChecked': ({ accounts, args }, view) => burn(view, accounts, args.amount),
  'token.closeAccount': ({ accounts }, view) => [
    {
      act: 'closeAccount',
      account: holder(view, accounts.account.address),
      refundTo: accounts.destination.address,
      authority: accounts.owner.address,
    },
  ],
  'token.freezeAccount': ({ accounts }, view) => freeze(view, accounts, true),
  'token.thawAccount': ({ accounts }, view) => freeze(view, accounts, false),
  'token.syncNative': () => [
    { act: 'nothing', what: 'syncs the amount of a wrapped SOL account', isSync: true },
  ],
  'token.getAccountDataSize': () => nothing('computes a size'),
  'token.initializeImmutableOwner': ({ accounts }) => [
    { act: 'accountRule', account: accounts.account.address, rule: 'immutable owner', on: true },
  ],
  'token.amountToUiAmount': () => nothing('formats an amount'),
  'token.uiAmountToAmount': () => nothing('reads an amount'),
};
