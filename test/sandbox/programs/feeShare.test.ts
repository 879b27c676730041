/** Behaviour of the fee share stand-in: claimers of a config and its manager. */

import { beforeEach, describe, expect, test } from 'vitest';
import type { Keypair } from '../../../sandbox/keypair.ts';
import { FEE_SHARE_PROGRAM_CONFIG } from '../../../sandbox/programs/addresses.ts';
import * as feeShare from '../../../sandbox/programs/feeShare.ts';
import { ata } from '../../../sandbox/service/build/tokens.ts';
import { addressFromBytes } from '../../../src/transaction/base58.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { admin, allowed, made, managedBy, named, pair, payer, renewScene, scene } from './feeShareScene.ts';
import { errorOf, WSOL } from './scene.ts';

beforeEach(renewScene);

/** Returns an account's claimers and shares, at the original layout's offsets. */
function claimersOf(of: feeShare.FeePair) {
  const data = scene.data(feeShare.feeShareConfig(of));
  const count = (data.length - 184) / 34;
  return Array.from({ length: count }, (_, i) => ({
    address: addressFromBytes(data.subarray(184 + 32 * i, 216 + 32 * i)),
    bps: data.readUInt16LE(184 + 32 * count + 2 * i),
  }));
}
const managerOf = (of: feeShare.FeePair) =>
  addressFromBytes(scene.data(feeShare.feeShareConfig(of)).subarray(136, 168));
const isFinished = (of: feeShare.FeePair) => scene.data(feeShare.feeShareConfig(of)).readUInt8(176) === 1;
describe('a fee share config', () => {
  test('names its claimers in order, at the address derived from its mints', () => {
    scene.done([payer, admin], made(['ann', 2_500], ['bob', 7_500]));
    expect(claimersOf(pair)).toEqual(named(['ann', 2_500], ['bob', 7_500]));
    expect(isFinished(pair)).toBe(true);
    const data = scene.data(feeShare.feeShareConfig(pair));
    expect(data.subarray(0, 8).toString('hex')).toBe('2847889cde311fc9');
    expect(addressFromBytes(data.subarray(8, 40))).toBe(pair.baseMint);
    expect(addressFromBytes(data.subarray(40, 72))).toBe(WSOL.mint);
    const authority = scene.data(feeShare.feeShareAuthority(pair));
    expect(authority.subarray(0, 8).toString('hex')).toBe('521c8ca7a8d85dd3');
    expect(addressFromBytes(authority.subarray(8, 40))).toBe(feeShare.feeShareConfig(pair));
    expect(scene.chain.getAccount(ata(feeShare.feeShareAuthority(pair), WSOL))).not.toBeNull();
  });

  test('can be created with 100 claimers in several steps', () => {
    const all = named(...Array.from({ length: 100 }, (_, i) => [`claimer ${i}`, 100] as const));
    const part = (from: number, to: number) => all.slice(from, to);
    scene.done([payer, admin], feeShare.createFeeConfig(allowed(), pair, part(0, 30), { last: false }));
    expect(isFinished(pair)).toBe(false);
    for (const [from, to] of [
      [30, 60],
      [60, 90],
      [90, 100],
    ] as const) {
      scene.done(
        [payer, admin],
        feeShare.extendFeeConfig(allowed(), pair, part(from, to), { last: to === 100 }),
      );
    }
    expect(claimersOf(pair)).toEqual(all);
    expect(isFinished(pair)).toBe(true);
    expect(scene.data(feeShare.feeShareConfig(pair))).toHaveLength(184 + 34 * 100);
    const more = feeShare.extendFeeConfig(allowed(), pair, named(['late', 0]), { last: true });
    expect(errorOf(scene.land([payer, admin], more))).toBe(6026);
  });

  test.each([
    [
      'shares that do not add up to 10,000',
      [
        ['ann', 5_000],
        ['bob', 4_999],
      ],
      6002,
    ],
    [
      'shares above 10,000',
      [
        ['ann', 5_000],
        ['bob', 5_001],
      ],
      6002,
    ],
    [
      'the same claimer twice',
      [
        ['ann', 5_000],
        ['bob', 2_000],
        ['ann', 3_000],
      ],
      6015,
    ],
    ['no claimer', [], 6025],
  ] as const)('is refused with %s', (_, shares, code) => {
    expect(errorOf(scene.land([payer, admin], made(...shares)))).toBe(code);
    expect(scene.chain.getAccount(feeShare.feeShareConfig(pair))).toBeNull();
  });

  test('is refused with fewer claimers than shares', () => {
    const built = made(['ann', 5_000], ['bob', 5_000]);
    const short = { ...built, accounts: built.accounts.slice(0, -1) };
    expect(errorOf(scene.land([payer, admin], short))).toBe(6012);
  });

  test("is refused at another address, for another quote, and without the service's key", () => {
    const built = made(['ann', 10_000]);
    const elsewhere = (index: number, address: Address) => ({
      ...built,
      accounts: built.accounts.map((each, i) => (i === index ? { ...each, address } : each)),
    });
    const stranger = scene.rich('stranger');
    expect(errorOf(scene.land([payer, admin], elsewhere(3, scene.key('other').address)))).toBe(2006);
    expect(errorOf(scene.land([payer, admin], elsewhere(4, scene.key('other').address)))).toBe(2006);
    expect(errorOf(scene.land([payer, admin], elsewhere(9, scene.key('other').address)))).toBe(6014);
    expect(errorOf(scene.land([payer, stranger], elsewhere(1, stranger.address)))).toBe(6009);
    const unsigned = built.accounts.map((each, i) => (i === 1 ? { ...each, signer: false } : each));
    expect(errorOf(scene.land([payer], { ...built, accounts: unsigned }))).toBe(3010);
  });

  test('cannot be created twice for one mint', () => {
    scene.done([payer, admin], made(['ann', 10_000]));
    expect(scene.land([payer, admin], made(['bob', 10_000])).err).not.toBeNull();
    expect(claimersOf(pair)).toEqual(named(['ann', 10_000]));
  });

  test('keeps its partner, whose config must exist and be its own', () => {
    const partner = scene.rich('partner');
    const withPartner = feeShare.createFeeConfig(allowed(), pair, named(['ann', 10_000]), {
      last: true,
      partner: partner.address,
    });
    expect(errorOf(scene.land([payer, admin], withPartner))).toBe(3012);
    scene.done([payer, admin], feeShare.createPartnerConfig(allowed(), partner.address, 1_000, pair));
    const swapped = withPartner.accounts.map((each, i) =>
      i === 7 ? { ...each, address: payer.address } : each,
    );
    expect(errorOf(scene.land([payer, admin], { ...withPartner, accounts: swapped }))).toBe(2006);
    scene.done([payer, admin], withPartner);
    const data = scene.data(feeShare.feeShareConfig(pair));
    expect(addressFromBytes(data.subarray(72, 104))).toBe(partner.address);
    expect(addressFromBytes(data.subarray(104, 136))).toBe(feeShare.partnerConfig(partner.address, pair));
  });
});

describe('the manager of a config', () => {
  const update = (
    manager: Keypair,
    shares: readonly (readonly [string, number])[],
    from: number,
    to: number,
    last = true,
  ) =>
    feeShare.managerUpdateFeeConfig(
      { payer: payer.address, manager: manager.address },
      pair,
      named(...shares),
      { from, to, last },
    );

  test('is set by the service only, and may then change claimers and shares', () => {
    const manager = scene.rich('manager');
    scene.done([payer, admin], made(['ann', 2_500], ['bob', 7_500]));
    expect(errorOf(scene.land([payer, manager], update(manager, [['ann', 10_000]], 0, 2)))).toBe(6029);
    scene.done([payer, admin], managedBy('manager'));
    expect(managerOf(pair)).toBe(manager.address);
    scene.done(
      [payer, manager],
      update(
        manager,
        [
          ['bob', 1_000],
          ['cat', 4_000],
          ['ann', 5_000],
        ],
        0,
        2,
      ),
    );
    expect(claimersOf(pair)).toEqual(named(['bob', 1_000], ['cat', 4_000], ['ann', 5_000]));
    scene.done([payer, manager], update(manager, [['cat', 10_000]], 0, 3));
    expect(claimersOf(pair)).toEqual(named(['cat', 10_000]));
    expect(scene.data(feeShare.feeShareConfig(pair))).toHaveLength(184 + 34);
  });

  test('may change a part of the list and finish in a second step', () => {
    const manager = scene.rich('manager');
    scene.done([payer, admin], made(['ann', 2_500], ['bob', 2_500], ['cat', 5_000]), managedBy('manager'));
    scene.done(
      [payer, manager],
      update(
        manager,
        [
          ['dan', 1_000],
          ['eve', 1_000],
        ],
        1,
        2,
        false,
      ),
    );
    expect(claimersOf(pair)).toEqual(named(['ann', 2_500], ['dan', 1_000], ['eve', 1_000], ['cat', 5_000]));
    expect(scene.data(feeShare.feeShareConfig(pair)).readUInt8(177)).toBe(1);
    scene.done([payer, manager], update(manager, [['fay', 500]], 4, 4));
    expect(claimersOf(pair).map(({ bps }) => bps)).toEqual([2_500, 1_000, 1_000, 5_000, 500]);
    expect(scene.data(feeShare.feeShareConfig(pair)).readUInt8(177)).toBe(0);
  });

  test('may not leave an invalid total, a duplicate claimer, or an invalid range', () => {
    const manager = scene.rich('manager');
    scene.done([payer, admin], made(['ann', 2_500], ['bob', 7_500]), managedBy('manager'));
    const outcomes = [
      update(manager, [['ann', 9_999]], 0, 2),
      update(manager, [['bob', 2_500]], 0, 1),
      update(manager, [['cat', 2_500]], 0, 3),
      update(manager, [['cat', 2_500]], 2, 1),
    ].map((built) => errorOf(scene.land([payer, manager], built)));
    expect(outcomes).toEqual([6002, 6015, 6022, 6022]);
  });

  test('alone may change, transfer and waive; a stranger is refused', () => {
    const [manager, stranger] = [scene.rich('manager'), scene.rich('stranger')];
    scene.done([payer, admin], made(['ann', 10_000]), managedBy('manager'));
    const by = ({ address }: Keypair) => [
      feeShare.managerTransferFeeConfig(payer.address, address, stranger.address, pair),
      feeShare.managerWaiveFeeConfig(payer.address, address, pair),
    ];
    const refused = [update(stranger, [['stranger', 10_000]], 0, 1), ...by(stranger)];
    expect(refused.map((built) => errorOf(scene.land([payer, stranger], built)))).toEqual([6030, 6030, 6030]);
    const [transfer, waive] = by(manager);
    if (transfer === undefined || waive === undefined) throw new Error('both were built');
    scene.done([payer, manager], transfer);
    expect(managerOf(pair)).toBe(stranger.address);
    expect(errorOf(scene.land([payer, manager], waive))).toBe(6030);
    scene.done([payer, stranger], feeShare.managerWaiveFeeConfig(payer.address, stranger.address, pair));
    expect(errorOf(scene.land([payer, stranger], refused[0] ?? waive))).toBe(6029);
  });
});

test('only one program config exists, at the known address', () => {
  expect(addressFromBytes(scene.data(FEE_SHARE_PROGRAM_CONFIG).subarray(8, 40))).toBe(admin.address);
  const again = feeShare.initProgramConfig(payer.address, payer.address, pair);
  expect(scene.land([payer], again).err).not.toBeNull();
});
