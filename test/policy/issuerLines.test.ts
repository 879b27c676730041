/** Issuer powers over a bought token, as statement lines fixed by an approval. */
import { expect, it } from 'vitest';
import type { AccountFact } from '../../src/rpc/types.ts';
import { stageFrom } from '../../src/statement/view.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { extendedMint, mint, transferFee } from './accountFacts.ts';
import { ATTACKER, policyWith, stage, stated } from './recorded/stages.ts';

const swap = stage('swap of SOL');
const bought = String(swap.quote?.quote.outputMint);
/** A policy that denies no extension, so that the owner is asked. */
const permissive = policyWith((file) => ({ tokens: { ...file.tokens, extensions: { deny: [] } } }));
const authority = addressBytes(ATTACKER);
const none = new Uint8Array(32);
const feeOf = (older: number, newer: number, olderMost: bigint, newerMost: bigint) => {
  const data = Buffer.from(transferFee(ATTACKER, older, newer));
  data.writeBigUInt64LE(olderMost, 80);
  data.writeBigUInt64LE(newerMost, 98);
  return extendedMint(bought, [1, data]);
};
const by = (power: string, holder: string | null = ATTACKER) => ({ power, holder });

it.each<readonly [string, AccountFact, readonly object[]]>([
  ['nobody holds any', mint(bought, {}), []],
  ['mint', mint(bought, { mintAuthority: ATTACKER }), [by('mint')]],
  ['freeze', mint(bought, { freezeAuthority: ATTACKER }), [by('freeze')]],
  ['close', extendedMint(bought, [3, authority]), [by('close')]],
  ['delegate', extendedMint(bought, [12, authority]), [by('permanentDelegate')]],
  ['hook program', extendedMint(bought, [14, Buffer.concat([none, authority])]), [by('hook')]],
  ['hook authority', extendedMint(bought, [14, Buffer.concat([authority, none])]), [by('hook')]],
  ['pause', extendedMint(bought, [26, Buffer.concat([authority, Uint8Array.of(0)])]), [by('pause')]],
  ['frozen accounts', extendedMint(bought, [6, Uint8Array.of(2)]), [by('opensFrozen', null)]],
  ['a rising fee', feeOf(100, 400, 7n, 9n), [{ ...by('transferFee'), maxBps: 400, maxFee: 9n }]],
  ['a falling fee', feeOf(400, 100, 9n, 7n), [{ ...by('transferFee'), maxBps: 400, maxFee: 9n }]],
])('%s', (_, issued, expected) => {
  const accounts = [...swap.accounts.filter(({ address }) => address !== bought), issued];
  const { lines } = stageFrom(stated({ ...swap, accounts }, permissive).statement);
  const issuers = lines.filter((line) => line.id === 'issuer' && line.mint === bought);
  expect(issuers).toEqual(expected.map((each) => ({ id: 'issuer', source: 'chain', mint: bought, ...each })));
});
