/** Token-2022: what each of its own instructions does. */
import { TOKEN_2022_PROGRAM } from '../../transaction/programs.ts';
import type { AccountUse } from '../../transaction/types.ts';
import type { Act, ActOf } from '../acts.ts';
import { defineProgram, type InstructionIn } from '../program.ts';
import { tokenTransfer } from '../token/index.ts';
import { holder, type View } from '../view.ts';
import { token2022Layouts, token2022Named, tokenMetadataLayouts } from './instructions.ts';

/** Returns the act that sets an extension of a mint, initially or by its authority. */
const mintRule = (
  { mint, authority }: { readonly mint: AccountUse; readonly authority?: AccountUse },
  rule: string,
  values: ActOf<'mintRule'>['values'] = {},
): readonly Act[] => [
  { act: 'mintRule', mint: mint.address, rule, values, ...(authority && { authority: authority.address }) },
];

const accountRule = (
  { account, owner }: { readonly account: AccountUse; readonly owner: AccountUse },
  rule: string,
  on: boolean,
): readonly Act[] => [{ act: 'accountRule', account: account.address, rule, on, authority: owner.address }];

type Withdrawn = InstructionIn<
  typeof token2022Layouts,
  'transferFee.withdrawWithheldFromMint' | 'transferFee.withdrawWithheldFromAccounts'
>;

const withheldFees = ({ accounts }: Withdrawn, view: View): readonly Act[] => [
  {
    act: 'claim',
    what: 'withheld transfer fees',
    from: accounts.mint.address,
    payouts: [{ asset: accounts.mint.address, to: holder(view, accounts.destination.address) }],
    beneficiary: accounts.authority.address,
  },
];

export const token2022 = defineProgram({
  name: 'Token-2022',
  addresses: [TOKEN_2022_PROGRAM],
  source: 'the program itself',
  layouts: [...token2022Layouts, ...tokenMetadataLayouts],
  named: token2022Named,
  acts: {
    'mintCloseAuthority.initialize': ({ accounts, args }) =>
      mintRule(accounts, 'mint close authority', { authority: args.closeAuthority }),
    'transferFee.initializeConfig': ({ accounts, args }) => mintRule(accounts, 'transfer fee', args),
    'transferFee.transferCheckedWithFee': ({ accounts, args }, view) => [
      tokenTransfer(view, accounts, args.amount, accounts.mint.address, args.fee),
    ],
    'transferFee.withdrawWithheldFromMint': withheldFees,
    'transferFee.withdrawWithheldFromAccounts': withheldFees,
    'transferFee.harvest': () => [{ act: 'nothing', what: 'gathers withheld transfer fees in the mint' }],
    'transferFee.setTransferFee': ({ accounts, args }) => mintRule(accounts, 'transfer fee', args),
    'defaultAccountState.initialize': ({ accounts, args }) =>
      mintRule(accounts, 'state of new accounts', args),
    'defaultAccountState.update': ({ accounts, args }) => mintRule(accounts, 'state of new accounts', args),
    'token.reallocate': () => [{ act: 'nothing', what: 'allocates space in a token account' }],
    'memoTransfer.enable': ({ accounts }) => accountRule(accounts, 'requires a memo for transfers', true),
    'memoTransfer.disable': ({ accounts }) => accountRule(accounts, 'requires a memo for transfers', false),
    'token.createNativeMint': () => [{ act: 'nothing', what: 'makes the mint of wrapped SOL' }],
    'nonTransferable.initialize': ({ accounts }) => mintRule(accounts, 'cannot be transferred'),
    'interestBearing.initialize': ({ accounts, args }) => mintRule(accounts, 'interest', args),
    'interestBearing.updateRate': ({ accounts, args }) => mintRule(accounts, 'interest', args),
    'cpiGuard.enable': ({ accounts }) => accountRule(accounts, 'CPI guard', true),
    'cpiGuard.disable': ({ accounts }) => accountRule(accounts, 'CPI guard', false),
    'permanentDelegate.initialize': ({ accounts, args }) => mintRule(accounts, 'permanent delegate', args),
    'transferHook.initialize': ({ accounts, args }) => mintRule(accounts, 'transfer hook', args),
    'transferHook.update': ({ accounts, args }) => mintRule(accounts, 'transfer hook', args),
    'metadataPointer.initialize': ({ accounts, args }) => mintRule(accounts, 'metadata pointer', args),
    'metadataPointer.update': ({ accounts, args }) => mintRule(accounts, 'metadata pointer', args),
    'pausable.initialize': ({ accounts, args }) => mintRule(accounts, 'can be paused', args),
    'pausable.pause': ({ accounts }) => mintRule(accounts, 'paused', { paused: 'yes' }),
    'pausable.resume': ({ accounts }) => mintRule(accounts, 'paused', { paused: 'no' }),
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
  },
});
