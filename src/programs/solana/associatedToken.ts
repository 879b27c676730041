/** The Associated Token program. Old clients send `create` without data. */
import { ASSOCIATED_TOKEN_PROGRAM } from '../../transaction/programs.ts';
import type { Act } from '../acts.ts';
import { defineLayout } from '../layout.ts';
import { defineProgram, type InstructionIn } from '../program.ts';
import { holder } from '../view.ts';

const program = ASSOCIATED_TOKEN_PROGRAM;
const accounts = {
  payer: 'writableSigner',
  associatedToken: 'writable',
  owner: 'readonly',
  mint: 'readonly',
  systemProgram: 'readonly',
  tokenProgram: 'readonly',
  // Old clients append the rent sysvar; the program ignores it.
  rent: 'readonly?',
} as const;

export const associatedTokenLayouts = [
  defineLayout('associatedToken.create', { program, discriminator: [0], accounts, emptyData: true }),
  defineLayout('associatedToken.createIdempotent', { program, discriminator: [1], accounts }),
  defineLayout('associatedToken.recoverNested', {
    program,
    discriminator: [2],
    accounts: {
      nestedAssociatedToken: 'writable',
      nestedMint: 'readonly',
      destinationAssociatedToken: 'writable',
      ownerAssociatedToken: 'readonly',
      ownerMint: 'readonly',
      owner: 'writableSigner',
      tokenProgram: 'readonly',
    },
  }),
];

type Created = InstructionIn<typeof associatedTokenLayouts, 'associatedToken.create'>['accounts'];

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

export const associatedToken = defineProgram({
  name: 'Associated Token',
  addresses: [ASSOCIATED_TOKEN_PROGRAM],
  source: 'the program itself; compared with the client @solana-program/token',
  layouts: associatedTokenLayouts,
  acts: {
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
  },
});
