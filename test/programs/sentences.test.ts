/**
 * The sentences about acts, by what is known beside the act itself: nothing, no chain, a chain that shows the wallet's own
 * things, and one that shows those of others. Compared whole with an approved text; `-u` writes it anew.
 */
import { expect, test } from 'vitest';
import type { Act, ActOf, Earner } from '../../src/programs/acts.ts';
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { actWords } from '../../src/programs/words/acts.ts';
import type { Known, Naming } from '../../src/programs/words/naming.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { testAddress } from '../transaction/keys.ts';

const names = new Map<string, string>([[WSOL_MINT, 'wrapped SOL']]);
/** An address that the sentences call by its name. */
const called = (name: string): string => {
  const address = testAddress(name);
  names.set(address, name);
  return address;
};
const numbered = Array.from({ length: 12 }, (_, index) => called(`[${index + 1}]`));

const wallet = called('the wallet');
const other = called('another');
const base = called('the token');
const dollars = called('dollars');
const config = called('the config');
const settings = called('the settings');
const pool = called('the pool');
const position = called('the position');
const partner = called('the partner');
const held = (account: string, owner?: string) => ({
  account: called(account),
  ...(owner === undefined ? {} : { owner }),
});

const share = (...earners: readonly (readonly [string, number])[]): readonly Earner[] =>
  earners.map(([earner, bps]) => ({ wallet: earner, bps }));
const many = share(...numbered.map((each, index): [string, number] => [each, index < 6 ? 1_000 : 500]));

const unbounded = 2n ** 64n - 1n;
/** The square root of a price of one quarter. */
const HALF = 2n ** 63n;

const plainFee = {
  baseFee: { cliffFeeNumerator: 10_000_000n, firstFactor: 0, secondFactor: 0n, thirdFactor: 0n },
};
const falling = {
  baseFee: { ...plainFee.baseFee, firstFactor: 3, baseFeeMode: 1 },
  dynamicFee: { initialized: 1 },
};
const odd = {
  baseFee: { ...plainFee.baseFee, thirdFactor: 9n, baseFeeMode: 2 },
  dynamicFee: { initialized: 0 },
};
/** The fee of a trade as one of the pools writes it: the fee, then what changes it. */
const inBytes = (...later: readonly number[]) => ({
  baseFee: { data: Uint8Array.from([0x80, 0x96, 0x98, 0, 0, 0, 0, 0, ...later]) },
});

const create: ActOf<'createConfig'> = {
  act: 'createConfig',
  config,
  base,
  quote: WSOL_MINT,
  earners: share([wallet, 7_000], [other, 3_000]),
  final: true,
  payer: wallet,
  admin: called('the admin'),
};
const change: ActOf<'changeShares'> = {
  act: 'changeShares',
  config,
  base,
  quote: WSOL_MINT,
  earners: share([other, 10_000]),
  fromIndex: 0,
  toIndex: 2,
  final: true,
  manager: wallet,
  payer: wallet,
};
const made: ActOf<'createPool'> = {
  act: 'createPool',
  venue: 'a venue',
  pool,
  base,
  quote: WSOL_MINT,
  creator: wallet,
  payer: wallet,
  makes: [],
};
const setting: ActOf<'createPoolConfig'> = {
  act: 'createPoolConfig',
  venue: 'a venue',
  config: settings,
  quote: WSOL_MINT,
  feeClaimer: other,
  leftoverReceiver: wallet,
  payer: wallet,
  terms: {},
};
const claim: ActOf<'claim'> = {
  act: 'claim',
  what: "the pool's fees",
  from: pool,
  payouts: [{ asset: WSOL_MINT, to: held('a vault', wallet) }],
};
const rule = (name: string, values: ActOf<'mintRule'>['values']): Act => ({
  act: 'mintRule',
  mint: base,
  rule: name,
  values,
});
const trade: ActOf<'swap'> = {
  act: 'swap',
  venue: 'a venue',
  input: 'SOL',
  output: base,
  mostIn: 1_500_000_000n,
  leastOut: 1n,
  exact: 'in',
  source: held('the wrapped', wallet),
  destination: held('the bought', other),
  authority: wallet,
};

const ACTS: readonly (readonly [about: string, act: Act])[] = [
  [
    'a transfer with a fee',
    {
      act: 'transfer',
      asset: base,
      from: held('here', wallet),
      to: held('there', other),
      amount: 1n,
      authority: wallet,
      fee: 2n,
    },
  ],
  [
    'a transfer with a fee of nothing',
    {
      act: 'transfer',
      asset: dollars,
      from: held('here', wallet),
      to: held('there'),
      amount: 2n,
      authority: wallet,
      fee: 0n,
    },
  ],
  [
    'a transfer of a token the accounts do not show',
    { act: 'transfer', from: held('here'), to: held('there'), amount: 2_000n, authority: wallet },
  ],
  [
    'an NFT',
    {
      act: 'transfer',
      asset: called('the NFT'),
      from: held('here', wallet),
      to: held('there', other),
      amount: 1n,
      authority: wallet,
    },
  ],
  [
    'two of an NFT',
    {
      act: 'transfer',
      asset: called('the NFT'),
      from: held('here', wallet),
      to: held('there', other),
      amount: 2n,
      authority: wallet,
    },
  ],
  [
    'SOL of its owner',
    {
      act: 'transfer',
      asset: 'SOL',
      from: { account: wallet, owner: wallet },
      to: { account: other, owner: other },
      amount: 5n,
      authority: wallet,
    },
  ],
  [
    'an account whose owner has a name of many words',
    {
      act: 'transfer',
      asset: WSOL_MINT,
      from: held('here', called('the vault of a program')),
      to: held('a named account', other),
      amount: 5n,
      authority: wallet,
    },
  ],
  ['a trade', trade],
  [
    'a trade with a referrer and fees',
    { ...trade, referral: called('the referrer'), feesBps: { platform: 25, positiveSlippage: 0 } },
  ],
  ['a trade whose direction is not known', { ...trade, input: undefined, output: undefined }],
  ['a claim', claim],
  ['a claim of a share', { ...claim, what: 'a share of fees' }],
  ['a claim of everything', { ...claim, what: 'everything that waits' }],
  [
    'a claim with a most',
    {
      ...claim,
      payouts: [
        { asset: base, to: held('a vault', wallet), most: 9n },
        { asset: WSOL_MINT, to: held('another vault'), most: unbounded },
      ],
    },
  ],
  [
    'a claim of which others take a part',
    {
      ...claim,
      payouts: [
        ...claim.payouts,
        { asset: WSOL_MINT, to: held('the platform', other) },
        { asset: WSOL_MINT, to: held('a partner', partner) },
      ],
    },
  ],
  ['an account that is opened', { act: 'openAccount', account: called('the opened'), kind: 'data' }],
  [
    'a nonce that is opened',
    {
      act: 'openAccount',
      account: called('the opened'),
      kind: 'nonce',
      owner: other,
      payer: wallet,
      deposit: 5n,
    },
  ],
  [
    'a token account that is opened',
    {
      act: 'openAccount',
      account: called('the opened'),
      kind: 'token',
      mint: base,
      owner: wallet,
      payer: wallet,
      deposit: 'rent',
      ifMissing: true,
    },
  ],
  [
    'a multisig that is opened',
    { act: 'openAccount', account: called('the opened'), kind: 'multisig', ifMissing: false },
  ],
  ['a mint', { act: 'createMint', mint: base }],
  [
    'a mint with authorities',
    { act: 'createMint', mint: base, decimals: 1, mintAuthority: other, freezeAuthority: null },
  ],
  [
    'texts for good',
    {
      act: 'setMetadata',
      mint: base,
      name: 'N',
      symbol: 'S',
      uri: 'u',
      mutable: false,
      surcharge: 10_000_000n,
    },
  ],
  [
    'texts that can be changed',
    {
      act: 'setMetadata',
      mint: base,
      name: 'N',
      symbol: 'S',
      uri: 'u',
      mutable: true,
      updateAuthority: other,
    },
  ],
  [
    'texts no one can change',
    { act: 'setMetadata', mint: base, name: 'N', symbol: 'S', uri: 'u', updateAuthority: null },
  ],
  ['frozen', { act: 'freeze', account: held('here', wallet), mint: base, frozen: true, authority: other }],
  ['released', { act: 'freeze', account: held('here', wallet), mint: base, frozen: false, authority: other }],
  ['a rule without values', rule('cannot be transferred', {})],
  [
    'a transfer fee',
    rule('transfer fee', {
      basisPoints: 125,
      maximumFee: 7n,
      configAuthority: other,
      withdrawWithheldAuthority: null,
    }),
  ],
  ['interest', rule('interest', { rate: -125, rateAuthority: 'none at all' })],
  ['metadata', rule('metadata', { name: 'New', old: null })],
  ['basis points in words', rule('some rule', { basisPoints: 'a text', rate: 7n })],
  ['an account rule', { act: 'accountRule', account: called('here'), rule: 'guarded', on: true }],
  ['a right handed on', { act: 'setRight', right: 'owner', of: called('here'), to: other, amount: 3n }],
  ['a right kept', { act: 'setRight', right: 'close authority', of: called('here'), to: wallet }],
  ['a right given up', { act: 'setRight', right: 'pool creator', of: pool, to: null }],
  ['a config', create],
  ['a config without the wallet', { ...create, earners: share([other, 10_000]), partner }],
  ['a config of no wallet', { ...create, earners: [] }],
  ['a config of many', { ...create, earners: many }],
  [
    'a config of many with equal shares apart',
    { ...create, earners: [...many.slice(3), ...share([wallet, 3_000]), ...many.slice(0, 1)] },
  ],
  ['a config that is not complete', { ...create, final: false, earners: share([wallet, 4_000]) }],
  ['a config that is not complete and gives everything', { ...create, final: false }],
  ['more earners', { ...create, act: 'extendConfig', partner }],
  ['all shares changed', change],
  [
    'shares changed in part',
    { ...change, fromIndex: 1, toIndex: 2, earners: share([wallet, 1_000], [other, 2_000]) },
  ],
  ['several shares changed', { ...change, fromIndex: 1, toIndex: 3, final: false }],
  ['one share replaced', { ...change, toIndex: 1, manager: other, earners: share([wallet, 7_000]) }],
  ['shares added', { ...change, fromIndex: 1, toIndex: 1 }],
  ['shares set', { ...change, fromIndex: 0, toIndex: 0, earners: share([other, 9_999]) }],
  ['shares changed for many', { ...change, earners: many }],
  ['shares kept', { ...change, earners: share([wallet, 7_000], [numbered[0] ?? '', 3_000]) }],
  [
    'a manager',
    { act: 'setManager', config, base, quote: WSOL_MINT, manager: other, payer: wallet, admin: other },
  ],
  [
    'a manager who is the wallet',
    { act: 'setManager', config, base, quote: WSOL_MINT, manager: wallet, payer: wallet, admin: other },
  ],
  [
    'a partner',
    { act: 'createPartner', partnerConfig: config, partner, bps: 2_500, payer: wallet, admin: other },
  ],
  ['settings', setting],
  ['settings that pay the wallet', { ...setting, feeClaimer: wallet, leftoverReceiver: other }],
  ['settings that pay the fee share', { ...setting, feeClaimer: called('the fee share') }],
  [
    'settings with a price and a creator',
    {
      ...setting,
      quote: dollars,
      terms: {
        creatorTradingFeePercentage: 20,
        tokenDecimal: 6,
        sqrtStartPrice: HALF,
        poolFees: plainFee,
        tokenUpdateAuthority: 0,
      },
    },
  ],
  [
    'settings with a fee that falls',
    {
      ...setting,
      terms: { tokenDecimal: 9, sqrtStartPrice: HALF / 3_000n, poolFees: falling, tokenUpdateAuthority: 1 },
    },
  ],
  [
    'settings with an odd fee',
    {
      ...setting,
      terms: { tokenDecimal: 6, sqrtStartPrice: HALF * 77_777n, poolFees: odd, tokenUpdateAuthority: 3 },
    },
  ],
  [
    'settings with texts of the fee earner',
    { ...setting, terms: { poolFees: { baseFee: {} }, tokenUpdateAuthority: 2 } },
  ],
  ['settings that let the fee earner make more', { ...setting, terms: { tokenUpdateAuthority: 4 } }],
  [
    'settings of a kind not known',
    { ...setting, terms: { tokenUpdateAuthority: 5, poolFees: 7, creatorTradingFeePercentage: 0 } },
  ],
  ['a pool', { ...made, terms: { sqrtPrice: HALF, poolFees: inBytes(0, 0, 1) } }],
  [
    'a pool with a fee that changes',
    {
      ...made,
      quote: dollars,
      terms: { sqrtPrice: HALF, poolFees: { ...inBytes(0, 4, 1), dynamicFee: {} } },
    },
  ],
  ['a pool with a fee of too few bytes', { ...made, creator: other, terms: { poolFees: inBytes() } }],
  [
    'a pool with settings',
    { ...made, config: settings, token: { name: 'N', symbol: 'S', uri: 'u' }, surcharge: 10_000_000n },
  ],
  [
    'a pool with other settings',
    { ...made, config: called('other settings'), terms: { tokenUpdateAuthority: 1 } },
  ],
  [
    'a position',
    {
      act: 'openPosition',
      venue: 'a venue',
      pool,
      position,
      nftMint: called('the NFT'),
      owner: other,
      payer: wallet,
    },
  ],
  [
    'a deposit',
    {
      act: 'addLiquidity',
      venue: 'a venue',
      pool,
      position,
      liquidity: 5n,
      deposits: [
        { asset: base, from: held('here', wallet), most: 6n },
        { asset: WSOL_MINT, from: held('there', wallet), most: 0n },
      ],
      authority: wallet,
    },
  ],
  [
    'a deposit without bounds',
    {
      act: 'addLiquidity',
      venue: 'a venue',
      pool,
      position: called('a position of another'),
      liquidity: 5n,
      deposits: [
        { asset: base, from: held('here', wallet) },
        { asset: WSOL_MINT, from: held('there', wallet), most: unbounded },
      ],
      authority: wallet,
    },
  ],
  [
    'a deposit of nothing',
    {
      act: 'addLiquidity',
      venue: 'a venue',
      pool,
      position: called('a position not known'),
      liquidity: 0n,
      deposits: [{ asset: base, from: held('here', wallet), most: 0n }],
      authority: wallet,
    },
  ],
  ['a table', { act: 'tableCreate', table: called('the table'), authority: other, payer: wallet }],
  [
    'a table of the wallet with addresses',
    {
      act: 'tableExtend',
      table: called('the table'),
      authority: wallet,
      addresses: [wallet, called('a named account'), other, ...numbered.slice(0, 4)],
    },
  ],
  [
    'a table with one address',
    { act: 'tableExtend', table: called('the table'), authority: wallet, addresses: [other] },
  ],
  [
    'a table with two numbered addresses',
    { act: 'tableExtend', table: called('the table'), authority: wallet, addresses: numbered.slice(8, 10) },
  ],
  [
    'an instruction known by name',
    { act: 'named', program: called('a program'), instruction: 'do_it', accounts: [] },
  ],
  [
    'an instruction that cannot be read',
    { act: 'unread', program: called('a program'), reason: 'too long', accounts: [] },
  ],
];

const NOTHING: Known = {
  wallet,
  online: false,
  feeShareSteps: [],
  feeShareOf: () => undefined,
  isOwn: () => false,
  managerOf: () => undefined,
  earnersOf: () => undefined,
  partnerOf: () => undefined,
  partnerBps: () => undefined,
  settingsOf: () => undefined,
  positionOf: () => undefined,
  controllerOf: () => undefined,
  owed: () => undefined,
};
const controllers = new Map([
  [position, wallet],
  [called('a position of another'), other],
]);
const feeShare = called('the fee share');
const SHOWN: Known = {
  ...NOTHING,
  online: true,
  askedSettings: settings,
  feeShareSteps: [2],
  feeShareOf: (address) => (address === feeShare ? base : undefined),
  isOwn: (address) => address === wallet,
  managerOf: () => wallet,
  earnersOf: (address) =>
    address === config || address === feeShareConfigAddress(base, WSOL_MINT)
      ? share([wallet, 7_000], [other, 3_000])
      : undefined,
  partnerOf: () => partner,
  partnerBps: () => 2_500,
  settingsOf: (address) =>
    address === settings
      ? {
          feeClaimer: feeShare,
          leftoverReceiver: other,
          terms: {
            creatorTradingFeePercentage: 10,
            tokenDecimal: 6,
            sqrtStartPrice: HALF,
            poolFees: plainFee,
          },
        }
      : undefined,
  positionOf: (mint) => (mint === called('the NFT') ? position : undefined),
  controllerOf: (address) => controllers.get(address),
  owed: (_, { asset }) => (asset === WSOL_MINT ? 8n : undefined),
};
const OTHERS: Known = {
  ...SHOWN,
  askedSettings: undefined,
  feeShareSteps: [2, 4],
  feeShareOf: () => undefined,
  managerOf: () => other,
  earnersOf: () =>
    share(...many.map(({ wallet: each, bps }): [string, number] => [each, bps - 100]), [other, 2_200]),
  partnerOf: () => undefined,
  partnerBps: () => undefined,
  settingsOf: () => ({ feeClaimer: other, leftoverReceiver: wallet, terms: {} }),
};

const naming: Naming = {
  address: (address) => names.get(address) ?? 'an address that has no name',
  quoted: (text) => `“${text}”`,
};
const namings: readonly (readonly [string, Naming])[] = [
  ['nothing is known', naming],
  ['no chain was asked', { ...naming, known: NOTHING }],
  [
    'a chain shows the wallet’s own',
    {
      ...naming,
      known: SHOWN,
      decimals: (mint) => (mint === base ? 6 : undefined),
      isNamed: (address) => address === called('a named account'),
    },
  ],
  ['a chain shows those of others', { ...naming, known: OTHERS, decimals: () => 2 }],
];

test('every act is said as it was approved, whatever is known beside it', async () => {
  const lines = ACTS.flatMap(([about, act]) => {
    const said = new Map<string, string[]>();
    for (const [when, how] of namings) {
      const words = actWords(act, how);
      said.set(words, [...(said.get(words) ?? []), when]);
    }
    return [about, ...[...said].map(([words, when]) => `  ${when.join(', ')}:\n    ${words}`)];
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('approved/sentences.txt');
});
