/** Acts of the instructions specific to Token-2022. */
import type { AccountUse } from '../../transaction/types.ts';
import type { Act, ActOf } from '../acts.ts';
import type { ActsOf } from '../program.ts';
import { tokenTransfer } from '../token/acts.ts';
import { holder } from '../view.ts';
import type { token2022Layouts } from './instructions.ts';
import type { tokenMetadataLayouts } from './metadata.ts';

interface MintOnly {
  readonly mint: AccountUse;
}
interface MintAndAuthority extends MintOnly {
  readonly authority: AccountUse;
}

/** Returns the act that initializes an extension of a mint. */
const first = (
  { mint }: MintOnly,
  rule: string,
  values: ActOf<'mintRule'>['values'] = {},
): readonly Act[] => [{ act: 'mintRule', mint: mint.address, rule, values }];

/** Returns the act of an authority that changes an extension. */
const changed = (
  { mint, authority }: MintAndAuthority,
  rule: string,
  values: ActOf<'mintRule'>['values'],
): readonly Act[] => [{ act: 'mintRule', mint: mint.address, rule, values, authority: authority.address }];

const accountRule = (
  { account, owner }: { readonly account: AccountUse; readonly owner: AccountUse },
  rule: string,
  on: boolean,
): readonly Act[] => [{ act: 'accountRule', account: account.address, rule, on, authority: owner.address }];

export const token2022Acts: ActsOf<typeof token2022Layouts> = {
  'mintCloseAuthority.initialize': ({ accounts, args }) =>
    first(accounts, 'mint close authority', { authority: args.closeAuthority }),
  'transferFee.initializeConfig': ({ accounts, args }) => first(accounts, 'transfer fee', args),
  'transferFee.transferCheckedWithFee': ({ accounts, args }, view) => [
    tokenTransfer(view, accounts, args.amount, accounts.mint.address, args.fee),
  ],
  'transferFee.withdrawWithheldFromMint': ({ accounts }, view) => [
    {
      act: 'claim',
      what: 'withheld transfer fees',
      from: accounts.mint.address,
      payouts: [{ asset: accounts.mint.address, to: holder(view, accounts.destination.address) }],
      beneficiary: accounts.authority.address,
    },
  ],
  'transferFee.withdrawWithheldFromAccounts': ({ accounts }, view) => [
    {
      act: 'claim',
      what: 'withheld transfer fees',
      from: accounts.mint.address,
      payouts: [{ asset: accounts.mint.address, to: holder(view, accounts.destination.address) }],
      beneficiary: accounts.authority.address,
    },
  ],
  'transferFee.harvest': () => [{ act: 'nothing', what: 'gathers withheld transfer fees in the mint' }],
  'transferFee.setTransferFee': ({ accounts, args }) => changed(accounts, 'transfer fee', args),
  'defaultAccountState.initialize': ({ accounts, args }) => first(accounts, 'state of new accounts', args),
  'defaultAccountState.update': ({ accounts, args }) => changed(accounts, 'state of new accounts', args),
  'token.reallocate': () => [{ act: 'nothing', what: 'allocates space in a token account' }],
  'memoTransfer.enable': ({ accounts }) => accountRule(accounts, 'requires a memo for transfers', true),
  'memoTransfer.disable': ({ accounts }) => accountRule(accounts, 'requires a memo for transfers', false),
  'token.createNativeMint': () => [{ act: 'nothing', what: 'makes the mint of wrapped SOL' }],
  'nonTransferable.initialize': ({ accounts }) => first(accounts, 'cannot be transferred'),
  'interestBearing.initialize': ({ accounts, args }) => first(accounts, 'interest', args),
  'interestBearing.updateRate': ({ accounts, args }) => changed(accounts, 'interest', args),
  'cpiGuard.enable': ({ accounts }) => accountRule(accounts, 'CPI guard', true),
  'cpiGuard.disable': ({ accounts }) => accountRule(accounts, 'CPI guard', false),
  'permanentDelegate.initialize': ({ accounts, args }) => first(accounts, 'permanent delegate', args),
  'transferHook.initialize': ({ accounts, args }) => first(accounts, 'transfer hook', args),
  'transferHook.update': ({ accounts, args }) => changed(accounts, 'transfer hook', args),
  'metadataPointer.initialize': ({ accounts, args }) => first(accounts, 'metadata pointer', args),
  'metadataPointer.update': ({ accounts, args }) => changed(accounts, 'metadata pointer', args),
  'pausable.initialize': ({ accounts, args }) => first(accounts, 'can be paused', args),
  'pausable.pause': ({ accounts }) => changed(accounts, 'paused', { paused: 'yes' }),
  'pausable.resume': ({ accounts }) => changed(accounts, 'paused', { paused: 'no' }),
};

export const tokenMetadataActs: ActsOf<typeof tokenMetadataLayouts> = {
  'tokenMetadata.initialize': ({ accounts, args }) => [
    {
      act: 'setMetadata',
      mint: accounts.mint.address,
      ...args,
      updateAuthority: accounts.updateAuthority.address,
    },
  ],
  'tokenMetadata.updateField': ({ accounts, args }) => [
    {
      act: 'mintRule',
      mint: accounts.metadata.address,
      rule: 'metadata',
      values: { ['key' in args.field ? args.field.key : args.field.field]: args.value },
      authority: accounts.updateAuthority.address,
    },
  ],
  'tokenMetadata.removeKey': ({ accounts, args }) => [
    {
      act: 'mintRule',
      mint: accounts.metadata.address,
      rule: 'metadata',
      values: { [args.key]: null },
      authority: accounts.updateAuthority.address,
    },
  ],
  'tokenMetadata.updateAuthority': ({ accounts, args }) => [
    {
      act: 'setRight',
      right: 'metadata authority',
      of: accounts.metadata.address,
      to: args.newAuthority,
      authority: accounts.updateAuthority.address,
    },
  ],
  'tokenMetadata.emit': () => [{ act: 'nothing', what: 'reads metadata back' }],
};
