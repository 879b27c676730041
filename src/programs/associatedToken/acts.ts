/** Acts of the Associated Token program's instructions. */
import type { AccountUse } from '../../transaction/types.ts';
import type { Act } from '../acts.ts';
import type { ActsOf } from '../program.ts';
import { holder } from '../view.ts';
import type { associatedTokenLayouts } from './instructions.ts';

interface Created {
  readonly payer: AccountUse;
  readonly associatedToken: AccountUse;
  readonly owner: AccountUse;
  readonly mint: AccountUse;
}

const open = ({ payer, associatedToken, owner, mint }: Created, ifMissing: boolean): readonly Act[] => [
  {
    act: 'openAccount',
    account: associatedToken.address,
    kind: 'token',
    owner: owner.address,
    mint: mint.address,
    payer: payer.address,
    deposit: 'rent',
    ifMissing,
  },
];

export const associatedTokenActs: ActsOf<typeof associatedTokenLayouts> = {
  'associatedToken.create': ({ accounts }) => open(accounts, false),
  'associatedToken.createIdempotent': ({ accounts }) => open(accounts, true),
  // Moves the tokens and lamports of an account nested under another associated account to the wallet.
  'associatedToken.recoverNested': ({ accounts }, view) => [
    {
      act: 'claim',
      what: 'the contents of a nested token account',
      from: accounts.nestedAssociatedToken.address,
      payouts: [
        {
          asset: accounts.nestedMint.address,
          to: { account: accounts.destinationAssociatedToken.address, owner: accounts.owner.address },
        },
      ],
      beneficiary: accounts.owner.address,
    },
    {
      act: 'closeAccount',
      account: holder(view, accounts.nestedAssociatedToken.address),
      refundTo: accounts.owner.address,
      authority: accounts.owner.address,
    },
  ],
};
