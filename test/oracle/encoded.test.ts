/** The oracle on accounts of the service's programs, encoded from the interfaces in their npm packages. */
import { getMetadataAccountDataSerializer } from '@metaplex-foundation/mpl-token-metadata';
import { CpAmm, getUnClaimLpFee } from '@meteora-ag/cp-amm-sdk';
import { createDbcProgram } from '@meteora-ag/dynamic-bonding-curve-sdk';
import { Connection } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import type { Account } from './accounts.ts';
import { addressOf, key, u64 } from './encode.ts';
import { Estate } from './estate.ts';
import { encodeAccountData, encodeInstructionData, IDLS, type IdlName, type Values } from './idl.ts';
import { inventoryOf } from './inventory.ts';
import { allowanceOf, worse } from './judge.ts';

/** Returns the harms of a change to some accounts. */
function harmsIn(estate: Estate, change: (estate: Estate) => void): string[] {
  const before = inventoryOf([estate.wallet], estate.snapshot());
  change(estate);
  return worse(before, inventoryOf([estate.wallet], estate.snapshot()));
}

/** Encodes an account again with other values. */
const rewrite =
  (name: string, idl: IdlName, type: string, values: Values, more: readonly number[] = []) =>
  (estate: Estate) =>
    void estate.encoded(name, idl, type, values, more);

describe('positions and pools', () => {
  it('belong to the holder of the position NFT; removed or locked liquidity and claimed fees are reported', () => {
    const estate = new Estate();
    const { position, pool, nft } = estate.position('position');
    const { amounts, rights } = inventoryOf([estate.wallet], estate.snapshot());
    expect(amounts.get(`liquidity of position ${position}`)).toBe(1_005_000n);
    expect(amounts.get(`removable liquidity of position ${position}`)).toBe(1_000_000n);
    expect(rights.has(`position of ${position}`)).toBe(true);
    const values = { pool, nft_mint: nft };
    const removed = { ...values, permanent_locked_liquidity: 5_000n, fee_a_pending: 70n };
    expect(harmsIn(estate, rewrite('position', 'dammV2', 'Position', removed))).toEqual([
      `liquidity of position ${position}: 1000000 less than allowed`,
      `removable liquidity of position ${position}: 1000000 less than allowed`,
    ]);
    const locked = new Estate();
    locked.position('position');
    const all = { ...values, permanent_locked_liquidity: 1_005_000n };
    expect(harmsIn(locked, rewrite('position', 'dammV2', 'Position', all))).toEqual([
      `fees in token A of position ${position}: 70 less than allowed`,
      `removable liquidity of position ${position}: 1000000 less than allowed`,
    ]);
  });

  it('are lost with the NFT, and with the position account', () => {
    const estate = new Estate();
    const { position, nftAccount, nft } = estate.position('position');
    const away = (one: Estate) => {
      const [account] = one.chain.snapshot([nftAccount]);
      if (account === undefined) throw new Error('no NFT');
      const data = Uint8Array.from(account.data);
      data.set(key(one.stranger), 32);
      one.chain.put([{ ...account, data }]);
    };
    expect(harmsIn(estate, away)).toEqual(
      expect.arrayContaining([`${nft}: 1 less than allowed`, `lost: position of ${position}`]),
    );
    const closed = new Estate();
    closed.position('position');
    const gone = (one: Estate) =>
      one.chain.put([{ address: position, owner: addressOf('none'), lamports: 0n, data: new Uint8Array() }]);
    expect(harmsIn(closed, gone)).toContain(`lost: position of ${position}`);
  });

  it('have a creator, whose replacement is reported', () => {
    const estate = new Estate();
    const { pool } = estate.position('position');
    const given = rewrite('position pool', 'dammV2', 'Pool', { creator: estate.stranger });
    expect(harmsIn(estate, given)).toEqual([`lost: pool creator of ${pool}`]);
  });

  it("owe a position the amount Meteora's own code computes", () => {
    const perLiquidity = (units: bigint) => [...new Uint8Array(14), ...u64(units), ...new Uint8Array(10)];
    const pool = encodeAccountData(IDLS.dammV2, 'Pool', {
      fee_a_per_liquidity: perLiquidity(700_000n),
      fee_b_per_liquidity: perLiquidity(90_000n),
    });
    const estate = new Estate();
    const { nft, position } = estate.position('position');
    const data = encodeAccountData(IDLS.dammV2, 'Position', {
      pool: addressOf('position pool'),
      nft_mint: nft,
      fee_a_per_token_checkpoint: perLiquidity(100_000n),
      fee_b_pending: 3n,
      unlocked_liquidity: 900_000n << 16n,
      permanent_locked_liquidity: 100_000n << 16n,
    });
    estate.put(addressOf('position pool'), IDLS.dammV2.address, pool);
    estate.put(position, IDLS.dammV2.address, data);
    const { amounts } = inventoryOf([estate.wallet], estate.snapshot());
    const { coder } = new CpAmm(nowhere)._program;
    const { feeTokenA, feeTokenB } = getUnClaimLpFee(
      coder.accounts.decode('pool', Buffer.from(pool)),
      coder.accounts.decode('position', Buffer.from(data)),
    );
    expect(String(amounts.get(`fees in token A of position ${position}`))).toBe(String(feeTokenA));
    expect(String(amounts.get(`fees in token B of position ${position}`))).toBe(String(feeTokenB));
    expect(Number(feeTokenA)).toBeGreaterThan(0);
    expect(Number(feeTokenB)).toBeGreaterThan(3);
  });
});

/** A connection that is never used. */
const nowhere = new Connection('http://127.0.0.1:1');

describe('bonding curves', () => {
  it('have a creator and a partner, each with unclaimed fees', () => {
    const estate = new Estate();
    const { config, curve } = estate.curve('curve');
    const { amounts, rights } = inventoryOf([estate.wallet], estate.snapshot());
    expect(amounts.get(`partner quote fees in ${curve}`)).toBe(11n);
    expect(amounts.get(`creator quote fees in ${curve}`)).toBe(22n);
    expect([...rights.keys()]).toEqual(
      expect.arrayContaining([
        `fee claimer of ${config}`,
        `leftover receiver of ${config}`,
        `pool creator of ${curve}`,
      ]),
    );
    const given = { pool_state: { config, creator: estate.stranger, partner_quote_fee: 11n } };
    expect(harmsIn(estate, rewrite('curve', 'dbc', 'VirtualPool', given))).toEqual([
      `creator quote fees in ${curve}: 22 less than allowed`,
      `lost: pool creator of ${curve}`,
      `stranger: ${estate.stranger} is pool creator of ${curve}`,
    ]);
  });

  it('decode to the same fields as the coder of their own package', () => {
    const { coder } = createDbcProgram(nowhere).program;
    const creator = addressOf('creator');
    const data = encodeAccountData(IDLS.dbc, 'VirtualPool', {
      pool_state: {
        creator,
        partner_base_fee: 1n,
        partner_quote_fee: 2n,
        creator_base_fee: 3n,
        creator_quote_fee: 4n,
      },
    });
    const decoded = coder.accounts.decode('virtualPool', Buffer.from(data)).poolState;
    expect([
      decoded.creator.toBase58(),
      ...[
        decoded.partnerBaseFee,
        decoded.partnerQuoteFee,
        decoded.creatorBaseFee,
        decoded.creatorQuoteFee,
      ].map(String),
    ]).toEqual([creator, '1', '2', '3', '4']);
    const given = encodeInstructionData(IDLS.dbc, 'transfer_pool_creator');
    expect(Buffer.from(given)).toEqual(coder.instruction.encode('transferPoolCreator', {}));
    const values = { amount_0: 1n, amount_1: 4n, swap_mode: 1 };
    const swapped = encodeInstructionData(IDLS.dbc, 'swap2', { params: values });
    const params = { amount0: decoded.partnerBaseFee, amount1: decoded.creatorQuoteFee, swapMode: 1 };
    expect(Buffer.from(swapped)).toEqual(coder.instruction.encode('swap2', { params }));
  });

  it('decode alike if their tokens have a transfer hook', () => {
    const estate = new Estate();
    const terms = { fee_claimer: estate.wallet };
    const config = estate.encoded('hooked config', 'dbc', 'ConfigWithTransferHook', { config: terms });
    const state = { config, creator: estate.wallet, partner_base_fee: 5n };
    const curve = estate.encoded('hooked', 'dbc', 'TransferHookPool', { pool_state: state });
    const { amounts, rights } = inventoryOf([estate.wallet], estate.snapshot());
    expect(amounts.get(`partner base fees in ${curve}`)).toBe(5n);
    expect(rights.has(`fee claimer of ${config}`)).toBe(true);
  });
});

describe('fee shares', () => {
  const shares = (estate: Estate, own: number): (readonly [string, number])[] => [
    [estate.wallet, own],
    [addressOf('friend'), 10_000 - own],
  ];

  it('are counted, and a reduction is reported with the new claimer', () => {
    const estate = new Estate();
    const { config, authority } = estate.feeShare('config', shares(estate, 7000));
    const { amounts } = inventoryOf([estate.wallet], estate.snapshot());
    expect(amounts.get(`shares of ${config}`)).toBe(7000n);
    expect(amounts.get(`fees waiting in ${authority}`)).toBe(1000n);
    expect(harmsIn(estate, (one) => void one.feeShare('config', shares(one, 6000)))).toEqual([
      `shares of ${config}: 1000 less than allowed`,
      `stranger: ${addressOf('friend')} is claimer of 4000 basis points of ${config}`,
    ]);
    // A larger share of our own is no harm; the change of a stranger's share is still reported.
    expect(harmsIn(estate, (one) => void one.feeShare('config', shares(one, 7000)))).toEqual([
      `stranger: ${addressOf('friend')} is claimer of 3000 basis points of ${config}`,
    ]);
  });

  it('have a manager and a partner', () => {
    const estate = new Estate();
    const { config } = estate.feeShare('config', []);
    const waived = rewrite('config', 'feeShare2', 'FeeShareConfigHeader', {});
    expect(harmsIn(estate, waived)).toEqual([`lost: manager of ${config}`]);
    const partner = estate.encoded('partner', 'feeShare2', 'PartnerConfig', { partner: estate.wallet });
    const vault = estate.encoded('vault', 'feeShare2', 'UserFeeVault', { user: estate.wallet });
    const { rights } = inventoryOf([estate.wallet], estate.snapshot());
    expect(rights.has(`partner of ${partner}`)).toBe(true);
    expect(rights.has(`fee vault of ${vault}`)).toBe(true);
  });
});

describe('token metadata', () => {
  it('can be changed by its authority until it is sealed', () => {
    const estate = new Estate();
    const metadata = estate.metadata('metadata', addressOf('mint'));
    const sealed = (one: Estate) => void one.metadata('metadata', addressOf('mint'), { isMutable: false });
    expect(harmsIn(estate, sealed)).toEqual([`lost: metadata authority of ${metadata}`]);
  });

  it('is the account that its own package decodes', () => {
    const estate = new Estate();
    const metadata = estate.metadata('metadata', addressOf('mint'));
    const [account] = estate.chain.snapshot([metadata]);
    const [read] = getMetadataAccountDataSerializer().deserialize(account?.data ?? new Uint8Array());
    expect(read).toMatchObject({
      updateAuthority: estate.wallet,
      name: 'Name',
      uri: 'https://a.b',
      isMutable: true,
    });
  });
});

describe('the oracle', () => {
  const account = (lamports: bigint): Account => ({
    address: addressOf('wallet'),
    owner: '11111111111111111111111111111111',
    lamports,
    data: new Uint8Array(),
  });
  const inventory = (lamports: bigint) => inventoryOf([addressOf('wallet')], [account(lamports)]);

  it('allows the outflows of the request and reports missing payouts', () => {
    expect(worse(inventory(100n), inventory(40n), { out: { SOL: 60n } })).toEqual([]);
    expect(worse(inventory(100n), inventory(39n), { out: { SOL: 60n } })).toEqual([
      'SOL: 1 less than allowed',
    ]);
    expect(worse(inventory(100n), inventory(120n), { in: { SOL: 30n } })).toEqual([
      'SOL: 10 less than allowed',
    ]);
    expect(worse(inventory(1n), inventory(1n), { in: { mint: 5n } })).toEqual(['mint: 5 less than allowed']);
  });

  it('allows exactly what an honest twin did', () => {
    const estate = new Estate();
    const take = () => inventoryOf([estate.wallet], estate.snapshot());
    const before = take();
    estate.feeShare('config', [
      [estate.wallet, 9000],
      [addressOf('friend'), 1000],
    ]);
    estate.table([addressOf('entry')]);
    const honest = take();
    const allowance = allowanceOf(before, honest);
    expect(worse(before, honest, allowance)).toEqual([]);
    expect(worse(before, honest)).not.toEqual([]);
    estate.feeShare('config', [
      [estate.wallet, 9000],
      [estate.stranger, 1000],
    ]);
    expect(worse(before, take(), allowance)).toEqual([
      expect.stringMatching(/^stranger: .* is claimer of 1000 basis points/),
    ]);
  });
});
