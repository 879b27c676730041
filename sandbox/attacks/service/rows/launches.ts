/**
 * Launches whose bytes are in perfect order and that are not what was asked for: another config, another name, a token that
 * others control, a position that goes elsewhere (T4, T13, T54, T67, T92, T93).
 */

import { LAUNCH_DECIMALS } from '../../../../src/contract/constants.ts';
import { encodeInstruction } from '../../../../src/programs/instructions.ts';
import { metadataAddress } from '../../../../src/programs/tokenMetadata/addresses.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../../../src/transaction/programs.ts';
import type { Address } from '../../../../src/transaction/types.ts';
import { createCurveConfig } from '../../../programs/dbc.ts';
import { feeShareAuthority, inSol } from '../../../programs/feeShare.ts';
import { createMetadata } from '../../../programs/tokenMetadata.ts';
import { curveTerms } from '../../../service/build/curveTerms.ts';
import { ata, createAta, createMint, mintTo, sealMint } from '../../../service/build/tokens.ts';
import { attackerKey, TAKEN_LAMPORTS } from '../assets.ts';
import { altered, alters, both, firstOf, list, read, rewrite } from '../drafts.ts';
import { type PoolArgs, reopened } from '../swaps.ts';
import {
  type Attack,
  type Attacks,
  type AttackTools,
  type DraftHook,
  type Fields,
  service,
} from '../types.ts';

const LAUNCHES = ['dammLaunchV2', 'dammLaunch', 'curveLaunch', 'curveLaunchV2'] as const;
const CURVES = ['curveLaunch', 'curveLaunchV2'] as const;

/** A link of the same length, so that the token is otherwise unchanged. */
const anotherLink = (uri: string): string => uri.replace(/[^/]+$/, (name) => 'x'.repeat(name.length));

/** Lamports that complete a curve, and the factor of the attacker's initial price. */
const [THRESHOLD, DEARER] = [85_000_000_000n, 10n];

/** The attacker's terms for a token's curve: another fee claimer, or no fixed supply and a high initial price. */
function foreignTerms(tools: AttackTools, tokenMint: Address, of: 'foreign claimer' | 'no supply'): Address {
  const { attacker, onchain, fund } = tools;
  const key = attackerKey(tools, `curve ${of} ${tokenMint}`);
  if (onchain.account(key.address) !== null) return key.address;
  fund(attacker.address, TAKEN_LAMPORTS);
  const made = curveTerms('', of === 'no supply' ? DEARER * DEARER * THRESHOLD : THRESHOLD, false);
  onchain.landBy(
    attacker,
    [
      createCurveConfig(
        {
          config: key.address,
          feeClaimer: of === 'no supply' ? feeShareAuthority(inSol(tokenMint)) : attacker.address,
          leftoverReceiver: attacker.address,
          quoteMint: WSOL_MINT,
          payer: attacker.address,
        },
        of === 'no supply' ? { ...made, tokenSupply: null } : made,
      ),
    ],
    key,
  );
  return key.address;
}

type Texts = Readonly<Record<'name' | 'symbol' | 'uri', string>>;

/** Changes the description of a launch's token. */
const named = (change: (texts: Texts) => Partial<Texts>): DraftHook =>
  both(
    alters('metaplex.createMetadataAccountV3', ({ args }) => ({ args: change(args) })),
    alters('dbc.initializeVirtualPoolWithSplToken', ({ args }) => ({ args: change(args) })),
  );

/** Launches and buys on the attacker's terms instead of those of the token's config. */
function onTerms(of: 'foreign claimer' | 'no supply'): DraftHook {
  const anew = (tools: AttackTools, mint: { readonly address: Address }) => ({
    ...{ pool: undefined, baseVault: undefined, quoteVault: undefined },
    config: foreignTerms(tools, mint.address, of),
  });
  return both(
    alters('dbc.initializeVirtualPoolWithSplToken', ({ accounts }, tools) => ({
      accounts: anew(tools, accounts.baseMint),
    })),
    alters('dbc.swap2', ({ accounts }, tools) => ({
      accounts: anew(tools, accounts.baseMint),
      args: of === 'no supply' ? { amount1: 1n } : {},
    })),
  );
}

/** Creates the token of a launch before the launch, with the attacker as freeze authority. */
function createMintEarly(tools: AttackTools, tokenMint: Address): void {
  const { attacker, onchain, keys } = tools;
  const { sponsor, launchAuthority } = keys;
  if (onchain.mint(tokenMint) !== undefined) return;
  const mint = launchedKey(tools, tokenMint);
  const token = { mint: tokenMint, tokenProgram: TOKEN_PROGRAM };
  const authority = launchAuthority.address;
  const payer = sponsor.address;
  const holder = ata(authority, token);
  const [account] = createMint(payer, tokenMint, TOKEN_PROGRAM, LAUNCH_DECIMALS, authority, (size) =>
    onchain.rent(size),
  );
  if (account === undefined) return;
  const named = { mint: tokenMint, mintAuthority: authority, payer, updateAuthority: authority };
  onchain.landBy(
    sponsor,
    [
      account,
      encodeInstruction('token.initializeMint2', {
        program: TOKEN_PROGRAM,
        accounts: { mint: tokenMint },
        args: { decimals: LAUNCH_DECIMALS, mintAuthority: authority, freezeAuthority: attacker.address },
      }),
      createMetadata(
        { ...named, updateAuthoritySigns: true },
        { name: 'Made before', symbol: 'MADE', uri: 'https://sandbox.example/made.json', mutable: false },
      ),
      createAta(payer, authority, token),
      mintTo(TOKEN_PROGRAM, tokenMint, holder, authority, 10n ** 15n),
      sealMint(TOKEN_PROGRAM, tokenMint, authority),
    ],
    launchAuthority,
    mint,
  );
}

/** Returns the key of a token registered with the service. Throws RangeError for another token. */
function launchedKey({ keys }: AttackTools, tokenMint: Address) {
  for (let serial = 0; serial < 10_000; serial += 1) {
    const key = keys.tokenMint(serial);
    if (key.address === tokenMint) return key;
  }
  throw new RangeError('the token is none of the service');
}

/** Creates the token of a launch beforehand, and restores the accounts when the attack ends. */
function mintBeforeLaunch(): Pick<Attack, 'begin' | 'request'> {
  let made: Address | undefined;
  return {
    begin: ({ onchain, keys }) => {
      made = undefined;
      return () => {
        if (made === undefined) return;
        const token = { mint: made, tokenProgram: TOKEN_PROGRAM };
        for (const address of [made, ata(keys.launchAuthority.address, token), metadataAddress(made)]) {
          onchain.chain.setAccount(address, null);
        }
      };
    },
    request: (request: Fields, tools) => {
      made = String(request.tokenMint);
      createMintEarly(tools, made);
      return request;
    },
  };
}

/** A launch into a pool with unrequested terms or positions, which requires approval. */
const poolNeedsApproval = (attack: Pick<Attack, 'does' | 'takes' | 'draft'>): Attack =>
  service({ row: 'T185', code: 'APPROVAL_REQUIRED', endpoints: ['dammLaunchV2'], ...attack });

/** A launch into a pool whose result differs from the request. */
const direct = (attack: Pick<Attack, 'does' | 'takes' | 'draft' | 'answer'>): Attack =>
  service({ row: 'T92', code: 'REQUEST_MISMATCH', endpoints: ['dammLaunchV2'], ...attack });

/** Writes other terms into the pool, with a slightly smaller first buy. */
const poolTerms = (change: (args: PoolArgs) => Partial<PoolArgs>): DraftHook =>
  both(
    alters('dammV2.initializeCustomizablePool', ({ args }) => ({ args: change(args) })),
    alters('dammV2.swap2', ({ args }) => ({ args: { amount1: (args.amount1 * 99n) / 100n } })),
  );

/** Returns a pool's fee bytes with another number at an offset. */
const feeBytes = ({ poolFees }: PoolArgs, offset: number, value: bigint): Partial<PoolArgs> => {
  const data = Buffer.from(poolFees.baseFee.data);
  data.writeBigUInt64LE(value, offset);
  return { poolFees: { ...poolFees, baseFee: { data } } };
};

/** A share of the liquidity, slightly reduced so that the supply suffices. */
const partOf =
  (more: bigint, less: bigint) =>
  (liquidity: bigint): bigint =>
    (liquidity * 9_999n * more) / (10_000n * less);

/** Factors of a pool's lower initial price, and of its final over its initial price, as square roots. */
const [CHEAPER, DEAREST] = [1_000n, 2n];

/** Rewrites the terms of a curve before the launch: the fee is a tenth of each trade. */
function rewriteTerms(): Pick<Attack, 'begin' | 'request'> {
  let undo: (() => void) | undefined;
  return {
    begin: () => () => undo?.(),
    request: (request: Fields, { onchain }) => {
      const address = String(request.configKey);
      const account = onchain.account(address);
      if (account === null) return request;
      const data = Buffer.from(account.data);
      data.writeBigUInt64LE(100_000_000n, FEE_OFFSET);
      undo = () => onchain.chain.setAccount(address, account);
      onchain.chain.setAccount(address, { ...account, data });
      return request;
    },
  };
}

/** Offset of the trade fee in the account of a curve's terms. */
const FEE_OFFSET = 104;

export const launchAttacks: Attacks = {
  'curve-made-anew': service({
    row: 'T186',
    does: 'replaces the config’s curve with one whose fee is a tenth of each trade',
    takes: 'a tenth of every trade of the token',
    code: 'APPROVAL_REQUIRED',
    endpoints: CURVES,
    ...rewriteTerms(),
  }),
  'pool-half-kept': poolNeedsApproval({
    does: 'makes a stranger the creator of the pool and the holder of half of its locked liquidity',
    takes: 'half of the fees of every trade, permanently',
    draft: (draft, place, tools) => {
      const { attacker } = tools;
      if (firstOf(draft, 'dammV2.initializeCustomizablePool') === undefined) return draft;
      const opened = alters('dammV2.initializeCustomizablePool', () => ({
        accounts: { creator: attacker.address },
      }));
      const locked = rewrite(opened(draft, place, tools), 'dammV2.permanentLockPosition', (found, nth) =>
        nth === 0 ? [altered(found, { accounts: { signer: attacker.address } })] : undefined,
      );
      return { ...locked, signers: [...locked.signers, attacker] };
    },
  }),
  'pool-fee-low': poolNeedsApproval({
    does: 'opens the pool with a fee of 0.01% instead of 2%',
    takes: 'nearly all fees of the claimers',
    draft: poolTerms((args) => feeBytes(args, 0, 100_000n)),
  }),
  'pool-fee-falls': poolNeedsApproval({
    does: 'lets the pool’s fee drop to nearly zero within a second',
    takes: 'nearly all fees of the claimers',
    draft: poolTerms((args) => {
      const { poolFees } = args;
      const data = Buffer.from(poolFees.baseFee.data);
      data.writeUInt16LE(1, 8);
      data.writeBigUInt64LE(1n, 10);
      data.writeBigUInt64LE(19_000_000n, 18);
      return { poolFees: { ...poolFees, baseFee: { data } } };
    }),
  }),
  'pool-fees-in-tokens': poolNeedsApproval({
    does: 'takes the pool’s fee in either token instead of in SOL only',
    takes: 'half of the SOL the claimers would earn',
    draft: poolTerms(() => ({ collectFeeMode: 0 })),
  }),
  'pool-opened-cheap': poolNeedsApproval({
    does: 'opens the pool at so low a price that the next buyer gets nearly the whole supply for almost nothing',
    takes: 'nearly the whole supply',
    draft: reopened(
      ({ sqrtPrice, sqrtMinPrice }) => ({
        sqrtPrice: sqrtPrice / CHEAPER,
        sqrtMinPrice: sqrtMinPrice / CHEAPER,
      }),
      partOf(1n, CHEAPER),
    ),
  }),
  'pool-cannot-rise': poolNeedsApproval({
    does: 'caps the pool’s price at four times the initial price',
    takes: 'the rest of the supply, sold at no more than four times the initial price',
    draft: reopened(
      ({ sqrtPrice }) => ({ sqrtMaxPrice: sqrtPrice * DEAREST }),
      partOf(DEAREST, DEAREST - 1n),
    ),
  }),
  'launch-names-other-config': service({
    row: 'T54',
    does: 'launches on its own curve, from which it earns, instead of the config’s',
    takes: 'all future fees of the token',
    code: 'REQUEST_MISMATCH',
    endpoints: CURVES,
    draft: onTerms('foreign claimer'),
  }),
  'terms-without-supply': service({
    row: 'T93',
    does: 'launches on an expensive curve without a fixed supply, so that its terms determine no share of it',
    takes: 'most of the value of the first buy',
    code: 'REQUEST_MISMATCH',
    endpoints: CURVES,
    draft: onTerms('no supply'),
  }),
  'token-made-before': service({
    row: 'T67',
    does: 'launches a token that it created beforehand with a freeze authority',
    takes: 'the use of the token: any account of it can be frozen',
    code: 'REQUEST_MISMATCH',
    endpoints: ['dammLaunchV2'],
    ...mintBeforeLaunch(),
  }),
  'position-kept': direct({
    does: 'assigns the fee share’s position to itself',
    takes: 'all future fees of the position',
    draft: (draft, _, { attacker }) => {
      const isNft = (program: Address) => program === TOKEN_2022_PROGRAM;
      const opened = rewrite(draft, 'associatedToken.createIdempotent', (found) =>
        isNft(found.accounts.tokenProgram.address)
          ? [
              createAta(found.accounts.payer.address, attacker.address, {
                mint: found.accounts.mint.address,
                tokenProgram: TOKEN_2022_PROGRAM,
              }),
            ]
          : undefined,
      );
      return rewrite(opened, 'token.transferChecked', (found) => {
        if (!isNft(found.program)) return undefined;
        const nft = { mint: found.accounts.mint.address, tokenProgram: TOKEN_2022_PROGRAM };
        return [altered(found, { accounts: { destination: ata(attacker.address, nft) } })];
      });
    },
  }),
  'liquidity-not-locked': direct({
    does: 'leaves the pool’s liquidity unlocked, in its own position',
    takes: 'everything others pay into the pool, once it withdraws the liquidity',
    draft: (draft) =>
      rewrite(draft, 'dammV2.permanentLockPosition', (_, nth) => (nth === 0 ? [] : undefined)),
  }),
  'name-changeable': direct({
    does: 'keeps the authority to change the token’s name and image',
    takes: 'the token’s identity, at any later time',
    draft: alters('metaplex.createMetadataAccountV3', () => ({ args: { isMutable: true } })),
  }),
  'token-without-pool': direct({
    does: 'answers with the transaction that creates the token but not the one that opens its pool',
    takes: 'the supply, which stays with the service',
    answer: (answer) => ({
      ...Object(answer),
      transactions: list(Object(answer).transactions).slice(0, 1),
    }),
  }),
  'supply-unsealed': service({
    row: 'T4',
    does: 'launches a token and keeps the mint authority',
    takes: 'everything paid for the token, once it mints and sells more',
    code: 'REQUEST_MISMATCH',
    endpoints: LAUNCHES,
    draft: (draft) => ({
      ...draft,
      instructions: draft.instructions.filter(
        (instruction) => read(instruction).kind !== 'token.setAuthority',
      ),
    }),
  }),
  'freeze-authority-kept': service({
    row: 'T4',
    does: 'creates the token with a freeze authority',
    takes: 'the use of the token: any account of it can be frozen',
    code: 'REQUEST_MISMATCH',
    endpoints: LAUNCHES,
    draft: alters('token.initializeMint2', (_, { attacker }) => ({
      args: { freezeAuthority: attacker.address },
    })),
  }),
  'link-replaced': service({
    row: 'T54',
    does: 'gives the token another metadata link than requested',
    takes: 'the token’s identity: the attacker controls the content behind the link',
    code: 'REQUEST_MISMATCH',
    endpoints: LAUNCHES,
    draft: named(({ uri }) => ({ uri: anotherLink(uri) })),
  }),
  'token-renamed': service({
    row: 'T137',
    does: 'gives the token another name than the registered one',
    takes: 'the token’s name, which is final',
    code: 'REQUEST_MISMATCH',
    endpoints: LAUNCHES,
    draft: named(({ symbol }) => ({ name: symbol })),
  }),
  'minted-to-attacker': service({
    row: 'T13',
    does: 'mints the supply into the pool, and the same amount to the attacker',
    takes: 'half of the token’s value',
    code: 'UNEXPECTED_INSTRUCTION',
    endpoints: LAUNCHES,
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
};
