/** One name per thing in output; all aliases are accepted in input. */
import { describe, expect, it } from 'vitest';
import { CONFIG_TYPES, DEFAULT_CONFIG_TYPE, WRAPPED_SOL } from '../../src/contract/index.ts';
import { parseArguments } from '../../src/server/arguments.ts';
import { listed } from '../../src/server/catalogue.ts';
import { MINT, validRequests, WALLET, walletNamed } from '../contract/validRequests.ts';
import { toolNamed } from './world.ts';

const parse = (name: string, given: Record<string, unknown>) => parseArguments(toolNamed(name), given);
const IPFS = validRequests.dammLaunch.ipfs;
const curve = { tokenMint: MINT, ipfs: IPFS, configKey: walletNamed('terms') };

describe('argument names', () => {
  it('are the same in every tool served for Solana', () => {
    const shown = listed
      .filter(({ domain }) => domain !== 'evm')
      .flatMap(({ tool }) => Object.keys(Object(tool.inputSchema.properties)));
    for (const other of ['baseMint', 'tokenAddress', 'ipfs', 'configKey', 'payer', 'feeClaimer', 'taker'])
      expect(shown).not.toContain(other);
    expect(shown).toEqual(expect.arrayContaining(['tokenMint', 'tokenMetadata', 'venueConfigKey', 'wallet']));
  });

  it('may be those of the contract, or those in results', () => {
    const split = { claimersArray: [WALLET], basisPointsArray: [10_000], flow: 'dbc' };
    const wanted = parse('create_fee_share_config', { baseMint: MINT, payer: WALLET, ...split });
    expect(parse('create_fee_share_config', { tokenMint: MINT, wallet: WALLET, ...split })).toEqual(wanted);
    const { ipfs, configKey, tokenMint } = curve;
    expect(
      parse('create_curve_launch', { tokenMint, tokenMetadata: ipfs, venueConfigKey: configKey }),
    ).toEqual(parse('create_curve_launch', curve));
    expect(parse('start_incorporation', { tokenMint: MINT })).toEqual({ tokenAddress: MINT });
  });

  it('cannot be given twice under two names', () => {
    const both = { tokenMint: MINT, baseMint: walletNamed('other'), claimersArray: [WALLET] };
    expect(() => parse('update_fee_share_config', { ...both, basisPointsArray: [10_000] })).toThrow(
      /unknown argument "tokenMint"/,
    );
  });

  it('appear in a message as the caller wrote them, or as published', () => {
    expect(() => parse('create_curve_launch', { ...curve, configKey: 'x' })).toThrow(/configKey: /);
    expect(() => parse('create_curve_launch', { tokenMint: MINT })).toThrow(/venueConfigKey: /);
  });
});

describe('argument values', () => {
  it('accept SOL for the wrapped SOL mint as a quote or a side of a trade', () => {
    expect(parse('get_swap_quote', { inputMint: 'SOL', outputMint: MINT, amount: '5' })).toMatchObject({
      inputMint: WRAPPED_SOL,
    });
    expect(parse('create_vault_claim', { kind: 'partner', quoteMint: 'sol' })).toMatchObject({
      quoteMint: WRAPPED_SOL,
    });
    expect(() => parse('get_launch_creators', { tokenMint: 'SOL' })).toThrow(/tokenMint/);
  });

  it('accept the label of a launch configuration for its id, and refuse others with the labels', () => {
    const { serviceConfigType: _, ...rest } = { ...validRequests.feeShareConfig };
    const parsed = (serviceConfigType: unknown) =>
      parse('create_fee_share_config', { ...rest, serviceConfigType });
    for (const { id, label } of Object.values(CONFIG_TYPES)) {
      expect(parsed(id)).toMatchObject({ serviceConfigType: id });
      for (const written of [label, label.toUpperCase(), ` ${label} `])
        expect(parsed(written)).toEqual(parsed(id));
    }
    for (const wrong of ['2%', 'Defaults', DEFAULT_CONFIG_TYPE.toUpperCase(), '', 0])
      expect(() => parsed(wrong)).toThrow(/serviceConfigType: .*0\.25% pre, 1% post/);
  });

  it('accept a first buy as text or number, under one name, and only as a whole number', () => {
    const inSol = { ...curve, initialBuyLamports: 500 };
    expect(parse('create_curve_launch', { ...curve, initialBuyLamports: '500' })).toEqual(
      parse('create_curve_launch', inSol),
    );
    expect(parse('create_curve_launch', { ...curve, initialBuy: '500' })).toEqual(
      parse('create_curve_launch', inSol),
    );
    const other = { ...curve, quoteMint: walletNamed('quote'), feeShareConfig: walletNamed('config') };
    expect(parse('create_curve_launch', { ...other, initialBuy: 500 })).toMatchObject({
      initialBuyQuoteRaw: '500',
    });
    for (const wrong of ['0.5', '-1', '1e9', '007', 0.5, Number.MAX_VALUE])
      expect(() => parse('create_curve_launch', { ...curve, initialBuyLamports: wrong })).toThrow(
        /initialBuy/,
      );
  });
});
