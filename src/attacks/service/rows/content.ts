/**
 * Answers whose bytes are in perfect order and do something else than was asked: launches, claims, changed splits
 * (T4, T13, T39, T47, T48, T54, T64). What is said of a new config is in `configs.ts`.
 */
import { launchMemo } from '../../../contract/stockPrograms.ts';
import { encodeInstruction } from '../../../programs/instructions.ts';
import { ata, createAta, memo, mintTo, transfer } from '../../../sandbox/service/build/tokens.ts';
import { append, believes, list, onStagesWith, read, rewrite } from '../drafts.ts';
import { type Attacks, type DraftHook, service } from '../types.ts';

/** A link of the same length, so that everything else about the token stays as it was. */
const anotherLink = (uri: string): string => uri.replace(/[^/]+$/, (name) => 'x'.repeat(name.length));

/** Payments into the wallet's own account go to the attacker's. */
const paidElsewhere: DraftHook = (draft, { wallet }, { attacker }) => {
  const paid = rewrite(draft, 'token.transferChecked', ({ program, accounts, args }) => {
    const asset = { mint: accounts.mint.address, tokenProgram: program, decimals: args.decimals };
    if (accounts.destination.address !== ata(wallet, asset)) return undefined;
    const to = ata(attacker.address, asset);
    return [transfer(asset, accounts.source.address, to, accounts.authority.address, args.amount)];
  });
  // There is nothing of the wallet's to unwrap then.
  const kept = rewrite(paid, 'token.closeAccount', () => []);
  return rewrite(kept, 'associatedToken.createIdempotent', ({ accounts }) => {
    if (accounts.owner.address !== wallet) return undefined;
    const asset = { mint: accounts.mint.address, tokenProgram: accounts.tokenProgram.address };
    return [createAta(accounts.payer.address, attacker.address, asset)];
  });
};

export const contentAttacks: Attacks = {
  'update-replaced': service({
    row: 'T54',
    does: 'changes an existing split to one of its own',
    takes: 'every fee the token earns from now on',
    code: 'REQUEST_MISMATCH',
    endpoints: ['updateFeeShareConfig'],
    request: believes((_, { attacker }) => ({
      claimersArray: [attacker.address],
      basisPointsArray: [10_000],
    })),
  }),
  'plan-for-another-token': service({
    row: 'T54',
    does: 'answers with a plan for another token than was asked about',
    takes: 'nothing yet: the fees of the token that was meant stay open',
    code: 'PLAN_INVALID',
    endpoints: ['feeShareConfig'],
    request: believes((_, { keys }) => ({ baseMint: keys.seeded('another token').address })),
  }),
  'bundle-out-of-order': service({
    row: 'T39',
    does: 'gives the transactions of a launch in another order, the closing of the table before the launch',
    takes: 'the fee and the rent of a launch that cannot happen any more',
    code: 'PLAN_INVALID',
    endpoints: ['dammLaunch'],
    answer: (answer) => ({ ...Object(answer), transactions: list(Object(answer).transactions).toReversed() }),
  }),
  'fee-claimer-replaced': service({
    row: 'T54',
    does: 'writes itself down as the fee claimer of a custody launch',
    takes: 'the fees of the locked position',
    code: 'REQUEST_MISMATCH',
    endpoints: ['dammLaunch'],
    request: believes((_, { attacker }) => ({ feeClaimerWallet: attacker.address })),
  }),
  'launch-names-other-config': service({
    row: 'T54',
    does: 'launches with another fee share config than was asked for',
    takes: 'every fee the token will ever earn',
    code: 'REQUEST_MISMATCH',
    endpoints: ['dammLaunchV2', 'curveLaunch', 'curveLaunchV2'],
    draft: onStagesWith('memo.memo', (draft, _, { attacker }) =>
      rewrite(draft, 'memo.memo', ({ rest }) => [
        memo(
          launchMemo(attacker.address),
          rest.map(({ address }) => address),
        ),
      ]),
    ),
  }),
  'supply-unsealed': service({
    row: 'T4',
    does: 'launches a token and keeps the right to mint more of it',
    takes: 'whatever is paid for the token, as soon as more is minted and sold',
    code: 'REQUEST_MISMATCH',
    endpoints: ['dammLaunch', 'dammLaunchV2', 'curveLaunch', 'curveLaunchV2'],
    draft: (draft) => ({
      ...draft,
      instructions: draft.instructions.filter(
        (instruction) => read(instruction).kind !== 'token.setAuthority',
      ),
    }),
  }),
  'freeze-authority-kept': service({
    row: 'T4',
    does: 'makes the token with a freeze authority',
    takes: 'the use of the token: any account of it can be frozen',
    code: 'REQUEST_MISMATCH',
    endpoints: ['dammLaunch', 'dammLaunchV2', 'curveLaunch', 'curveLaunchV2'],
    draft: (draft, _, { attacker }) =>
      rewrite(draft, 'token.initializeMint2', ({ program, accounts, args }) => [
        encodeInstruction('token.initializeMint2', {
          program,
          accounts: { mint: accounts.mint.address },
          args: { ...args, freezeAuthority: attacker.address },
        }),
      ]),
  }),
  'link-replaced': service({
    row: 'T54',
    does: 'gives the token another metadata link than was asked for',
    takes: 'what the token says it is: name, picture and promises behind the link are the attacker’s',
    code: 'REQUEST_MISMATCH',
    endpoints: ['dammLaunch', 'dammLaunchV2', 'curveLaunch', 'curveLaunchV2'],
    draft: (draft) =>
      rewrite(draft, 'tokenMetadata.initialize', ({ accounts, args }) => [
        encodeInstruction('tokenMetadata.initialize', {
          accounts: {
            metadata: accounts.metadata.address,
            updateAuthority: accounts.updateAuthority.address,
            mint: accounts.mint.address,
            mintAuthority: accounts.mintAuthority.address,
          },
          args: { ...args, uri: anotherLink(args.uri) },
        }),
      ]),
  }),
  'minted-to-attacker': service({
    row: 'T13',
    does: 'mints the supply into the pool, and as much again to the attacker',
    takes: 'half of the token’s worth',
    code: 'UNEXPECTED_INSTRUCTION',
    endpoints: ['dammLaunch', 'dammLaunchV2', 'curveLaunch', 'curveLaunchV2'],
    draft: (draft, { wallet }, { attacker }) => {
      let seen = false;
      return rewrite(draft, 'token.mintTo', ({ program, accounts, args }) => {
        if (seen) return undefined;
        seen = true;
        const mint = accounts.mint.address;
        const asset = { mint, tokenProgram: program };
        const authority = accounts.mintAuthority.address;
        return [
          mintTo(program, mint, accounts.account.address, authority, args.amount),
          createAta(wallet, attacker.address, asset),
          mintTo(program, mint, ata(attacker.address, asset), authority, args.amount),
        ];
      });
    },
  }),
  'claim-elsewhere': service({
    row: 'T54',
    does: 'pays the claim to the attacker',
    takes: 'the claimed fees',
    code: 'REQUEST_MISMATCH',
    endpoints: ['claimTxs', 'claimVault', 'deployerClaimTxs'],
    draft: paidElsewhere,
  }),
  'claim-and-sweep': service({
    row: 'T48',
    does: 'uses the wallet’s signature in a sponsored claim to move tokens of the wallet',
    takes: 'the wallet’s dollars',
    code: 'UNEXPECTED_INSTRUCTION',
    endpoints: ['claimTxs', 'claimVault', 'deployerClaimTxs'],
    draft: append(({ wallet }, tools) => {
      const { attacker, onchain, keys } = tools;
      const mint = onchain.mint(keys.quoteMint('USDC').address);
      if (mint === undefined) return [];
      const asset = { mint: mint.address, tokenProgram: mint.tokenProgram, decimals: mint.decimals };
      const own = ata(wallet, asset);
      const amount = onchain.balance(own);
      return [
        createAta(wallet, attacker.address, asset),
        transfer(asset, own, ata(attacker.address, asset), wallet, amount),
      ];
    }),
  }),
  'claim-charges-the-wallet': service({
    row: 'T47',
    does: 'makes the wallet pay for a claim the service sponsors, at a high price',
    takes: 'the fee, more than the claim brings',
    code: 'FEE_PAYER_MISMATCH',
    endpoints: ['claimTxs', 'claimVault', 'deployerClaimTxs'],
    draft: (draft, { wallet }) => ({
      ...draft,
      feePayer: wallet,
      budget: { ...draft.budget, microLamportsPerUnit: 2_500_000n },
    }),
  }),
  'handle-poisoned': service({
    row: 'T64',
    does: 'names its own wallet as that of a handle the agent looked up',
    takes: 'the share of the wallet behind the handle',
    code: 'RECIPIENT_NOT_ALLOWED',
    endpoints: ['feeShareWallet'],
    answer: (answer, _, { attacker }) => ({ ...Object(answer), wallet: attacker.address }),
  }),
};
