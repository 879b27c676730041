/** Derived addresses of the real programs, compared with the public packages' derivations. */
import * as dammV2 from '@meteora-ag/cp-amm-sdk';
import * as dbc from '@meteora-ag/dynamic-bonding-curve-sdk';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import {
  customizablePoolAddress,
  dammV2PoolAddress,
  dammV2VaultAddress,
  positionAddress,
  positionNftAccountAddress,
} from '../../src/programs/dammV2/addresses.ts';
import { dbcPoolAddress, dbcVaultAddress } from '../../src/programs/dbc/addresses.ts';
import { byte, derive, larger, smaller, text as textSeed } from '../../src/programs/derived.ts';
import {
  FEE_SHARE_PROGRAM,
  feeShareAuthorityAddress,
  feeShareConfigAddress,
  partnerConfigAddress,
  userFeeVaultAddress,
} from '../../src/programs/feeShare/addresses.ts';
import { metadataAddress } from '../../src/programs/tokenMetadata/addresses.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import fc from '../fc.ts';

const key = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => bytes.some((byte) => byte !== 0))
  .map((bytes) => new PublicKey(bytes));
const text = (address: PublicKey): string => address.toBase58();

describe('derived addresses', () => {
  it('of pools, vaults and positions equal those of the Meteora packages', () => {
    fc.assert(
      fc.property(key, key, key, (config, one, other) => {
        const [c, a, b] = [text(config), text(one), text(other)];
        expect(dammV2PoolAddress(c, a, b)).toBe(text(dammV2.derivePoolAddress(config, one, other)));
        expect(customizablePoolAddress(a, b)).toBe(text(dammV2.deriveCustomizablePoolAddress(one, other)));
        expect(dammV2VaultAddress(a, b)).toBe(text(dammV2.deriveTokenVaultAddress(one, other)));
        expect(positionAddress(a)).toBe(text(dammV2.derivePositionAddress(one)));
        expect(positionNftAccountAddress(a)).toBe(text(dammV2.derivePositionNftAccount(one)));
        expect(dbcPoolAddress(c, a, b)).toBe(text(dbc.deriveDbcPoolAddress(other, one, config)));
        expect(dbcVaultAddress(a, b)).toBe(text(dbc.deriveDbcTokenVaultAddress(other, one)));
        expect(metadataAddress(a)).toBe(text(dbc.deriveMintMetadata(one)));
      }),
      { numRuns: 10 },
    );
  });

  it('of a fee share come from its mints and its wallet', () => {
    const program = new PublicKey(FEE_SHARE_PROGRAM);
    const sol = new PublicKey(WSOL_MINT);
    const found = (name: string, ...seeds: PublicKey[]) =>
      text(
        PublicKey.findProgramAddressSync(
          [Buffer.from(name), ...seeds.map((seed) => seed.toBuffer())],
          program,
        )[0],
      );
    fc.assert(
      fc.property(key, key, (mint, wallet) => {
        expect(feeShareConfigAddress(text(mint))).toBe(found('fee_share_config', mint, sol));
        expect(feeShareAuthorityAddress(text(mint))).toBe(found('fee_share_authority', mint, sol));
        expect(partnerConfigAddress(text(wallet))).toBe(found('partner_config', wallet));
        expect(userFeeVaultAddress(text(wallet), text(mint))).toBe(
          found('user_fee_vault', wallet, mint, sol),
        );
      }),
      { numRuns: 10 },
    );
  });
});

describe('an address derived from other accounts of an instruction', () => {
  const program = FEE_SHARE_PROGRAM;
  const [one, other] = [WSOL_MINT, FEE_SHARE_PROGRAM];
  const known: Readonly<Record<string, string>> = { one, other };
  const addressOf = (role: string) => known[role];

  it('is the same in either order of two roles sorted by their bytes', () => {
    const of = (first: string, second: string) =>
      derive({ seeds: [larger(first, second), smaller(first, second)], program }, addressOf, {});
    expect(of('one', 'other')).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    expect(of('other', 'one')).toBe(of('one', 'other'));
  });

  it('is undefined if one of the roles is absent, however a seed names it', () => {
    for (const seed of [
      'absent',
      larger('one', 'absent'),
      larger('absent', 'one'),
      smaller('one', 'absent'),
      smaller('absent', 'one'),
    ]) {
      expect(derive({ seeds: [textSeed('pool'), seed], program }, addressOf, {})).toBeUndefined();
    }
  });

  it('is undefined if a seed argument is not a number', () => {
    const of = (index: unknown) => derive({ seeds: ['one', byte('index')], program }, addressOf, { index });
    expect(of(1)).not.toBe(of(2));
    for (const index of [undefined, '1', 1n, null]) expect(of(index)).toBeUndefined();
  });
});
