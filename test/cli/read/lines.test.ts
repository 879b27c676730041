/** Lines of `countersign read` for single instructions: beneficiaries, payments and open questions. */
import { afterAll, describe, expect, it } from 'vitest';
import { createCurveConfig } from '../../../sandbox/programs/dbc.ts';
import { positionNftAccountAddress } from '../../../src/programs/dammV2/addresses.ts';
import { encodeInstruction } from '../../../src/programs/instructions.ts';
import type { EncodedInstruction } from '../../../src/programs/layout.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { ATTACKER } from '../../policy/recorded/stages.ts';
import { CURVE } from '../../sandbox/programs/worlds.ts';
import { testAddress } from '../../transaction/keys.ts';
import { type JsonPage, jsonOf, linesOf, sumOf, temporaryHome, transactionOf } from './pages.ts';

const wallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const [mint, pool, table, program, nft] = ['mint', 'pool', 'table', 'program', 'nft'].map(testAddress) as [
  string,
  string,
  string,
  string,
  string,
];
const { home, remove } = temporaryHome();
afterAll(remove);

const read = (...instructions: readonly EncodedInstruction[]) =>
  jsonOf(home, transactionOf(wallet, ...instructions));

/** Returns whether the page reports no control for anyone but the wallet. */
const hasNoWarnings = ({ facts }: JsonPage): boolean => {
  const control: unknown = facts.find(({ kind }) => kind === 'control')?.lines;
  const lines = Array.isArray(control) ? control : [];
  return (
    lines.length > 0 && lines.every(({ tone }) => tone === 'plain') && /No stranger/.test(lines.at(-1).text)
  );
};
/** Returns warnings that name an address. */
const warned = ({ facts }: JsonPage, address: string): boolean =>
  facts.some(
    ({ lines }) =>
      Array.isArray(lines) && lines.some(({ tone, text }) => tone !== 'plain' && text.includes(address)),
  );

const opened = (owner: string) =>
  encodeInstruction('dammV2.createPosition', {
    accounts: { owner, positionNftMint: nft, pool, payer: wallet },
  });
const madeMint = (mintAuthority: string, freezeAuthority: string | null = null) =>
  encodeInstruction('token.initializeMint2', {
    accounts: { mint },
    args: { decimals: 6, mintAuthority, freezeAuthority },
  });

/** Instructions that grant a right to the named owner, who may be the wallet. */
const GIVING: Readonly<Record<string, (owner: string) => EncodedInstruction>> = {
  'a position': opened,
  'the right to make more of a token': (owner) => madeMint(owner),
  'the right to freeze accounts of a token': (owner) => madeMint(wallet, owner),
  'a lookup table': (owner) =>
    encodeInstruction('lookupTable.create', {
      accounts: { table, authority: owner, payer: wallet, systemProgram: SYSTEM_PROGRAM },
      args: { recentSlot: 1n, bump: 255 },
    }),
  'the right to change a name': (owner) =>
    encodeInstruction('metaplex.createMetadataAccountV3', {
      accounts: { mint, mintAuthority: wallet, payer: wallet, updateAuthority: owner },
      args: {
        ...{ name: 'Name', symbol: 'SYM', uri: '', sellerFeeBasisPoints: 0, creators: null },
        ...{ collection: null, uses: null, isMutable: true, collectionDetails: null },
      },
    }),
};

describe('beneficiaries of a right', () => {
  it.each(Object.entries(GIVING))('%s goes to an unknown address or stays', async (_, giving) => {
    const stranger = await read(giving(ATTACKER));
    expect(linesOf(stranger, 'controls', { party: ATTACKER })).toHaveLength(1);
    expect(warned(stranger, ATTACKER)).toBe(true);
    expect(hasNoWarnings(stranger)).toBe(false);
    const own = await read(giving(wallet));
    expect(linesOf(own, 'controls', { party: wallet }).length).toBeGreaterThan(0);
    expect(hasNoWarnings(own)).toBe(true);
  });

  it('include the last owner of a position and of a right', async () => {
    const handed = (newAuthority: string) =>
      encodeInstruction('token.setAuthority', {
        accounts: { owned: positionNftAccountAddress(nft), authority: wallet },
        args: { authorityType: 'accountOwner', newAuthority },
      });
    expect(warned(await read(opened(wallet), handed(ATTACKER)), ATTACKER)).toBe(true);
    const back = await read(opened(ATTACKER), handed(wallet));
    expect(warned(back, ATTACKER)).toBe(false);
    expect(hasNoWarnings(back)).toBe(true);
  });

  it('include the maximum amount of a delegate, and the manager of the claimers', async () => {
    const approved = encodeInstruction('token.approve', {
      accounts: { source: mint, delegate: ATTACKER, owner: wallet },
      args: { amount: 5n },
    });
    expect(linesOf(await read(approved), 'controls', { party: ATTACKER, atMost: '5' })).toHaveLength(1);
    const config = { payer: wallet, admin: ATTACKER, baseMint: mint };
    const page = await read(
      encodeInstruction('feeShare.createFeeConfig', {
        accounts: config,
        rest: [wallet],
        args: { bps: [10_000], finalizeInit: true },
      }),
      encodeInstruction('feeShare.updateFeeConfigManager', { accounts: { ...config, newManager: ATTACKER } }),
    );
    expect(linesOf(page, 'earns', { party: wallet, shareBps: 10_000 })).toHaveLength(1);
    expect(linesOf(page, 'controls', { right: 'fee shares', party: ATTACKER })).toHaveLength(1);
    expect(warned(page, ATTACKER)).toBe(true);
    expect(page.transactions[0]?.instructions.some(({ inferred = [] }) => inferred.length > 0)).toBe(true);
  });

  it('are unknown for a pool whose config was not fetched', async () => {
    const launch = (creator: string) =>
      read(
        encodeInstruction('dbc.initializeVirtualPoolWithSplToken', {
          accounts: {
            ...{ config: program, creator, baseMint: mint, quoteMint: WSOL_MINT, payer: wallet },
            tokenQuoteProgram: TOKEN_PROGRAM,
          },
          args: { name: 'Name', symbol: 'SYM', uri: '' },
        }),
      );
    const foreign = await launch(ATTACKER);
    expect(linesOf(foreign, 'controls', { right: 'pool creator', party: ATTACKER })).toHaveLength(1);
    const own = await launch(wallet);
    expect(linesOf(own, 'uses', { account: program, kind: 'config' })).toHaveLength(1);
    expect(linesOf(own, 'terms', { terms: null })).toHaveLength(1);
    expect(hasNoWarnings(own)).toBe(false);
  });

  it("include a config's fee claimer, apart from the fee share of the same transaction", async () => {
    const first = encodeInstruction('feeShare.createFeeConfig', {
      accounts: { payer: wallet, admin: ATTACKER, baseMint: mint },
      rest: [wallet],
      args: { bps: [10_000], finalizeInit: true },
    });
    const share = first.accounts.map(({ address }) => address)[4] ?? '';
    const config = (feeClaimer: string) =>
      createCurveConfig(
        {
          ...{ config: testAddress('settings'), feeClaimer, leftoverReceiver: wallet },
          ...{ quoteMint: WSOL_MINT, payer: wallet },
        },
        CURVE,
      );
    const own = await read(first, config(share));
    expect(linesOf(own, 'earns', { of: 'fees', party: share })).toHaveLength(1);
    expect(hasNoWarnings(own)).toBe(true);
    expect(warned(await read(first, config(ATTACKER)), ATTACKER)).toBe(true);
  });

  it("include everyone named in a token's metadata, by one rule per field", async () => {
    const field = (key: string, value: string) =>
      encodeInstruction('tokenMetadata.updateField', {
        accounts: { metadata: mint, updateAuthority: wallet },
        args: { field: { key }, value },
      });
    const page = await read(field('claimer.0', `${wallet}:5000`), field('claimer.1', `${ATTACKER}:5000`));
    expect(linesOf(page, 'rule', { of: mint })).toHaveLength(2);
    expect(hasNoWarnings(page)).toBe(false);
    const fee = await read(
      encodeInstruction('transferFee.initializeConfig', {
        accounts: { mint },
        args: {
          ...{ configAuthority: ATTACKER, withdrawWithheldAuthority: null },
          ...{ basisPoints: 5_000, maximumFee: 1_000n },
        },
      }),
    );
    expect(linesOf(fee, 'rule').map(({ values }) => values)).toEqual([expect.stringContaining('5000')]);
  });
});

describe('outflows', () => {
  const own = associatedTokenAddress(wallet, WSOL_MINT, TOKEN_PROGRAM);
  const create = encodeInstruction('associatedToken.createIdempotent', {
    accounts: {
      ...{ payer: wallet, associatedToken: own, owner: wallet, mint: WSOL_MINT },
      ...{ systemProgram: SYSTEM_PROGRAM, tokenProgram: TOKEN_PROGRAM },
    },
  });
  const closed = (destination: string) =>
    encodeInstruction('token.closeAccount', { accounts: { account: own, destination, owner: wallet } });

  it('count a deposit once, and not that of an account that is closed again', async () => {
    const deposits = async (...all: readonly EncodedInstruction[]) =>
      sumOf(linesOf(await read(...all), 'pays', { why: 'deposit' }));
    const one = await deposits(create);
    expect(one).toBeGreaterThanOrEqual(2_039_280n);
    expect(one).toBeLessThan(2_500_000n);
    expect(await deposits(create, closed(wallet))).toBe(0n);
  });

  it('include the SOL of an account closed to an unknown address', async () => {
    const stolen = await read(closed(ATTACKER));
    expect(linesOf(stolen, 'returned', { into: ATTACKER })).toHaveLength(1);
    expect(warned(stolen, ATTACKER)).toBe(true);
    expect(warned(await read(closed(wallet)), wallet)).toBe(false);
    const retired = (recipient: string) =>
      read(encodeInstruction('lookupTable.close', { accounts: { table, authority: wallet, recipient } }));
    expect(warned(await retired(ATTACKER), ATTACKER)).toBe(true);
  });

  it('include an account that is paid for and that a program controls', async () => {
    const made = encodeInstruction('system.createAccount', {
      accounts: { payer: wallet, newAccount: pool },
      args: { lamports: 10_000_000_000n, space: 0n, owner: program },
    });
    const page = await read(made);
    expect(linesOf(page, 'pays', { owner: program, atMost: '10000000000', returns: 'never' })).toHaveLength(
      1,
    );
    expect(warned(page, program)).toBe(true);
  });

  it('are unknown if the accounts do not name the token', async () => {
    const page = await read(
      encodeInstruction('token.transfer', {
        accounts: { source: mint, destination: ATTACKER, authority: wallet },
        args: { amount: 77n },
      }),
    );
    expect(linesOf(page, 'unsupported')).toHaveLength(1);
    expect(hasNoWarnings(page)).toBe(false);
  });

  it('are bounded by the trade instruction on the curve', async () => {
    const account = (of: string) => associatedTokenAddress(wallet, of, TOKEN_PROGRAM);
    const page = await read(
      encodeInstruction('dbc.swap', {
        accounts: {
          ...{ config: program, baseMint: mint, quoteMint: WSOL_MINT, payer: wallet },
          inputTokenAccount: account(WSOL_MINT),
          outputTokenAccount: account(mint),
          ...{ tokenBaseProgram: TOKEN_PROGRAM, tokenQuoteProgram: TOKEN_PROGRAM },
        },
        args: { amountIn: 300_000_000n, minimumAmountOut: 5n },
      }),
    );
    expect(linesOf(page, 'pays', { why: 'trade', asset: 'SOL', atMost: '300000000' })).toHaveLength(1);
    expect(linesOf(page, 'receives', { asset: mint, atLeast: '5' })).toHaveLength(1);
  });

  it('include supply that goes to an unknown address', async () => {
    const given = (account: string) =>
      encodeInstruction('token.mintTo', {
        accounts: { mint, account, mintAuthority: wallet },
        args: { amount: 5_000_000n },
      });
    const page = await read(madeMint(wallet), given(pool));
    expect(linesOf(page, 'supply', { minted: '5000000', holder: pool })).toHaveLength(1);
    expect(page.sentences.some((each) => each.includes(pool))).toBe(true);
  });
});

describe('reach of unsupported instructions', () => {
  const unsupported = (...accounts: { address: string; signer: boolean; writable: boolean }[]) => ({
    programAddress: program,
    accounts,
    data: Buffer.from([1]),
  });

  it('covers the wallet if it signs, and nothing if it is not named', async () => {
    const handed = { address: wallet, signer: true, writable: true };
    const page = await read(unsupported(handed));
    expect(linesOf(page, 'unsupported', { program }).map(({ reaches }) => reaches)).toEqual([[wallet]]);
    expect(hasNoWarnings(page)).toBe(false);
    const other = await read(unsupported({ ...handed, address: pool, signer: false }));
    expect(linesOf(other, 'unsupported').map(({ reaches }) => reaches)).toEqual([[]]);
    expect(hasNoWarnings(other)).toBe(false);
  });
});
