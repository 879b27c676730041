/** Aims an instruction at the wallet's accounts in favour of the attacker. */
import type { Account } from '../oracle/accounts.ts';
import { addressOf } from '../oracle/encode.ts';
import { Estate, TOKEN, TOKEN_2022 } from '../oracle/estate.ts';
import { IDLS } from '../oracle/idl.ts';
import type { Place } from './catalogue.ts';

const SYSTEM = '11111111111111111111111111111111';

/** The wallet's accounts by kind. */
export interface Owned {
  readonly accounts: Readonly<Record<string, string>>;
  readonly snapshot: readonly Account[];
}

/** Creates one account of every kind for a wallet. */
export function ownedBy(wallet: string, attacker: string): Owned {
  const estate = new Estate(wallet);
  const mint = estate.mint('swept mint');
  const tokens = estate.tokens('swept tokens', mint, 1_000_000n);
  const taken = estate.tokens('swept taken', mint, 0n, { owner: attacker });
  const describedMint = estate.describedMint('swept described mint');
  const newer = { program: TOKEN_2022 };
  const described = estate.tokens('swept described', describedMint, 1_000_000n, newer);
  const describedTaken = estate.tokens('swept more taken', describedMint, 0n, { ...newer, owner: attacker });
  const { program, data } = estate.program('swept program');
  const { position, pool, nft, nftAccount } = estate.position('swept position');
  const { config: curveConfig, curve } = estate.curve('swept curve');
  const { config, authority } = estate.feeShare('swept config', [
    [wallet, 6000],
    [addressOf('friend'), 4000],
  ]);
  const accounts = {
    wallet,
    mint,
    tokens,
    wrapped: estate.wrapped('swept wrapped', 1_000_000_000n),
    nonce: estate.nonce('swept nonce'),
    stake: estate.stake('swept stake'),
    table: estate.table([addressOf('entry')]),
    describedMint,
    described,
    metadata: estate.metadata('swept metadata', mint),
    programData: data,
    position,
    nft,
    nftAccount,
    pool,
    curve,
    curveConfig,
    config,
    feeShareAuthority: authority,
  };
  // Neither belongs to the wallet, and the wallet itself keeps its balance of the stage.
  estate.know(program, taken, describedTaken);
  estate.chain.put([{ address: attacker, owner: SYSTEM, lamports: 1_000_000_000n, data: new Uint8Array() }]);
  estate.know(attacker);
  const snapshot = estate.snapshot().filter(({ address }) => address !== wallet);
  return { accounts, snapshot };
}

/** Well-known accounts of every chain. */
const KNOWN: Readonly<Record<string, string>> = {
  rent: 'SysvarRent111111111111111111111111111111111',
  clock: 'SysvarC1ock11111111111111111111111111111111',
  stakeHistory: 'SysvarStakeHistory1111111111111111111111111',
  recentBlockhashes: 'SysvarRecentB1ockHashes11111111111111111111',
  stakeConfig: 'StakeConfig11111111111111111111111111111111',
  systemProgram: '11111111111111111111111111111111',
  program: addressOf('swept program'),
};

/** Kinds of the wallet's accounts by the name of a place; the first match counts. */
const ASKED: readonly (readonly [RegExp, string])[] = [
  [
    /^(payer|authority|owner|from|account|base|wallet|user|manager|creator|updateAuthority|staker)$/,
    'wallet',
  ],
  [/position_nft_account/, 'nftAccount'],
  [/position_nft_mint|^nft/, 'nft'],
  [/position/, 'position'],
  [/fee_share_config/, 'config'],
  [/fee_share_authority/, 'feeShareAuthority'],
  [/^(virtual_)?pool$/, 'pool'],
  [/^config$/, 'curveConfig'],
  [/programData|buffer/, 'programData'],
  [/^table$/, 'table'],
  [/^stake$/, 'stake'],
  [/^nonce$/, 'nonce'],
  [/^metadata$/, 'describedMint'],
  [/mint/, 'mint'],
  [/^(tokens|source|.*_token_a|.*input_token_account)$/, 'tokens'],
];

/** Replacements for the newer token program, and curves where pools are named. */
const INSTEAD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [TOKEN_2022]: { mint: 'describedMint', tokens: 'described' },
  [IDLS.dbc.address]: { pool: 'curve' },
};

/** Places signed by the service or the attacker instead of the wallet. */
const OTHERS_SIGN = /^new|^created$|custodian|admin|operator|mint$/;

/** Returns the default account for a place: a match for its name, or the attacker. */
export function meant(
  program: string,
  place: Place,
  owned: Owned,
  { attacker, accomplice }: { readonly attacker: string; readonly accomplice: string },
): string {
  if (place.address !== undefined) return place.address;
  if (place.name === 'tokenProgram') return program === TOKEN_2022 ? program : TOKEN;
  const known = KNOWN[place.name];
  if (known !== undefined) return known;
  if (place.name === 'created') return accomplice;
  if (place.signer) return OTHERS_SIGN.test(place.name) ? attacker : (owned.accounts.wallet ?? '');
  const requested = ASKED.find(([name]) => name.test(place.name))?.[1];
  const account = owned.accounts[INSTEAD[program]?.[requested ?? ''] ?? requested ?? ''];
  if (account !== undefined) return account;
  if (place.name !== 'destination') return attacker;
  return addressOf(program === TOKEN_2022 ? 'swept more taken' : 'swept taken');
}
