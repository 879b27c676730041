/** Behaviour of the metadata stand-in: permission to name a token, cost, account contents. */

import { getMetadataAccountDataSerializer } from '@metaplex-foundation/mpl-token-metadata';
import { beforeEach, expect, test } from 'vitest';
import type { Keypair } from '../../../sandbox/keypair.ts';
import { standInPrograms } from '../../../sandbox/programs/standIns.ts';
import { createMetadata } from '../../../sandbox/programs/tokenMetadata.ts';
import {
  METADATA_FEE as METADATA_FEE_LAMPORTS,
  metadataAddress,
} from '../../../src/programs/tokenMetadata/addresses.ts';
import { errorOf, Scene } from './scene.ts';
import { TOKEN_TEXTS } from './worlds.ts';

let scene: Scene;
let owner: Keypair;
beforeEach(async () => {
  scene = await Scene.start(standInPrograms());
  owner = scene.rich('owner');
});

const naming = (mint: string, authority: Keypair, texts = TOKEN_TEXTS) =>
  createMetadata(
    {
      mint,
      mintAuthority: authority.address,
      payer: authority.address,
      updateAuthority: owner.address,
      updateAuthoritySigns: false,
    },
    { ...texts, mutable: true },
  );

test('the account is readable by the published library, with the given names', () => {
  const { mint } = scene.token('token', owner, 1n);
  scene.done([owner], naming(mint, owner));
  const [metadata] = getMetadataAccountDataSerializer().deserialize(scene.data(metadataAddress(mint)));
  const trimmed = (text: string) => text.replaceAll('\0', '');
  expect([metadata.name, metadata.symbol, metadata.uri].map(trimmed)).toEqual(Object.values(TOKEN_TEXTS));
  expect(metadata).toMatchObject({
    updateAuthority: owner.address,
    mint,
    sellerFeeBasisPoints: 0,
    isMutable: true,
    primarySaleHappened: false,
  });
});

test('it costs 10,000,000 lamports above rent', () => {
  const { mint } = scene.token('token', owner, 1n);
  scene.done([owner], naming(mint, owner));
  expect(scene.lamports(metadataAddress(mint))).toBe(scene.chain.rent(679) + METADATA_FEE_LAMPORTS);
});

test('only the mint authority may name a token, and only once', () => {
  const { mint } = scene.token('token', owner, 1n);
  const stranger = scene.rich('stranger');
  expect(errorOf(scene.land([stranger], naming(mint, stranger)))).toBe(10);
  scene.done([owner], naming(mint, owner));
  expect(scene.land([owner], naming(mint, owner, { ...TOKEN_TEXTS, name: 'Other' })).err).not.toBeNull();
});

test('too long names and underived addresses are refused', () => {
  const { mint } = scene.token('token', owner, 1n);
  const texts = [
    { ...TOKEN_TEXTS, name: 'n'.repeat(33) },
    { ...TOKEN_TEXTS, symbol: 's'.repeat(11) },
    { ...TOKEN_TEXTS, uri: 'u'.repeat(201) },
  ];
  expect(texts.map((each) => errorOf(scene.land([owner], naming(mint, owner, each))))).toEqual([11, 12, 13]);
  const built = naming(mint, owner);
  const accounts = built.accounts.map((each, i) =>
    i === 0 ? { ...each, address: scene.key('elsewhere').address } : each,
  );
  expect(errorOf(scene.land([owner], { ...built, accounts }))).toBe(5);
});
