/** Layouts of the Associated Token program. Old clients send `create` without data. */
import { ASSOCIATED_TOKEN_PROGRAM } from '../../transaction/programs.ts';
import { defineLayout } from '../layout.ts';

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
