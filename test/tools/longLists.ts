/** Lists far longer than an answer, and the parts of a page readable from its text. */
import { expect } from 'vitest';
import { ONLY_WALLET } from './world.ts';

export const ROWS = 10_000;
const MINT = ONLY_WALLET;
export const EVM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
export const many = (row: (index: number) => object) =>
  Array.from({ length: ROWS }, (_, index) => row(index));

/** Unpaginated lists of a service, with a number that identifies each row. */
export const LISTS: readonly (readonly [
  tool: string,
  args: object,
  rows: string,
  id: string,
  payload: unknown,
])[] = [
  ['get_launch_feed', {}, 'launches', 'name', many((i) => ({ tokenMint: MINT, name: `n${i}` }))],
  [
    'get_launch_feed',
    { detail: true },
    'launches',
    'name',
    many((i) => ({ tokenMint: MINT, name: `n${i}`, description: 'd'.repeat(280) })),
  ],
  [
    'get_launch_creators',
    { tokenMint: MINT },
    'creators',
    'username',
    many((i) => ({ username: `n${i}`, wallet: MINT, royaltyBps: 1, isCreator: false })),
  ],
  [
    'list_supported_quote_tokens',
    { launch: 'damm_v2_direct' },
    'tokens',
    'symbol',
    { tokens: many((i) => ({ mint: MINT, symbol: `n${i}`, decimals: 6 })) },
  ],
  [
    'list_claimable_positions',
    {},
    'items',
    'claimableAmountRaw',
    {
      items: many((i) => ({ tokenMint: MINT, quoteMint: MINT, claimableAmountRaw: `${i}` })),
      complete: true,
    },
  ],
  [
    'list_vault_claimables',
    {},
    'vaults',
    'claimableAmountRaw',
    {
      vaults: many((i) => ({ kind: 'partner', wallet: MINT, quoteMint: MINT, claimableAmountRaw: `${i}` })),
    },
  ],
  [
    'list_deployer_claimables',
    {},
    'claimables',
    'claimableAmountRaw',
    {
      positions: many((i) => ({ tokenMint: MINT, quoteMint: MINT, claimableAmountRaw: `${i}` })),
      vaults: [],
    },
  ],
  [
    'list_claim_events',
    { tokenMint: MINT, mode: 'time', from: 0, to: 9 },
    'events',
    'amount',
    { events: many((i) => ({ wallet: MINT, amount: `${i}` })) },
  ],
  [
    'get_evm_creator_roster',
    { tokenAddress: EVM },
    'recipients',
    'claimedWei',
    { token: EVM, recipients: many((i) => ({ address: EVM, bps: 1, claimedWei: `${i}` })) },
  ],
  [
    'list_incorporations',
    {},
    'projects',
    'category',
    many((i) => ({ tokenAddress: MINT, category: `n${i}`, founders: [{ kycStatus: 'x' }, {}] })),
  ],
  [
    'list_admin_tokens',
    {},
    'tokens',
    'tokenMint',
    { tokenMints: Array.from({ length: ROWS }, (_, i) => `n${i}`) },
  ],
  [
    'list_top_tokens',
    {},
    'tokens',
    'feesRaw',
    many((i) => ({ token: MINT, lifetimeFees: `${i}`, tokenInfo: { name: 'x'.repeat(60) } })),
  ],
  [
    'list_creator_tokens',
    { wallet: MINT },
    'tokens',
    'shareBps',
    { items: many((i) => ({ tokenMint: `n${i}`, basisPoints: i })), complete: true },
  ],
  [
    'get_lifetime_fees',
    { tokenMint: MINT },
    'claimers',
    'shareBps',
    many((i) => ({ wallet: MINT, totalClaimed: '5', royaltyBps: i })),
  ],
];

/** Extracts the cursor above the rows, and a value of each row, from the text. */
export const cursorIn = (text: string, name: string) =>
  new RegExp(`(?:^|· )${name} (\\S+)`).exec(text.split('\n')[0] ?? '')?.[1];
export const valuesIn = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`^- .*\\b${name} "?(\\w+)`, 'gm'))].map(([, value = '']) => value);

/** Start and page count of each walk; the second one reads to the end. */
const WALKS = [
  { from: 0, pages: 3 },
  { from: ROWS - 150, pages: 150 },
];

/**
 * Walks a numbered list by text alone. Each page must continue after the previous one and state the number of remaining
 * rows; the last page has no cursor.
 */
export async function walk(ask: (offset: number) => Promise<string>, id: string): Promise<void> {
  for (const { from, pages } of WALKS) {
    let offset = from;
    for (let page = 0; page < pages && offset < ROWS; page += 1) {
      const text = await ask(offset);
      const shown = valuesIn(text, id).map((value) => Number(value.replace(/^n/, '')));
      expect(shown.length).toBeGreaterThan(0);
      expect(shown).toEqual(shown.map((_, at) => offset + at));
      offset += shown.length;
      expect(Number(cursorIn(text, 'more') ?? 0)).toBe(ROWS - offset);
      expect(cursorIn(text, 'nextOffset') ?? 'null').toBe(offset < ROWS ? `${offset}` : 'null');
    }
    expect(pages === 3 || offset === ROWS).toBe(true);
  }
}
