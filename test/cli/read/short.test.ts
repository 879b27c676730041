/** What the short part of a page says of rights, deposits and what is not read, from single instructions. */
import { afterAll, describe, expect, it } from 'vitest';
import { knownOf } from '../../../src/cli/read/known.ts';
import { positionNftAccountAddress } from '../../../src/programs/dammV2/addresses.ts';
import type { EncodedInstruction } from '../../../src/programs/layout.ts';
import { buildInstruction } from '../../../src/programs/read.ts';
import { actWords } from '../../../src/programs/words/acts.ts';
import { createCurveConfig } from '../../../src/sandbox/programs/dbc.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { ATTACKER } from '../../policy/recorded/stages.ts';
import { CURVE } from '../../sandbox/programs/worlds.ts';
import { testAddress } from '../../transaction/keys.ts';
import { pageOf, temporaryHome, transactionOf } from './pages.ts';

const wallet = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const mint = testAddress('mint');
const pool = testAddress('pool');
const table = testAddress('table');
const program = testAddress('program');
const poolSettings = (feeClaimer: string) =>
  createCurveConfig(
    {
      config: testAddress('settings'),
      feeClaimer,
      leftoverReceiver: wallet,
      quoteMint: WSOL_MINT,
      payer: wallet,
    },
    CURVE,
  );
const { home, remove } = temporaryHome();
afterAll(remove);

const read = (...instructions: readonly EncodedInstruction[]) =>
  pageOf(home, transactionOf(wallet, ...instructions));
const short = async (...instructions: readonly EncodedInstruction[]) => (await read(...instructions)).short;

const NOT_OURS = /, NOT the signing wallet/;
const NO_OTHER = 'No one but the signing wallet gains control of anything, or a new share of fees.';

/** Ways a right goes to the owner named, who is the wallet or not. */
const GIVING: Readonly<Record<string, (owner: string) => EncodedInstruction>> = {
  'a position': (owner) =>
    buildInstruction('dammV2.createPosition', {
      accounts: { owner, positionNftMint: testAddress('nft'), pool, payer: wallet },
    }),
  'the right to make more of a token': (owner) =>
    buildInstruction('token.initializeMint2', {
      accounts: { mint },
      args: { decimals: 6, mintAuthority: owner, freezeAuthority: null },
    }),
  'the right to freeze accounts of a token': (owner) =>
    buildInstruction('token.initializeMint2', {
      accounts: { mint },
      args: { decimals: 6, mintAuthority: wallet, freezeAuthority: owner },
    }),
  'an address table': (owner) =>
    buildInstruction('lookupTable.create', {
      accounts: { table, authority: owner, payer: wallet, systemProgram: '11111111111111111111111111111111' },
      args: { recentSlot: 1n, bump: 255 },
    }),
  'the right to change a name': (owner) =>
    buildInstruction('metaplex.createMetadataAccountV3', {
      accounts: { mint, mintAuthority: wallet, payer: wallet, updateAuthority: owner },
      args: {
        name: 'Name',
        symbol: 'SYM',
        uri: '',
        sellerFeeBasisPoints: 0,
        creators: null,
        collection: null,
        uses: null,
        isMutable: true,
        collectionDetails: null,
      },
    }),
};

describe('the short part says who gains a right', () => {
  it.each(Object.entries(GIVING))('%s that goes to a stranger', async (_, giving) => {
    const stranger = await short(giving(ATTACKER));
    expect(stranger).toMatch(NOT_OURS);
    expect(stranger).not.toContain('No one but');
    const own = await short(giving(wallet));
    expect(own).not.toMatch(NOT_OURS);
    expect(own).toContain(NO_OTHER);
  });

  it('a pool whose creator is a stranger, under settings that are named', async () => {
    const launch = (creator: string) =>
      short(
        buildInstruction('dbc.initializeVirtualPoolWithSplToken', {
          accounts: {
            config: program,
            creator,
            baseMint: mint,
            quoteMint: WSOL_MINT,
            payer: wallet,
            tokenQuoteProgram: TOKEN_PROGRAM,
          },
          args: { name: 'Name', symbol: 'SYM', uri: '' },
        }),
      );
    expect(await launch(ATTACKER)).toMatch(
      /its creator is \[\d\], NOT the signing wallet; .* it takes the settings \[\d\] for good/,
    );
    const own = await launch(wallet);
    expect(own).toContain('its creator is the signing wallet; ');
    // Who earns stands in settings that were not looked up.
    expect(own).not.toContain('No one but');
  });

  it('settings that pay another key than the fee share of the same transaction', async () => {
    const first = buildInstruction('feeShare.createFeeConfig', {
      accounts: { payer: wallet, admin: ATTACKER, baseMint: mint },
      rest: [wallet],
      args: { bps: [10_000], finalizeInit: true },
    });
    const share = first.accounts.map(({ address }) => address)[4] ?? '';
    const settings = (feeClaimer: string) => short(first, poolSettings(feeClaimer));
    expect(await settings(share)).toContain('its creator gets 50%, the fee share of [1] the rest');
    expect(await settings(ATTACKER)).toMatch(
      /its creator gets 50%, \[\d\], which is NOT the fee share set up in step 3, the rest/,
    );
    expect(await short(poolSettings(ATTACKER))).toContain(
      '(whether that is the fee share of a token, these bytes do not say) the rest',
    );
  });

  it('a token that takes half of every transfer, and metadata that is changed and removed', async () => {
    const fee = await short(
      buildInstruction('transferFee.initializeConfig', {
        accounts: { mint },
        args: {
          configAuthority: ATTACKER,
          withdrawWithheldAuthority: null,
          basisPoints: 5_000,
          maximumFee: 1_000n,
        },
      }),
    );
    expect(fee).toContain(
      'config authority [2], withdraw withheld authority none, 50% of each transfer and maximum fee 1,000',
    );
    const metadata = { metadata: mint, updateAuthority: wallet };
    const changed = await short(
      buildInstruction('tokenMetadata.updateField', {
        accounts: metadata,
        args: { field: { field: 'name' }, value: 'Another' },
      }),
      buildInstruction('tokenMetadata.removeKey', {
        accounts: metadata,
        args: { idempotent: true, key: 'site' },
      }),
    );
    expect(changed).toContain('"name" "Another"');
    expect(changed).toContain('"site" removed');
  });
});

describe('the short part says how a transaction ends', () => {
  const nft = testAddress('nft');
  const opened = (owner: string) =>
    buildInstruction('dammV2.createPosition', {
      accounts: { owner, positionNftMint: nft, pool, payer: wallet },
    });
  const handed = (to: string) =>
    buildInstruction('token.setAuthority', {
      accounts: { owned: positionNftAccountAddress(nft), authority: wallet },
      args: { authorityType: 'accountOwner', newAuthority: to },
    });

  it('where a position is opened for the wallet and its account is then given to a stranger', async () => {
    const page = await short(opened(wallet), handed(ATTACKER));
    expect(page).toMatch(
      /Steps 3 and 4 together: a position is opened .*; \[\d\], NOT the signing wallet, controls/,
    );
    expect(page).not.toContain('No one but');
    const back = await short(opened(ATTACKER), handed(wallet));
    expect(back).not.toMatch(NOT_OURS);
    expect(back).toContain(NO_OTHER);
  });

  it('where a token is made by the wallet and a part of the supply goes to a stranger', async () => {
    const made = buildInstruction('token.initializeMint2', {
      accounts: { mint },
      args: { decimals: 6, mintAuthority: wallet, freezeAuthority: null },
    });
    const given = (account: string) =>
      buildInstruction('token.mintTo', {
        accounts: { mint, account, mintAuthority: wallet },
        args: { amount: 5_000_000n },
      });
    const own = associatedTokenAddress(wallet, mint, TOKEN_PROGRAM);
    expect(await short(made, given(own))).toContain(NO_OTHER);
    const page = await short(made, given(own), given(pool));
    expect(page).toMatch(/Step 5: 5 of the token \[\d\] is made new for/);
    expect(page).not.toContain('No one but');
  });
});

describe('the short part says for whom it is', () => {
  const made = buildInstruction('system.createAccount', {
    accounts: { payer: wallet, newAccount: pool },
    args: { lamports: 10_000_000_000n, space: 0n, owner: program },
  });

  it('and that it may be another wallet, where several must sign', async () => {
    const doubt = 'More than one key must sign. If this is not your wallet, pass --wallet ADDRESS.';
    const transaction = transactionOf(wallet, made);
    expect((await pageOf(home, transaction)).short).toContain(doubt);
    expect((await pageOf(home, transaction, { wallet })).short).not.toContain(doubt);
    expect((await pageOf(home, transaction, { wallet: ATTACKER })).short).toContain(
      'None of the wallets you named must sign this.',
    );
  });

  it('and which program controls an account that is paid for', async () => {
    expect(await short(made)).toMatch(
      /at most 10 SOL into the new account \[\d\], which the program \[\d\] controls/,
    );
  });

  it('and that a stranger may change who earns', async () => {
    const config = { payer: wallet, admin: ATTACKER, baseMint: mint };
    const page = await short(
      buildInstruction('feeShare.createFeeConfig', {
        accounts: config,
        rest: [wallet],
        args: { bps: [10_000], finalizeInit: true },
      }),
      buildInstruction('feeShare.updateFeeConfigManager', { accounts: { ...config, newManager: ATTACKER } }),
    );
    expect(page).toMatch(/only \[\d\], NOT the signing wallet, can change it later/);
    expect(page).toMatch(/\[\d\], NOT the signing wallet, may change from now on who earns the fees/);
  });
});

describe('the words of a fee share', () => {
  it('say what a partner takes first, and of a changed split what every share becomes', () => {
    const known = {
      ...knownOf([], wallet, () => undefined, true),
      partnerBps: () => 500,
      earnersOf: () => [
        { wallet, bps: 9_000 },
        { wallet: ATTACKER, bps: 1_000 },
      ],
    };
    const naming = { address: (address: string) => address, quoted: (text: string) => text, known };
    const config = { config: pool, base: mint, quote: WSOL_MINT, payer: wallet, final: true };
    const made = { act: 'createConfig', ...config, admin: wallet, partner: program } as const;
    expect(actWords({ ...made, earners: [{ wallet, bps: 10_000 }] }, naming)).toContain(
      `the partner ${program} takes 5% first, and of the rest the earners take their shares`,
    );
    const change = { act: 'changeShares', ...config, manager: wallet, fromIndex: 0, toIndex: 1 } as const;
    expect(actWords({ ...change, earners: [{ wallet: program, bps: 9_000 }] }, naming)).toContain(
      `the shares become: ${wallet} 90% → 0% and ${program} 0% → 90%`,
    );
  });
});

describe('the short part of metadata that says who earns', () => {
  const field = (key: string, value: string) =>
    buildInstruction('tokenMetadata.updateField', {
      accounts: { metadata: mint, updateAuthority: wallet },
      args: { field: { key }, value },
    });

  it('is one sentence, and an address in it counts as one that gains', async () => {
    const page = await short(
      field('claimers', '2'),
      field('claimer.0', `${wallet}:5000`),
      field('claimer.1', `${ATTACKER}:5000`),
    );
    expect(page).toContain(
      `Steps 3 to 5: the token [1] gets the rule "metadata": "claimers" "2", "claimer.0" "${wallet}:5000" and "claimer.1" "${ATTACKER}:5000".`,
    );
    expect(page).not.toContain('No one but');
    expect(await short(field('claimer.0', `${wallet}:10000`))).toContain(NO_OTHER);
  });
});

describe('the short part and instructions that are not read', () => {
  const unread = (...accounts: { address: string; signer: boolean; writable: boolean }[]) => ({
    programAddress: program,
    accounts,
    data: Buffer.from([1]),
  });
  const account = (address: string, signer: boolean, writable: boolean) => ({ address, signer, writable });

  it('says first what they get and may write to, and gives no total', async () => {
    const page = await short(unread(account(wallet, true, true), account(pool, false, true)));
    expect(page).toMatch(
      /^In short, for the signing wallet \w+ Step 3 \(program \[1\]\) is not read: .* It gets the signature of the signing wallet, and may write to the signing wallet and \[2\]\./,
    );
    expect(page).toContain(
      'Leaves, besides the network fee and deposits: unknown. Deposits: unknown. Arrives: unknown.',
    );
    expect(page).toContain('Who gains control or a share of fees by the step that is not read is not known.');
  });

  it('says when they do not get the signature', async () => {
    expect(await short(unread(account(pool, false, false)))).toContain(
      'It does not get the signature of the signing wallet, and may write to no account.',
    );
  });
});
