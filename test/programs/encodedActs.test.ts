/** Acts of instructions, compared with the accounts and arguments they were encoded from. */
import { describe, expect, test } from 'vitest';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { actsOf, readInstruction, readInstructions } from '../../src/programs/read.ts';
import { JITO_TIP_ACCOUNTS } from '../../src/programs/solana/system.ts';
import { NO_VIEW, type View } from '../../src/programs/view.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  SYSTEM_PROGRAM,
  SYSVAR_RECENT_BLOCKHASHES,
  SYSVAR_RENT,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import type { ResolvedInstruction } from '../../src/transaction/types.ts';
import { testAddress } from '../transaction/keys.ts';
import { JITO_TIP_ACCOUNTS as PUBLISHED_TIP_ACCOUNTS } from './bagsConstants.ts';

const resolved = (
  { programAddress, accounts, data }: ReturnType<typeof encodeInstruction>,
  index = 0,
): ResolvedInstruction => ({ index, program: programAddress, accounts, data });

const [wallet, mint, base, admin, creator] = ['wallet', 'mint', 'base', 'admin', 'creator'].map(
  testAddress,
) as [string, string, string, string, string];

describe('acts of encoded instructions', () => {
  test("a config names its claimers in order with their shares, and the service's signer", () => {
    const built = encodeInstruction('feeShare.createFeeConfig', {
      accounts: { payer: wallet, admin, baseMint: base },
      rest: [wallet, creator],
      args: { bps: [7000, 3000], finalizeInit: true },
    });
    const reading = readInstruction(resolved(built));
    expect(actsOf(reading, NO_VIEW)).toMatchObject([
      {
        act: 'createConfig',
        base,
        quote: WSOL_MINT,
        claimers: [
          { wallet, bps: 7000 },
          { wallet: creator, bps: 3000 },
        ],
        final: true,
        payer: wallet,
        admin,
      },
    ]);
    expect(reading).toMatchObject({
      inferred: [
        'which wallet earns which share: the accounts after the named ones, in the order of the shares',
      ],
    });
  });

  test('a config with different numbers of claimers and shares is unsupported', () => {
    const built = encodeInstruction('feeShare.createFeeConfig', {
      accounts: { payer: wallet, admin, baseMint: base },
      rest: [wallet],
      args: { bps: [7000, 3000], finalizeInit: true },
    });
    expect(readInstruction(resolved(built))).toMatchObject({
      status: 'unsupported',
      reason: '1 claimers and 2 shares',
    });
  });

  test('a partner without its config, or a config without its partner, is unsupported', () => {
    const built = encodeInstruction('feeShare.createFeeConfig', {
      accounts: { payer: wallet, admin, baseMint: base, partner: creator },
      rest: [wallet],
      args: { bps: [10_000], finalizeInit: true },
    });
    const whole = resolved(built);
    expect(readInstruction(whole).status).toBe('read');
    for (const role of [6, 7]) {
      const absent = { address: whole.program, signer: false, writable: false };
      expect(readInstruction({ ...whole, accounts: whole.accounts.with(role, absent) })).toMatchObject({
        status: 'unsupported',
        reason: 'the account "partnerConfig" is not the one derived from partner',
      });
    }
  });

  const trade = (inputTokenAccount: string, outputTokenAccount: string) =>
    resolved(
      encodeInstruction('dbc.swap2', {
        accounts: {
          config: testAddress('config'),
          inputTokenAccount,
          outputTokenAccount,
          baseMint: mint,
          quoteMint: WSOL_MINT,
          payer: wallet,
          tokenBaseProgram: TOKEN_PROGRAM,
          tokenQuoteProgram: TOKEN_PROGRAM,
        },
        args: { amount0: 5n, amount1: 9n, swapMode: 'exactOut' },
      }),
    );

  test('a trade has the direction of its token accounts, by address or chain state', () => {
    const sol = associatedTokenAddress(wallet, WSOL_MINT, TOKEN_PROGRAM);
    const token = associatedTokenAddress(wallet, mint, TOKEN_PROGRAM);
    const other = testAddress('an account of any address');
    const shown: View = {
      tokenAccount: (account) => (account === other ? { mint, owner: creator } : undefined),
    };
    const way = (instruction: ResolvedInstruction, view: View) => {
      const [act] = actsOf(readInstruction(instruction), view);
      return act?.act === 'swap' ? [act.input, act.output] : [];
    };
    expect(way(trade(sol, token), NO_VIEW)).toEqual([WSOL_MINT, mint]);
    expect(way(trade(token, sol), NO_VIEW)).toEqual([mint, WSOL_MINT]);
    expect(way(trade(sol, other), NO_VIEW)).toEqual([WSOL_MINT, mint]);
    expect(way(trade(other, token), NO_VIEW)).toEqual([WSOL_MINT, mint]);
    expect(way(trade(other, sol), NO_VIEW)).toEqual([mint, WSOL_MINT]);
    expect(way(trade(other, testAddress('also any')), shown)).toEqual([mint, WSOL_MINT]);
    expect(way(trade(other, testAddress('also any')), NO_VIEW)).toEqual([undefined, undefined]);
    // Chain data takes precedence over the address.
    const lies: View = { tokenAccount: () => ({ mint, owner: creator }) };
    expect(way(trade(sol, token), lies)).toEqual([mint, WSOL_MINT]);
    const [act] = actsOf(readInstruction(trade(sol, token)), NO_VIEW);
    expect(act).toMatchObject({ maxIn: 9n, minOut: 5n, exact: 'out', authority: wallet });
  });

  test('effects of an instruction are visible to later ones', () => {
    const account = associatedTokenAddress(wallet, mint, TOKEN_PROGRAM);
    const to = testAddress('destination');
    const instructions = [
      encodeInstruction('associatedToken.createIdempotent', {
        accounts: {
          payer: wallet,
          associatedToken: account,
          owner: wallet,
          mint,
          systemProgram: '11111111111111111111111111111111',
          tokenProgram: TOKEN_PROGRAM,
        },
      }),
      encodeInstruction('token.transfer', {
        accounts: { source: account, destination: to, authority: wallet },
        args: { amount: 3n },
      }),
      encodeInstruction('token.closeAccount', {
        accounts: { account, destination: creator, owner: wallet },
      }),
      encodeInstruction('token.transfer', {
        accounts: { source: account, destination: to, authority: wallet },
        args: { amount: 4n },
      }),
    ].map(resolved);
    const acts = readInstructions(instructions, NO_VIEW).map((each) => each.acts[0]);
    expect(acts).toMatchObject([
      { act: 'openAccount', kind: 'token', account, owner: wallet, mint, deposit: 'rent', ifMissing: true },
      { act: 'transfer', asset: mint, from: { account, owner: wallet }, to: { account: to }, amount: 3n },
      { act: 'closeAccount', account: { account, owner: wallet }, refundTo: creator },
      { act: 'transfer', from: { account }, amount: 4n },
    ]);
    expect(acts[3]).not.toHaveProperty('asset');
  });

  test('an account assigned to the System program stays a wallet, and one assigned to another program does not', () => {
    const to = (owner: string) =>
      actsOf(
        readInstruction(
          resolved(encodeInstruction('system.assign', { accounts: { account: wallet }, args: { owner } })),
        ),
        NO_VIEW,
      );
    expect(to(SYSTEM_PROGRAM)).toEqual([
      { act: 'nothing', what: 'the account stays with the System program' },
    ]);
    expect(to(TOKEN_PROGRAM)).toEqual([
      { act: 'setRight', right: 'program owner', of: wallet, to: TOKEN_PROGRAM, authority: wallet },
    ]);
  });

  test('a transfer to a published tip address is a tip, and to any other is not', () => {
    const to = (address: string) =>
      actsOf(
        readInstruction(
          resolved(
            encodeInstruction('system.transfer', {
              accounts: { from: wallet, to: address },
              args: { lamports: 7n },
            }),
          ),
        ),
        NO_VIEW,
      );
    expect([...JITO_TIP_ACCOUNTS].toSorted()).toEqual(PUBLISHED_TIP_ACCOUNTS.toSorted());
    for (const address of JITO_TIP_ACCOUNTS) {
      expect(to(address)).toEqual([{ act: 'tip', from: wallet, to: address, amount: 7n }]);
    }
    expect(to(creator)).toMatchObject([{ act: 'transfer', asset: 'SOL', amount: 7n }]);
    const [builder = ''] = JITO_TIP_ACCOUNTS;
    const ofNonce = encodeInstruction('system.withdrawNonceAccount', {
      accounts: {
        nonce: creator,
        to: builder,
        recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES,
        rent: SYSVAR_RENT,
        authority: wallet,
      },
      args: { lamports: 7n },
    });
    expect(actsOf(readInstruction(resolved(ofNonce)), NO_VIEW)).toMatchObject([
      { act: 'transfer', from: { account: creator, owner: wallet }, authority: wallet },
    ]);
  });

  test('a pool created by its launch states its creator, its token, its cost above rent and its supply', () => {
    const accounts = {
      config: testAddress('config'),
      creator,
      baseMint: mint,
      quoteMint: WSOL_MINT,
      payer: wallet,
      tokenQuoteProgram: TOKEN_PROGRAM,
    };
    const args = { name: 'Name', symbol: 'SYM', uri: 'https://example.org/x' };
    const [spl] = actsOf(
      readInstruction(
        resolved(encodeInstruction('dbc.initializeVirtualPoolWithSplToken', { accounts, args })),
      ),
      NO_VIEW,
    );
    expect(spl).toMatchObject({
      act: 'createPool',
      creator,
      payer: wallet,
      token: args,
      surcharge: 10_000_000n,
    });
    expect(spl?.act === 'createPool' && spl.makes).toHaveLength(5);
    const [token2022] = actsOf(
      readInstruction(
        resolved(encodeInstruction('dbc.initializeVirtualPoolWithToken2022', { accounts, args })),
      ),
      NO_VIEW,
    );
    expect(token2022).not.toHaveProperty('surcharge');
    expect(token2022?.act === 'createPool' && token2022.makes).toHaveLength(4);
  });

  test('a position created with a pool belongs to its creator, and the payer pays for its liquidity', () => {
    const built = encodeInstruction('dammV2.initializeCustomizablePool', {
      accounts: {
        creator,
        positionNftMint: testAddress('nft'),
        payer: wallet,
        tokenAMint: mint,
        tokenBMint: WSOL_MINT,
        payerTokenA: testAddress('payer a'),
        payerTokenB: testAddress('payer b'),
        tokenAProgram: TOKEN_2022_PROGRAM,
        tokenBProgram: TOKEN_PROGRAM,
      },
      args: {
        poolFees: {
          baseFee: { data: new Uint8Array(27) },
          compoundingFeeBps: 0,
          padding: 0,
          dynamicFee: null,
        },
        sqrtMinPrice: 1n << 64n,
        sqrtMaxPrice: 1n << 66n,
        hasAlphaVault: false,
        liquidity: 1000n << 64n,
        sqrtPrice: 1n << 64n,
        activationType: 0,
        collectFeeMode: 1,
        activationPoint: null,
      },
    });
    expect(actsOf(readInstruction(resolved(built)), NO_VIEW)).toMatchObject([
      { act: 'createPool', creator, payer: wallet, base: mint, quote: WSOL_MINT },
      { act: 'openPosition', owner: creator, nftMint: testAddress('nft') },
      {
        act: 'addLiquidity',
        // A quarter of the way up in price, 1 - 1/4 of the liquidity remains, all of it in the first token.
        deposits: [
          { asset: mint, from: { account: testAddress('payer a') }, most: 750n },
          { asset: WSOL_MINT, from: { account: testAddress('payer b') }, most: 0n },
        ],
        authority: wallet,
      },
    ]);
  });
});
