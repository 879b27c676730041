/** Layouts of the Token and Associated Token programs against their published client. */
import { address as kitAddress } from '@solana/kit';
import * as token from '@solana-program/token';
import {
  SYSTEM_PROGRAM,
  SYSVAR_RENT,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/transaction/programs.ts';
import {
  a,
  b,
  c,
  compareAll,
  d,
  k1,
  k2,
  k3,
  ka,
  kb,
  kc,
  kd,
  kOwner,
  owner,
  s1,
  s2,
  s3,
  same,
} from '../transaction/clients.ts';

// Token, and the same instructions of Token-2022
for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
  const config = { programAddress: kitAddress(program) };
  for (const freeze of [null, b]) {
    const args = { decimals: 6, mintAuthority: c, freezeAuthority: freeze };
    const kitArgs = {
      mint: ka,
      decimals: 6,
      mintAuthority: kc,
      freezeAuthority: freeze ? kb : null,
    };
    same(
      'token.initializeMint',
      { program, accounts: { mint: a, rent: SYSVAR_RENT }, args },
      token.getInitializeMintInstruction(kitArgs, config),
    );
    same(
      'token.initializeMint2',
      { program, accounts: { mint: a }, args },
      token.getInitializeMint2Instruction(kitArgs, config),
    );
  }
  same(
    'token.initializeAccount',
    { program, accounts: { account: a, mint: b, owner: c, rent: SYSVAR_RENT } },
    token.getInitializeAccountInstruction({ account: ka, mint: kb, owner: kc }, config),
  );
  same(
    'token.initializeAccount2',
    { program, accounts: { account: a, mint: b, rent: SYSVAR_RENT }, args: { owner: c } },
    token.getInitializeAccount2Instruction({ account: ka, mint: kb, owner: kc }, config),
  );
  same(
    'token.initializeAccount3',
    { program, accounts: { account: a, mint: b }, args: { owner: c } },
    token.getInitializeAccount3Instruction({ account: ka, mint: kb, owner: kc }, config),
  );
  same(
    'token.initializeMultisig',
    { program, accounts: { multisig: a, rent: SYSVAR_RENT }, rest: [b, c], args: { required: 2 } },
    token.getInitializeMultisigInstruction({ multisig: ka, m: 2, signers: [kb, kc] }, config),
  );
  same(
    'token.initializeMultisig2',
    { program, accounts: { multisig: a }, rest: [b, c], args: { required: 2 } },
    token.getInitializeMultisig2Instruction({ multisig: ka, m: 2, signers: [kb, kc] }, config),
  );
  // With a single owner, then with a multisig that is no signer.
  const multisig = { address: d, signer: false };
  const rest = [s2, s3];
  const multiSigners = [k2, k3];
  same(
    'token.transfer',
    { program, accounts: { source: a, destination: b, authority: s1 }, args: { amount: 3n } },
    token.getTransferInstruction({ source: ka, destination: kb, authority: k1, amount: 3n }, config),
  );
  same(
    'token.transfer',
    { program, accounts: { source: a, destination: b, authority: multisig }, rest, args: { amount: 3n } },
    token.getTransferInstruction(
      { source: ka, destination: kb, authority: kd, amount: 3n, multiSigners },
      config,
    ),
  );
  same(
    'token.approve',
    { program, accounts: { source: a, delegate: b, owner: s1 }, args: { amount: 3n } },
    token.getApproveInstruction({ source: ka, delegate: kb, owner: k1, amount: 3n }, config),
  );
  same(
    'token.revoke',
    { program, accounts: { source: a, owner: s1 } },
    token.getRevokeInstruction({ source: ka, owner: k1 }, config),
  );
  const authorities = ['mintTokens', 'freezeAccount', 'accountOwner', 'closeAccount'] as const;
  for (const [authorityType, type] of authorities.map(
    (name, i) => [name, i as token.AuthorityType] as const,
  )) {
    const newAuthority = type % 2 === 0 ? b : null;
    same(
      'token.setAuthority',
      { program, accounts: { owned: a, authority: s1 }, args: { authorityType, newAuthority } },
      token.getSetAuthorityInstruction(
        { owned: ka, owner: k1, authorityType: type, newAuthority: newAuthority ? kb : null },
        config,
      ),
    );
  }
  same(
    'token.mintTo',
    { program, accounts: { mint: a, account: b, mintAuthority: s1 }, args: { amount: 3n } },
    token.getMintToInstruction({ mint: ka, token: kb, mintAuthority: k1, amount: 3n }, config),
  );
  same(
    'token.burn',
    { program, accounts: { account: a, mint: b, authority: s1 }, args: { amount: 3n } },
    token.getBurnInstruction({ account: ka, mint: kb, authority: k1, amount: 3n }, config),
  );
  same(
    'token.closeAccount',
    { program, accounts: { account: a, destination: b, owner: multisig }, rest },
    token.getCloseAccountInstruction({ account: ka, destination: kb, owner: kd, multiSigners }, config),
  );
  same(
    'token.freezeAccount',
    { program, accounts: { account: a, mint: b, freezeAuthority: s1 } },
    token.getFreezeAccountInstruction({ account: ka, mint: kb, owner: k1 }, config),
  );
  same(
    'token.thawAccount',
    { program, accounts: { account: a, mint: b, freezeAuthority: s1 } },
    token.getThawAccountInstruction({ account: ka, mint: kb, owner: k1 }, config),
  );
  const checked = { amount: 2n ** 64n - 1n, decimals: 9 };
  same(
    'token.transferChecked',
    { program, accounts: { source: a, mint: b, destination: c, authority: s1 }, args: checked },
    token.getTransferCheckedInstruction(
      { source: ka, mint: kb, destination: kc, authority: k1, ...checked },
      config,
    ),
  );
  same(
    'token.approveChecked',
    { program, accounts: { source: a, mint: b, delegate: c, owner: s1 }, args: checked },
    token.getApproveCheckedInstruction({ source: ka, mint: kb, delegate: kc, owner: k1, ...checked }, config),
  );
  same(
    'token.mintToChecked',
    { program, accounts: { mint: a, account: b, mintAuthority: s1 }, args: checked },
    token.getMintToCheckedInstruction({ mint: ka, token: kb, mintAuthority: k1, ...checked }, config),
  );
  same(
    'token.burnChecked',
    { program, accounts: { account: a, mint: b, authority: s1 }, args: checked },
    token.getBurnCheckedInstruction({ account: ka, mint: kb, authority: k1, ...checked }, config),
  );
  same(
    'token.syncNative',
    { program, accounts: { account: a, rent: SYSVAR_RENT } },
    token.getSyncNativeInstruction({ account: ka, rent: kitAddress(SYSVAR_RENT) }, config),
  );
  same(
    'token.getAccountDataSize',
    { program, accounts: { mint: a }, args: { extensions: [] } },
    token.getGetAccountDataSizeInstruction({ mint: ka }, config),
  );
  same(
    'token.initializeImmutableOwner',
    { program, accounts: { account: a } },
    token.getInitializeImmutableOwnerInstruction({ account: ka }, config),
  );
  same(
    'token.amountToUiAmount',
    { program, accounts: { mint: a }, args: { amount: 1n } },
    token.getAmountToUiAmountInstruction({ mint: ka, amount: 1n }, config),
  );
  same(
    'token.uiAmountToAmount',
    { program, accounts: { mint: a }, args: { uiAmount: '1.5' } },
    token.getUiAmountToAmountInstruction({ mint: ka, uiAmount: '1.5' }, config),
  );
}

// Associated Token
const associated = {
  payer: s1,
  associatedToken: a,
  owner: b,
  mint: c,
  systemProgram: SYSTEM_PROGRAM,
  tokenProgram: TOKEN_2022_PROGRAM,
};
const kitAssociated = {
  payer: k1,
  ata: ka,
  owner: kb,
  mint: kc,
  tokenProgram: kitAddress(TOKEN_2022_PROGRAM),
};
same(
  'associatedToken.create',
  { accounts: associated },
  token.getCreateAssociatedTokenInstruction(kitAssociated),
);
same(
  'associatedToken.createIdempotent',
  { accounts: associated },
  token.getCreateAssociatedTokenIdempotentInstruction(kitAssociated),
);
same(
  'associatedToken.recoverNested',
  {
    accounts: {
      nestedAssociatedToken: a,
      nestedMint: b,
      destinationAssociatedToken: c,
      ownerAssociatedToken: d,
      ownerMint: owner,
      owner: s1,
      tokenProgram: TOKEN_PROGRAM,
    },
  },
  token.getRecoverNestedAssociatedTokenInstruction({
    nestedAssociatedAccountAddress: ka,
    nestedTokenMintAddress: kb,
    destinationAssociatedAccountAddress: kc,
    ownerAssociatedAccountAddress: kd,
    ownerTokenMintAddress: kOwner,
    walletAddress: k1,
  }),
);

compareAll(/^associatedToken\.|^token\.(?!reallocate|createNativeMint)/);
