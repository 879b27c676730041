/** Transactions of the service, read by Countersign's readers instruction by instruction. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readInstruction } from '../../../../src/programs/read.ts';
import { resolveInstructions } from '../../../../src/transaction/accounts.ts';
import { readTransaction } from '../../../../src/transaction/read.ts';
import type { LookupTableContent } from '../../../../src/transaction/types.ts';
import { at, list, text } from '../support.ts';
import { ChainCaller, WSOL } from './scene.ts';

let caller: ChainCaller;
beforeAll(async () => {
  caller = await ChainCaller.start();
});
afterAll(() => caller.close());

/**
 * Returns a transaction's instructions, compute budget excluded, as `program.instruction` or the reason for an
 * unsupported one.
 */
const kinds = (transaction: string, tables: readonly LookupTableContent[] = []): string[] =>
  resolveInstructions(readTransaction(new Uint8Array(Buffer.from(transaction, 'base64'))), tables)
    .map(readInstruction)
    .map((reading) =>
      reading.status === 'read'
        ? reading.instruction.kind
        : reading.status === 'named'
          ? reading.name
          : `unsupported: ${reading.reason}`,
    )
    .filter((kind) => !kind.startsWith('computeBudget.'));
const stages = (plan: unknown, tables: readonly LookupTableContent[] = []) =>
  list(plan, 'transactions').map((stage) => kinds(text(stage, 'transaction'), tables));
/** Returns the service's lookup tables for launches and swaps. */
const tables = (): LookupTableContent[] => {
  const { globalTable, onchain, state } = caller.sandbox.service;
  const launched = [...state.launchTables.values()].map((table) => ({
    table,
    addresses: onchain.lookupTable(table)?.addresses ?? [],
  }));
  return [...launched, ...globalTable.usable()];
};

test('configs, launches, swaps, changed splits and claims are fully decoded', async () => {
  const ipfs = 'https://example.com/read.json';
  const tokenMint = await caller.token({ metadataUrl: ipfs });
  const wallet = caller.wallet;
  const other = caller.sandbox.service.keys.seeded('other').address;
  const config = await caller.ok(
    caller.post('/fee-share/config/v2', {
      ...{ baseMint: tokenMint, payer: wallet, flow: 'dbc' },
      ...{ claimersArray: [wallet], basisPointsArray: [10_000] },
    }),
  );
  expect(stages(at(config, 'plan'))).toEqual([
    ['feeShare.createFeeConfig', 'feeShare.updateFeeConfigManager', 'dbc.createConfig'],
  ]);
  await caller.landAll(at(config, 'plan'));

  const configKey = text(config, 'venueConfigKey');
  const body = { tokenMint, ipfs, wallet, configKey };
  const launch = String(
    await caller.ok(
      caller.post('/token-launch/create-launch-transaction', { ...body, initialBuyLamports: 1_000_000_000 }),
    ),
  );
  const wrapping = ['associatedToken.createIdempotent', 'system.transfer', 'token.syncNative'];
  expect(kinds(launch)).toEqual([
    'dbc.initializeVirtualPoolWithSplToken',
    ...wrapping,
    'associatedToken.createIdempotent',
    'dbc.swap2',
    'token.closeAccount',
  ]);
  expect((await caller.land(launch)).err).toBeNull();

  for (const [through, kind] of [
    ['router', 'jupiter.routeV2'],
    ['venue', 'dbc.swap2'],
  ]) {
    await caller.control('variants', { swapsThrough: through });
    const query = `inputMint=${WSOL}&outputMint=${tokenMint}&amount=1000000000&taker=${wallet}`;
    const quoted = await caller.ok(caller.get(`/trade/v2/quote?${query}`));
    const request = { requestId: text(quoted, 'requestId'), userPublicKey: wallet };
    const built = text(await caller.ok(caller.post('/trade/v2/swap', request)), 'swapTransaction');
    expect(kinds(built, tables())).toEqual([
      ...wrapping,
      'associatedToken.createIdempotent',
      kind,
      'token.closeAccount',
      'system.transfer',
    ]);
  }

  const claim = { feeClaimer: wallet, tokenMint, source: { kind: 'holding' } };
  const claimed = async () =>
    stages(await caller.ok(caller.post('/token-launch/create-claim-txs/v2', claim)));
  expect(await claimed()).toEqual([['feeShare.claimDbc', 'feeShare.claimUser']]);

  const change = await caller.ok(
    caller.post('/fee-share/admin/update-config/v2', {
      ...{ baseMint: tokenMint, payer: wallet },
      ...{ claimersArray: [other, wallet], basisPointsArray: [1_000, 9_000] },
    }),
  );
  expect(stages(change)).toEqual([['feeShare.managerUpdateFeeConfig']]);
  // The service has collected, and the replaced claimer is paid from a vault.
  expect(await claimed()).toEqual([['feeShare.claimUserVault']]);
});

test('direct launches in every arrangement, and what follows them, are fully decoded', async () => {
  const wrapping = ['associatedToken.createIdempotent', 'system.transfer', 'token.syncNative'];
  const moved = ['associatedToken.createIdempotent', 'token.transferChecked'];
  const buying = ['associatedToken.createIdempotent', 'dammV2.swap2', 'token.closeAccount'];
  const locks = ['dammV2.permanentLockPosition', 'dammV2.permanentLockPosition'];
  const positions = [
    'dammV2.initializeCustomizablePool',
    'dammV2.createPosition',
    'dammV2.addLiquidity',
    ...locks,
  ];
  const token = [
    'system.createAccount',
    'token.initializeMint2',
    'metaplex.createMetadataAccountV3',
    'associatedToken.createIdempotent',
    'token.mintTo',
    'token.setAuthority',
  ];
  for (const [by, ...pool] of [
    ['service', [...wrapping, ...positions, ...buying], moved],
    ['service-wraps', [...wrapping, ...wrapping, ...positions, ...buying, 'token.closeAccount'], moved],
    ['wallet', [...wrapping, positions[0], locks[0], ...moved, ...buying]],
  ]) {
    await caller.control('variants', { poolDeposits: by });
    const { tokenMint, ask } = await caller.direct();
    const plan = await ask(1_000_000_000n);
    expect(stages(plan, tables())).toEqual([token, ...pool]);
    await caller.landAll(plan);
    await caller.swapped(WSOL, tokenMint, 1_000_000_000n);
    const claim = { feeClaimer: caller.wallet, tokenMint, source: { kind: 'position' } };
    const claims = await caller.ok(caller.post('/token-launch/create-claim-txs/v2', claim));
    expect(stages(claims)).toEqual([['feeShare.claimDammV2', 'feeShare.claimUser']]);
  }
});
