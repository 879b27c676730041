/**
 * The recorded fee share config of the live service (config.json), paid by the service's key, which the wallet refunds.
 * It runs on an embedded chain whose stand-in of the fee share program accepts that key as its own.
 */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Keypair } from '../../../sandbox/keypair.ts';
import { createFeeConfig, inSol, updateFeeConfigManager } from '../../../sandbox/programs/feeShare.ts';
import { compileDraft } from '../../../sandbox/service/build/compile.ts';
import { systemTransfer } from '../../../sandbox/service/build/tokens.ts';
import { gatherInputs } from '../../../src/execution/deciding/gather.ts';
import { DecodedStage } from '../../../src/plan/decodedStage.ts';
import type { Stage } from '../../../src/plan/types.ts';
import { evaluate } from '../../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs } from '../../../src/policy/decide/types.ts';
import { GENESIS } from '../../../src/policy/file/networks.ts';
import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import { PROGRAM_CONFIG } from '../../../src/programs/feeShare/addresses.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { policyTemplate } from '../../../src/review/templates/templates.ts';
import { addressBytes } from '../../../src/transaction/base58.ts';
import { LOOKUP_TABLE_PROGRAM, SYSTEM_PROGRAM } from '../../../src/transaction/programs.ts';
import { encodeTransaction, readTransaction } from '../../../src/transaction/read.ts';
import { requiredSigners } from '../../../src/transaction/signatures.ts';
import { labelOf } from '../label.ts';
import { keyNamed, load, NOTHING_USED, World } from '../world.ts';

interface Recorded {
  readonly wire: string;
  readonly table: { readonly address: string; readonly entries: Readonly<Record<string, string>> };
}
const recorded: Recorded = JSON.parse(readFileSync('test/policy/live/config.json', 'utf8'));
const bytes = Buffer.from(recorded.wire, 'base64');
const { staticAccounts, blockhash, messageSha256 } = readTransaction(bytes);
const [SERVICE = '', WALLET = ''] = staticAccounts;
const MINT = '8BDsZ86nHsoi4hVauPkityN4dwK9JqVgtejN7JEMBAGS';
const MAINNET = String(GENESIS['mainnet-beta']);
const RECORDED_REFUND = 18_000n;

/** Replaces the service's key in bytes that differ from the recorded ones. */
const service = keyNamed('service of the recorded config');
const attacker = keyNamed('attacker').address;
/** Offset of the config authority in the program's own account. */
const ADMIN_AT = 8;

let world: World;
beforeAll(async () => {
  world = await World.start('recorded config');
  const { chain } = world.sandbox;
  for (const address of [SERVICE, WALLET, service.address]) chain.airdrop(address, 1_000_000_000n);
  chain.setAccount(recorded.table.address, { ...NO_PROGRAM, ...tableOf(recorded.table.entries) });
  world.sandbox.advanceSlots(2);
});
afterAll(() => world.close());

const NO_PROGRAM = { lamports: 10_000_000n, executable: false } as const;

/** The recorded lookup table, with the System program at entries the transaction does not use. */
function tableOf(entries: Recorded['table']['entries']) {
  const count = Math.max(...Object.keys(entries).map(Number)) + 1;
  const data = Buffer.alloc(56 + 32 * count);
  data.writeUInt32LE(1, 0);
  data.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, 4);
  for (let at = 0; at < count; at += 1) data.set(addressBytes(entries[at] ?? SYSTEM_PROGRAM), 56 + 32 * at);
  return { owner: LOOKUP_TABLE_PROGRAM, data: new Uint8Array(data) };
}

const REQUEST = {
  baseMint: MINT,
  payer: WALLET,
  flow: 'damm_v2_direct',
  claimersArray: [WALLET],
  basisPointsArray: [10_000],
};

/** The inputs of a live home about a config of these bytes, with the embedded chain's accounts and simulation. */
async function inputsOf(wire: Uint8Array, admin: string, request: object = REQUEST): Promise<DecisionInputs> {
  const { chain } = world.sandbox;
  const config = chain.getAccount(PROGRAM_CONFIG);
  if (config === null) throw new Error('no program config');
  const data = config.data.slice();
  data.set(addressBytes(admin), ADMIN_AT);
  chain.setAccount(PROGRAM_CONFIG, { ...config, data });
  world.sandbox.advanceSlots(2);
  const read = readTransaction(wire);
  const lifetime = world.sandbox.service.onchain.lifetime();
  const running = { ...read, signatures: read.signatures.map(() => null), blockhash: lifetime.blockhash };
  const stage: Stage = {
    id: 'config-1',
    kind: 'config',
    format: 'v0',
    dependsOn: [],
    transaction: DecodedStage.ofBytes(wire),
    declared: { messageSha256: read.messageSha256, requiredSigners: requiredSigners(read) },
    optional: false,
    refresh: 'never',
    waitSlots: 0,
  };
  const plan = {
    planId: 'recorded',
    revision: 1,
    operation: 'config',
    mode: 'live',
    network: MAINNET,
    wallet: WALLET,
    intentKey: 'recorded',
    request: { endpoint: 'feeShareConfig', fields: { ...request }, digest: '' },
    answer: {},
    stages: [stage],
    createdAt: 1,
  } as const;
  const candidate = { ...stage, transaction: DecodedStage.ofBytes(encodeTransaction(running)) };
  const inputs = await gatherInputs(world.chain, {
    plan,
    stage: candidate,
    siblings: [{ stage, status: 'ready' }],
    purpose: 'sign',
    mode: 'live',
    time: Date.parse('2026-02-01'),
    ourWallets: [WALLET],
  });
  return { ...inputs, network: MAINNET, blockhashValid: true, stage };
}

const policyOf = (change: Partial<PolicyFile> = {}) =>
  load({ ...policyTemplate('creator', { wallet: WALLET, network: 'mainnet-beta' }), ...change });
const decide = (inputs: DecisionInputs, policy = policyOf()): Decision =>
  evaluate(inputs, policy, NOTHING_USED);
const failed = ({ checks }: Decision) =>
  checks.flatMap((check) => (check.ok ? [] : [`${check.code} ${labelOf(check)}`])).join('; ');

/** Parts of the recorded transaction that a variant may change. */
interface Parts {
  readonly payer?: string;
  readonly signers?: readonly Keypair[];
  readonly configPayer?: string;
  readonly admin?: string;
  readonly claimers?: readonly { address: string; bps: number }[];
  readonly refund?: readonly { to: string; lamports: bigint }[];
  readonly more?: readonly EncodedInstruction[];
  readonly entries?: Readonly<Record<string, string>>;
}

/** The recorded transaction with other parts, signed by the replacement of the service's key. */
function built(change: Parts, key = service.address): Uint8Array {
  const {
    payer = key,
    signers = [service],
    configPayer = WALLET,
    admin = key,
    claimers = [{ address: WALLET, bps: 10_000 }],
    refund = [{ to: key, lamports: RECORDED_REFUND }],
    more = [],
    entries = recorded.table.entries,
  } = change;
  const addresses = Array.from({ length: 63 }, (_, at) => entries[at] ?? SYSTEM_PROGRAM);
  const draft = {
    format: 'v0' as const,
    feePayer: payer,
    instructions: [
      createFeeConfig({ payer: configPayer, admin }, inSol(MINT), claimers, { last: true }),
      ...refund.map(({ to, lamports }) => systemTransfer(WALLET, to, lamports)),
      ...more,
    ],
    budget: { computeUnits: 250_000, microLamportsPerUnit: 10_000n, priorityFeeLamports: 0n },
    tables: [{ table: recorded.table.address, addresses }],
    signers,
  };
  return compileDraft(draft, { blockhash, lastValidBlockHeight: 1_000 }).bytes;
}

describe('the recorded config', () => {
  it('is allowed for its request by a rule that allows configs, and its refund counts as spent', async () => {
    const inputs = await inputsOf(bytes, SERVICE);
    const decision = decide(inputs);
    expect(failed(decision)).toBe('');
    expect([decision.effect, decision.binding, decision.messageSha256]).toEqual([
      'allow',
      'exact',
      messageSha256,
    ]);
    expect(decision.recipients).toContainEqual({ address: SERVICE, role: 'refund' });
    const [spent] = decision.changes.filter(({ asset }) => asset === 'SOL');
    const unpaid = decide(await inputsOf(built({ refund: [] }), service.address)).changes;
    const [deposits] = unpaid.filter(({ asset }) => asset === 'SOL');
    expect(BigInt(spent?.out ?? 0) - BigInt(deposits?.out ?? 0)).toBe(RECORDED_REFUND);
  });

  it('is the same with another service key', async () => {
    const names = (wire: Uint8Array) => new Set(readTransaction(wire).staticAccounts);
    expect(names(built({}, SERVICE))).toEqual(names(bytes));
    expect(failed(decide(await inputsOf(built({}), service.address)))).toBe('');
  });

  it('states that no key can change the claimers, since it sets no manager', async () => {
    const inputs = await inputsOf(bytes, SERVICE);
    const policy = policyOf();
    const rules = policy.policy.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const }));
    expect(decide(inputs, policyOf({ rules })).expectedOutcome?.manager).toBeNull();
  });
});

const friend = keyNamed('friend').address;
const swapped = {
  ...recorded.table.entries,
  5: recorded.table.entries[7] ?? '',
  7: recorded.table.entries[5] ?? '',
};

describe('a config that differs from the recorded one is refused', () => {
  it.each<[string, Parts, object, RegExp]>([
    ['claimer', { claimers: [{ address: attacker, bps: 10_000 }] }, {}, /REQUEST_MISMATCH .*claimers/],
    ['share', { claimers: [{ address: WALLET, bps: 9_999 }] }, {}, /REQUEST_MISMATCH .*claimers/],
    ['payer', { payer: friend }, {}, /FEE_PAYER_MISMATCH/],
    ['payer of the config', { configPayer: service.address }, {}, /REQUEST_MISMATCH .*Payer/],
    ['refund amount', { refund: [{ to: service.address, lamports: 25_001n }] }, {}, /FEE_OVER refund/],
    [
      'refund receiver',
      { refund: [{ to: attacker, lamports: RECORDED_REFUND }] },
      {},
      /UNEXPECTED_INSTRUCTION/,
    ],
    ['table', { entries: swapped }, {}, /INSTRUCTION_MISFIT/],
    ['admin', { admin: attacker, signers: [service, keyNamed('attacker')] }, {}, /SIMULATION_FAILED/],
    ['requested admin', {}, { admin: friend }, /REQUEST_MISMATCH .*manager/],
    ['quote', {}, { quoteMint: MINT }, /REQUEST_MISMATCH .*Quote/],
    [
      'additional instruction',
      { more: [systemTransfer(WALLET, attacker, 1n)] },
      {},
      /UNEXPECTED_INSTRUCTION/,
    ],
    [
      'unrequested manager',
      { more: [updateFeeConfigManager({ payer: WALLET, admin: service.address }, inSol(MINT), attacker)] },
      {},
      /REQUEST_MISMATCH .*manager/,
    ],
    [
      'second refund',
      {
        refund: [
          { to: service.address, lamports: 9_000n },
          { to: service.address, lamports: 9_000n },
        ],
      },
      {},
      /UNEXPECTED_INSTRUCTION/,
    ],
  ])('in its %s', async (_, parts, request, reason) => {
    const inputs = await inputsOf(built(parts), service.address, { ...REQUEST, ...request });
    const decision = decide(inputs);
    expect(decision.effect).toBe('deny');
    expect(failed(decision)).toMatch(reason);
  });

  it('if the policy allows no refund of that size, and allowed otherwise', async () => {
    const { transaction } = policyTemplate('creator', { wallet: WALLET, network: 'mainnet-beta' });
    const most = (maxServiceRefundLamports: string) =>
      policyOf({ transaction: { ...transaction, maxServiceRefundLamports } });
    const inputs = await inputsOf(bytes, SERVICE);
    expect(decide(inputs, most('17999')).effect).toBe('deny');
    expect(decide(inputs, most('18000')).effect).toBe('allow');
  });

  it('if the paying key is another wallet of ours or has not signed', async () => {
    const { wallets } = policyTemplate('creator', { wallet: WALLET, network: 'mainnet-beta' });
    const second = policyOf({ wallets: [...wallets, { label: 'second', address: service.address }] });
    const inputs = await inputsOf(built({}), service.address);
    expect(failed(decide(inputs, second))).toMatch(/FEE_PAYER_MISMATCH/);
    const unsigned = await inputsOf(built({ signers: [] }), service.address);
    expect(failed(decide(unsigned))).toMatch(/FEE_PAYER_MISMATCH/);
  });
});
