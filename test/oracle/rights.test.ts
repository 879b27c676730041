/** The oracle on rights granted and revoked by the real runtime: mints, stake, nonces, programs, lookup tables. */
import {
  AddressLookupTableProgram,
  PublicKey,
  StakeAuthorizationLayout,
  StakeProgram,
  SystemProgram,
} from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { addressOf, instruction, key, u32, u64 } from './encode.ts';
import { Estate, TOKEN, TOKEN_2022 } from './estate.ts';
import { harms, other, own, SOL } from './harms.ts';
import { inventoryOf } from './inventory.ts';

describe('loss of rights', () => {
  it('over a mint is reported when they are transferred, as is a larger supply', () => {
    const estate = new Estate();
    const mint = estate.mint('mint');
    const taken = estate.tokens('taken', mint, 0n, { owner: estate.stranger });
    for (const [kind, name] of [
      [1, 'freeze authority'],
      [0, 'mint authority'],
    ] as const) {
      if (kind === 0) {
        const make = instruction(
          TOKEN,
          [
            [mint, 'w'],
            [taken, 'w'],
            [estate.wallet, 's'],
          ],
          [7, ...u64(5n)],
        );
        expect(harms(estate, make)).toEqual([`changed: supply of ${mint}`]);
      }
      const give = instruction(
        TOKEN,
        [
          [mint, 'w'],
          [estate.wallet, 's'],
        ],
        [6, kind, 1, ...key(estate.stranger)],
      );
      expect(harms(estate, give)).toContain(`lost: ${name} of ${mint}`);
    }
  });

  it('over a Token-2022 mint are read from its extensions and its metadata', () => {
    const estate = new Estate();
    const mint = estate.describedMint('described', { site: 'https://a.b' });
    const { rights, strangers } = inventoryOf([estate.wallet], estate.snapshot());
    expect([...rights.keys()]).toEqual(
      expect.arrayContaining(
        ['mint close authority', 'metadata pointer authority', 'metadata authority', 'mint authority'].map(
          (right) => `${right} of ${mint}`,
        ),
      ),
    );
    expect([...strangers]).toEqual([]);
    expect(harms(estate, estate.describe(mint, 'site', 'https://c.d'))).toEqual([
      `changed: metadata of ${mint}`,
    ]);
    const setAuthority = (kind: number) =>
      instruction(
        TOKEN_2022,
        [
          [mint, 'w'],
          [estate.wallet, 's'],
        ],
        [6, kind, 1, ...key(estate.stranger)],
      );
    expect(harms(estate, setAuthority(6))).toContain(`lost: mint close authority of ${mint}`);
  });

  it('over stake is reported: its withdrawer, its staker, its lamports, and its lockup', () => {
    const authorize = (estate: Estate, stake: string, type: { index: number }) =>
      StakeProgram.authorize({
        stakePubkey: new PublicKey(stake),
        authorizedPubkey: own(estate),
        newAuthorizedPubkey: other(estate),
        stakeAuthorizationType: type,
      });
    const one = new Estate();
    const stake = one.stake('stake');
    expect(harms(one, ...authorize(one, stake, StakeAuthorizationLayout.Staker).instructions)).toEqual([
      `lost: staker of ${stake}`,
      `stranger: ${one.stranger} is staker of ${stake}`,
    ]);
    expect(harms(one, ...authorize(one, stake, StakeAuthorizationLayout.Withdrawer).instructions)).toEqual([
      `lost: withdrawer of ${stake}`,
      expect.stringMatching(/^stake: 500\d+ less than allowed$/),
    ]);
    const two = new Estate();
    const withdraw = StakeProgram.withdraw({
      stakePubkey: new PublicKey(two.stake('stake')),
      authorizedPubkey: own(two),
      toPubkey: other(two),
      lamports: Number(SOL),
    });
    expect(harms(two, ...withdraw.instructions)).toEqual(['stake: 1000000000 less than allowed']);
    const three = new Estate();
    const locked = three.stake('stake');
    const lockUp = instruction(
      StakeProgram.programId.toBase58(),
      [
        [locked, 'w'],
        [three.wallet, 's'],
      ],
      [...u32(6), 1, ...u64(2_000_000_000n), 0, 1, ...key(three.stranger)],
    );
    expect(harms(three, lockUp)).toEqual([
      expect.stringMatching(/^stake: 50\d+ less than allowed$/),
      `stranger: ${three.stranger} is lock-up custodian of ${locked}`,
    ]);
  });

  it('over a nonce is reported: its authority and its lamports', () => {
    const estate = new Estate();
    const nonce = estate.nonce('nonce');
    const withdraw = SystemProgram.nonceWithdraw({
      noncePubkey: new PublicKey(nonce),
      authorizedPubkey: own(estate),
      toPubkey: other(estate),
      lamports: Number(SOL),
    });
    expect(harms(estate, withdraw)).toEqual([expect.stringMatching(/^SOL: 99995\d+ less/)]);
    const authorize = SystemProgram.nonceAuthorize({
      noncePubkey: new PublicKey(nonce),
      authorizedPubkey: own(estate),
      newAuthorizedPubkey: other(estate),
    });
    expect(harms(estate, authorize)).toEqual([
      expect.stringMatching(/^SOL: /),
      `lost: nonce authority of ${nonce}`,
    ]);
  });

  it('over a program is reported: its upgrade authority, transferred or renounced', () => {
    const estate = new Estate();
    const { data } = estate.program('program');
    const loader = 'BPFLoaderUpgradeab1e11111111111111111111111';
    const setAuthority = instruction(loader, [[data, 'w'], [estate.wallet, 's'], [estate.stranger]], u32(4));
    expect(harms(estate, setAuthority)).toEqual([
      expect.stringMatching(/^lamports of programs: /),
      `lost: upgrade authority of ${data}`,
    ]);
  });

  it('over a lookup table is reported: frozen, deactivated, extended', () => {
    const estate = new Estate();
    const lookupTable = new PublicKey(estate.table([addressOf('entry')]));
    const authority = own(estate);
    const extend = AddressLookupTableProgram.extendLookupTable({
      authority,
      payer: authority,
      lookupTable,
      addresses: [other(estate)],
    });
    expect(harms(estate, extend)).toEqual([`changed: entries of ${lookupTable}`]);
    expect(
      harms(estate, AddressLookupTableProgram.deactivateLookupTable({ authority, lookupTable })),
    ).toEqual([`changed: in use of ${lookupTable}`]);
    const frozen = new Estate();
    const table = new PublicKey(frozen.table([addressOf('entry')]));
    const freeze = AddressLookupTableProgram.freezeLookupTable({ authority, lookupTable: table });
    expect(harms(frozen, freeze)).toEqual([
      expect.stringMatching(/^SOL: /),
      `lost: table authority of ${table}`,
    ]);
  });
});
