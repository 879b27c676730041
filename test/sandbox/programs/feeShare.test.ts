/** What a user notices of the fee share stand-in: who is in a config, who may change it, who is paid what. */
import { beforeEach, describe, expect, test } from 'vitest';
import { FEE_SHARE_PROGRAM_CONFIG } from '../../../src/sandbox/programs/addresses.ts';
import { createPosition, poolSwap } from '../../../src/sandbox/programs/dammV2.ts';
import { curveSwap } from '../../../src/sandbox/programs/dbc.ts';
import * as feeShare from '../../../src/sandbox/programs/feeShare.ts';
import { standInPrograms } from '../../../src/sandbox/programs/standIns.ts';
import { ata } from '../../../src/sandbox/service/build/tokens.ts';
import type { Keypair } from '../../../src/sandbox/service/keys.ts';
import { addressFromBytes } from '../../../src/transaction/base58.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { errorOf, Scene, SOL, WSOL } from './scene.ts';
import { CURVE, launchCurve, launchPool, POOL, trader } from './worlds.ts';

let scene: Scene;
let payer: Keypair;
let admin: Keypair;
let pair: feeShare.FeePair;
beforeEach(async () => {
  scene = await Scene.start(standInPrograms());
  [payer, admin] = [scene.rich('payer'), scene.rich('admin')];
  pair = feeShare.inSol(scene.key('curve mint').address);
  scene.done([payer, admin], feeShare.initProgramConfig(payer.address, admin.address, pair));
});

const named = (...shares: readonly (readonly [string, number])[]) =>
  shares.map(([name, bps]) => ({ address: scene.key(name).address, bps }));
const allowed = () => ({ payer: payer.address, admin: admin.address });
const made = (...shares: readonly (readonly [string, number])[]) =>
  feeShare.createFeeConfig(allowed(), pair, named(...shares), { last: true });
const managedBy = (name: string) => feeShare.updateFeeConfigManager(allowed(), pair, scene.key(name).address);

/** Claimers and shares as the account says, by the places of the original's layout. */
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
/** What each claimer is owed. */
function owed(of: feeShare.FeePair): bigint[] {
  const data = scene.data(feeShare.feeShareAuthority(of));
  return Array.from({ length: (data.length - 104) / 8 }, (_, i) => data.readBigUInt64LE(104 + 8 * i));
}

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

  test('can be made of 100 claimers in several steps', () => {
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

  test('is refused at another address, for another quote, and without the service’s key', () => {
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

  test('cannot be made a second time for one mint', () => {
    scene.done([payer, admin], made(['ann', 10_000]));
    expect(scene.land([payer, admin], made(['bob', 10_000])).err).not.toBeNull();
    expect(claimersOf(pair)).toEqual(named(['ann', 10_000]));
  });

  test('keeps its partner, whose config must be there and its own', () => {
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

  test('is named by the service alone, and may then change claimers and shares', () => {
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

  test('may not leave shares that do not add up, a claimer twice, or a range that is none', () => {
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

  test('alone may change, hand over and waive; a stranger is refused', () => {
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

describe('claims', () => {
  /** A curve launch whose fees belong to the config, after one buy of 10 SOL. */
  function launched(partner?: Address) {
    const options = { last: true, ...(partner === undefined ? {} : { partner }) };
    const shares = named(['ann', 2_500], ['bob', 7_500]);
    scene.done([payer, admin], feeShare.createFeeConfig(allowed(), pair, shares, options));
    const world = launchCurve(scene, { ...CURVE, creatorFeePercent: 0 }, feeShare.feeShareAuthority(pair));
    const { wallet, buy } = trader(scene, 'buyer', world.base);
    scene.done([wallet], curveSwap(world.place, buy, 10n * SOL, 1n));
    return world;
  }
  const earned = 160_000_000n;

  test('collect from the curve, then pay each claimer its share once', () => {
    const { place } = launched();
    scene.done([payer], feeShare.claimDbc(payer.address, pair, place.config));
    expect(owed(pair)).toEqual([earned / 4n, (earned * 3n) / 4n]);
    expect(scene.tokens(ata(feeShare.feeShareAuthority(pair), WSOL))).toBe(earned);
    const ann = scene.rich('ann');
    scene.done([payer, ann], feeShare.claimUser(payer.address, ann.address, pair, 0));
    expect(scene.tokens(ata(ann.address, WSOL))).toBe(earned / 4n);
    expect(owed(pair)).toEqual([0n, (earned * 3n) / 4n]);
    const again = scene.land([payer, ann], feeShare.claimUser(payer.address, ann.address, pair, 0));
    expect(errorOf(again)).toBe(6010);
  });

  test('are refused to others: another place in the list, a stranger, a place that is none', () => {
    const { place } = launched();
    scene.done([payer], feeShare.claimDbc(payer.address, pair, place.config));
    const [ann, stranger] = [scene.rich('ann'), scene.rich('stranger')];
    const attempts: readonly (readonly [Keypair, number])[] = [
      [ann, 1],
      [stranger, 0],
      [ann, 2],
    ];
    expect(
      attempts.map(([who, index]) =>
        errorOf(scene.land([payer, who], feeShare.claimUser(payer.address, who.address, pair, index))),
      ),
    ).toEqual([6009, 6009, 6013]);
  });

  test('keep a claimer who is owed something in its place', () => {
    const { place } = launched();
    const manager = scene.rich('manager');
    scene.done([payer, admin], managedBy('manager'));
    scene.done([payer], feeShare.claimDbc(payer.address, pair, place.config));
    const update = (shares: readonly (readonly [string, number])[], from: number, to: number) =>
      errorOf(
        scene.land(
          [payer, manager],
          feeShare.managerUpdateFeeConfig(
            { payer: payer.address, manager: manager.address },
            pair,
            named(...shares),
            { from, to, last: true },
          ),
        ),
      );
    expect(update([['cat', 10_000]], 0, 2)).toBe(6016);
    expect(update([['bob', 2_500]], 0, 1)).toBe(6016);
    expect(
      update(
        [
          ['ann', 2_500],
          ['cat', 0],
        ],
        0,
        1,
      ),
    ).toBe(6017);
    expect(
      update(
        [
          ['ann', 1],
          ['bob', 9_998],
          ['cat', 1],
        ],
        0,
        2,
      ),
    ).toBeUndefined();
    expect(owed(pair)).toEqual([earned / 4n, (earned * 3n) / 4n, 0n]);
  });

  test('pay the partner its part of what is collected, to the partner alone', () => {
    const partner = scene.rich('partner');
    scene.done([payer, admin], feeShare.createPartnerConfig(allowed(), partner.address, 1_000, pair));
    const { place } = launched(partner.address);
    const without = feeShare.claimDbc(payer.address, pair, place.config);
    expect(errorOf(scene.land([payer], without))).toBe(6008);
    scene.done([payer], feeShare.claimDbc(payer.address, pair, place.config, partner.address));
    expect(owed(pair)).toEqual([(earned * 9n) / 40n, (earned * 27n) / 40n]);
    const stranger = scene.rich('stranger');
    const stolen = feeShare.claimPartner(payer.address, stranger.address, pair);
    const accounts = stolen.accounts.map((each, i) =>
      i === 2 ? { ...each, address: feeShare.partnerConfig(partner.address, pair) } : each,
    );
    expect(errorOf(scene.land([payer, stranger], { ...stolen, accounts }))).toBe(2006);
    scene.done([payer, partner], feeShare.claimPartner(payer.address, partner.address, pair));
    expect(scene.tokens(ata(partner.address, WSOL))).toBe(earned / 10n);
    const again = scene.land([payer, partner], feeShare.claimPartner(payer.address, partner.address, pair));
    expect(errorOf(again)).toBe(6010);
  });

  test('can be moved to a vault of the claimer, which pays SOL and closes the account that held it', () => {
    const { place } = launched();
    scene.done([payer], feeShare.claimDbc(payer.address, pair, place.config));
    const [ann, stranger] = [scene.rich('ann'), scene.rich('stranger')];
    const toVault = (by: Keypair) =>
      feeShare.claimUserToVault(payer.address, by.address, ann.address, pair, 0);
    expect(errorOf(scene.land([payer, stranger], toVault(stranger)))).toBe(6009);
    scene.done([payer, admin], toVault(admin));
    const held = ata(feeShare.userFeeVault(ann.address, pair), WSOL);
    expect(scene.tokens(held)).toBe(earned / 4n);
    const [inside, before] = [scene.lamports(held), scene.lamports(ann.address)];
    const outcome = scene.done([ann], feeShare.claimUserVault(ann.address, pair));
    expect(outcome.err).toBeNull();
    const fee = 6_400n;
    expect(scene.lamports(ann.address)).toBe(before + inside - fee);
    expect(scene.chain.getAccount(held)).toBeNull();
    expect(scene.land([ann], feeShare.claimUserVault(ann.address, pair)).err).not.toBeNull();
  });

  test('collect what a DAMM v2 position of the config earned, and of no other position', () => {
    const base = feeShare.inSol(scene.key('pool mint').address);
    const authority = feeShare.feeShareAuthority(base);
    scene.done(
      [payer, admin],
      feeShare.createFeeConfig(allowed(), base, named(['ann', 2_500], ['bob', 7_500]), { last: true }),
    );
    const { owner, base: token, tokens, pool, place } = launchPool(scene, POOL, authority);
    const nft = scene.key('position of the owner');
    scene.done([owner, nft], createPosition(pool, owner.address, nft.address, owner.address));
    const { wallet, buy } = trader(scene, 'buyer', token);
    scene.done([wallet], poolSwap(tokens, buy, 10n * SOL, 1n));
    const stolen = feeShare.claimDammV2(payer.address, base, nft.address);
    expect(errorOf(scene.land([payer], stolen))).toBe(2015);
    scene.done([payer], feeShare.claimDammV2(payer.address, base, place.nftMint));
    // The position's part is rounded down once.
    const collected = earned - 1n;
    expect(scene.tokens(ata(authority, WSOL))).toBe(collected);
    expect(owed(base)).toEqual([collected / 4n, (collected * 3n) / 4n]);
  });
});

test('only one program config exists, at the known address', () => {
  expect(addressFromBytes(scene.data(FEE_SHARE_PROGRAM_CONFIG).subarray(8, 40))).toBe(admin.address);
  const again = feeShare.initProgramConfig(payer.address, payer.address, pair);
  expect(scene.land([payer], again).err).not.toBeNull();
});
