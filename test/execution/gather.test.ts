/** Decision inputs: read from our own RPC, and compared with a second one. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployUpgradeable } from '../../sandbox/programs/deploy.ts';
import { compiledProgram } from '../../sandbox/programs/standIns.ts';
import { createGather, type GatherOptions, gatherInputs } from '../../src/execution/deciding/gather.ts';
import { judgedWith } from '../../src/plan/claimAll.ts';
import type { Plan } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { knownPoolAddresses } from '../../src/programs/dammV2/addresses.ts';
import { DBC_PROGRAM } from '../../src/programs/dbc/addresses.ts';
import { mintOf, tokenAccountOf } from '../../src/programs/token/accounts.ts';
import { ChainError } from '../../src/rpc/errors.ts';
import type { AccountFact, Chain } from '../../src/rpc/types.ts';
import { addressFromBytes } from '../../src/transaction/base58.ts';
import { ASSOCIATED_TOKEN_PROGRAM, LOOKUP_TABLE_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { keyNamed, NOTHING_USED, World } from '../policy/world.ts';

let world: World;
let swap: Plan;
beforeAll(async () => {
  world = await World.start('gather');
  await world.sandbox.service.ready();
  const outputMint = [...world.sandbox.service.state.launches.keys()][0] ?? '';
  swap = await world.plan(
    'tradeSwap',
    await world.quoted({ inputMint: WSOL_MINT, outputMint, amount: '100000000' }),
  );
});
afterAll(() => world.close());

async function gather(chain: Chain, options: GatherOptions = {}, plan = swap): Promise<DecisionInputs> {
  const honest = await world.inputs(plan, plan.stages[0]?.id ?? '');
  const { stage, siblings, purpose, mode, time, ourWallets, quote } = honest;
  return gatherInputs(
    chain,
    {
      plan: judgedWith(plan, stage).plan,
      stage,
      siblings,
      purpose,
      mode,
      time,
      ourWallets,
      ...(quote ? { quote: { ...quote } } : {}),
    },
    options,
  );
}

/** Returns the chain with one kind of account changed. */
const withAccounts = (change: (account: AccountFact) => AccountFact): Chain => ({
  ...world.chain,
  accounts: async (addresses, commitment) => {
    const { slot, value } = await world.chain.accounts(addresses, commitment);
    return { slot, value: value.map(change) };
  },
});

describe('T181 the curve of a token of the quote', () => {
  const curves = ({ accounts }: DecisionInputs) => accounts.filter(({ owner }) => owner === DBC_PROGRAM);
  /** Gathers a swap whose stored quote names a token launched on a curve. */
  async function ofCurve(gather: ReturnType<typeof createGather>): Promise<DecisionInputs> {
    const made = [...world.sandbox.service.state.launches.values()].find(
      ({ venue }) => venue?.kind === 'dbc',
    );
    const honest = await world.inputs(swap, swap.stages[0]?.id ?? '');
    const { stage, siblings, purpose, mode, time, ourWallets, quote } = honest;
    const stored = { ...quote, quote: { ...quote?.quote, outputMint: made?.tokenMint } };
    const plan = judgedWith(swap, stage).plan;
    return gather({
      plan,
      stage,
      siblings,
      purpose,
      mode,
      time,
      ourWallets,
      quote: { request: {}, expiresAt: 0, ...stored },
    });
  }

  it('is found with its terms by our own RPC, though the transaction does not name it', async () => {
    expect(curves(await gather(world.chain))).toEqual([]);
    let searches = 0;
    const chain: Chain = {
      ...world.chain,
      programAccounts: (...args) => {
        searches += 1;
        return world.chain.programAccounts?.(...args) ?? Promise.resolve([]);
      },
    };
    const asking = createGather({ chain });
    const found = curves(await ofCurve(asking));
    expect(found.map(({ data }) => Buffer.from(data, 'base64').length).sort()).toEqual([1048, 424]);
    await ofCurve(asking);
    expect(searches).toBe(1);
  });

  it('is omitted if the RPC refuses the search, and looked up again', async () => {
    let searches = 0;
    const refusing: Chain = {
      ...world.chain,
      programAccounts: () => {
        searches += 1;
        return Promise.reject(new ChainError('RPC_REFUSED', 'no'));
      },
    };
    const refused = createGather({ chain: refusing });
    expect(curves(await ofCurve(refused))).toEqual([]);
    await ofCurve(refused);
    expect(searches).toBe(2);
  });

  it('is read with existing pools only', async () => {
    const { accounts, quote } = await gather(world.chain);
    const { inputMint, outputMint } = Object(quote?.quote);
    const known = knownPoolAddresses(inputMint, outputMint);
    expect(accounts.filter(({ address }) => known.includes(address)).every(({ exists }) => exists)).toBe(
      true,
    );
  });
});

describe('gathered inputs', () => {
  it('pin each lookup table by its hash and the slot of the read', async () => {
    const inputs = await gather(world.chain);
    expect(inputs.tables.length).toBeGreaterThan(0);
    for (const table of inputs.tables) {
      expect(table).toMatchObject({ source: 'chain', dataSha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(table.lastExtendedSlot).toBeLessThan(table.slot);
    }
    expect(inputs.network).toBe(world.sandbox.genesisHash);
    expect(inputs.blockhashValid).toBe(true);
    expect(inputs.simulation).toMatchObject({ status: 'done', error: null });
  });

  it('contain the mints of the quote and every account of the transaction, but no programs', async () => {
    const inputs = await gather(world.chain);
    const seen = new Set(inputs.accounts.map(({ address }) => address));
    expect(seen.has(String(inputs.quote?.quote.outputMint))).toBe(true);
    expect(seen.has(world.wallet)).toBe(true);
    // For a program the address is kept, never its code.
    expect(inputs.accounts.every(({ executable, data }) => !executable || data === '')).toBe(true);
  });

  it('are frozen, so that no later code changes them', async () => {
    const inputs = await gather(world.chain);
    expect(Object.isFrozen(inputs)).toBe(true);
    expect(Object.isFrozen(inputs.accounts[0])).toBe(true);
  });

  it('report an unavailable blockhash, and fail if the chain is unavailable', async () => {
    const silent: Chain = {
      ...world.chain,
      isBlockhashValid: () => Promise.reject(new ChainError('RPC_BEHIND', 'behind')),
    };
    expect((await gather(silent)).blockhashValid).toBeNull();
    const down: Chain = {
      ...world.chain,
      genesisHash: () => Promise.reject(new ChainError('RPC_UNREACHABLE', 'down')),
    };
    await expect(gather(down)).rejects.toThrow(ChainError);
  });

  it('resolve a table of the plan from its setup transaction until that has landed', async () => {
    const { mint } = await world.token();
    const request = {
      tokenMint: mint,
      ipfs: (await world.token()).uri,
      wallet: world.wallet,
      quoteMint: WSOL_MINT,
    };
    const token = await world.token();
    const plan = await world.plan('dammLaunch', { ...request, tokenMint: token.mint, ipfs: token.uri });
    const before = await world.inputs(plan, 'launch', { purpose: 'preview' });
    expect(before.tables[0]).toMatchObject({ source: 'setup' });
    expect(before.simulation.status).toBe('not_yet');
    expect(evaluate(before, world.listing, NOTHING_USED)).toMatchObject({
      effect: 'require_approval',
      staticOnly: true,
    });
    await world.land(plan, 'lut_setup');
    const after = await world.inputs(plan, 'launch', { purpose: 'preview' });
    expect(after.tables[0]).toMatchObject({ source: 'chain', addresses: before.tables[0]?.addresses });
  });

  it('refuse a table of the plan whose contents differ from its setup (T36)', async () => {
    const token = await world.token();
    const plan = await world.plan('dammLaunch', {
      tokenMint: token.mint,
      ipfs: token.uri,
      wallet: world.wallet,
      quoteMint: WSOL_MINT,
    });
    for (const id of ['lut_setup', 'create_token']) await world.land(plan, id);
    const inputs = await world.inputs(plan, 'launch');
    expect(evaluate(inputs, world.listing, NOTHING_USED).effect).toBe('require_approval');
    const tables = inputs.tables.map((table) => ({
      ...table,
      addresses: table.addresses.with(3, keyNamed('attacker').address),
    }));
    const decision = evaluate({ ...inputs, tables }, world.listing, NOTHING_USED);
    expect(decision).toMatchObject({ effect: 'deny', class: 'security' });
    expect(decision.reasonCodes[0]).toBe('LOOKUP_TABLE_UNRESOLVED');
  });

  it('do not rely on a table that is gone, deactivated or extended in this slot (T36)', async () => {
    const inputs = await gather(world.chain);
    const changed = [
      [],
      inputs.tables.map((table) => ({ ...table, deactivationSlot: '5' })),
      inputs.tables.map((table) => ({ ...table, lastExtendedSlot: table.slot })),
    ];
    for (const tables of changed) {
      const decision = evaluate({ ...inputs, tables }, world.policy, NOTHING_USED);
      expect(decision.effect).toBe('deny');
      expect(decision.reasonCodes[0]).toBe('LOOKUP_TABLE_UNRESOLVED');
    }
  });
});

describe('a second RPC', () => {
  const policyLoader = () =>
    world.policyWith((file) => ({ ...file, simulation: { required: true, secondRpcAbove: '1000000' } }));

  it('with the same results allows a large amount', async () => {
    const inputs = await gather(world.chain, { secondChain: world.chain });
    expect(inputs.secondRpc).toEqual({ agrees: true });
    expect(evaluate(inputs, policyLoader(), NOTHING_USED).effect).toBe('allow');
    expect(evaluate(await gather(world.chain), policyLoader(), NOTHING_USED).reasonCodes).toEqual([
      'SIMULATION_UNAVAILABLE',
    ]);
  });

  it('F35 with another table, a dead blockhash or another chain does not (T55)', async () => {
    const lies: readonly Chain[] = [
      withAccounts((account) =>
        account.owner === LOOKUP_TABLE_PROGRAM
          ? { ...account, data: `${account.data.slice(0, -8)}AAAAAAAA` }
          : account,
      ),
      { ...world.chain, isBlockhashValid: async () => ({ slot: 1, value: false }) },
      { ...world.chain, genesisHash: async () => keyNamed('genesis').address },
      { ...world.chain, genesisHash: () => Promise.reject(new ChainError('RPC_TIMEOUT', 'slow')) },
    ];
    for (const secondChain of lies) {
      const inputs = await gather(world.chain, { secondChain });
      expect(inputs.secondRpc).toEqual({ agrees: false });
      expect(evaluate(inputs, policyLoader(), NOTHING_USED)).toMatchObject({
        effect: 'deny',
        reasonCodes: ['SIMULATION_UNAVAILABLE'],
      });
    }
  });
});

describe('T55 a second RPC beside one that lies about accounts', () => {
  const rewritten = (account: AccountFact, change: (bytes: Buffer) => void): AccountFact => {
    const bytes = Buffer.from(account.data, 'base64');
    change(bytes);
    return { ...account, data: bytes.toString('base64') };
  };
  const isMint = (account: AccountFact) => mintOf(account) !== undefined;
  const isHolder = (account: AccountFact) => tokenAccountOf(account) !== undefined;
  const lies: [string, (account: AccountFact) => AccountFact][] = [
    [
      'the freeze authority of a mint',
      (each) => (isMint(each) ? rewritten(each, (bytes) => bytes.writeUInt32LE(1, 46)) : each),
    ],
    [
      'the owner of a token account',
      (each) => (isHolder(each) ? rewritten(each, (bytes) => bytes.fill(7, 32, 64)) : each),
    ],
    ['an account that exists', (each) => (isHolder(each) ? { ...each, exists: false, data: '' } : each)],
  ];
  it.each(lies)('disagrees about %s', async (_, change) => {
    const inputs = await gather(withAccounts(change), { secondChain: world.chain });
    expect(inputs.secondRpc).toEqual({ agrees: false });
  });

  it('agrees if only amounts moved', async () => {
    const moved = withAccounts((each) => {
      if (isHolder(each)) return rewritten(each, (bytes) => bytes.writeBigUInt64LE(5n, 64));
      return isMint(each) ? rewritten(each, (bytes) => bytes.writeBigUInt64LE(5n, 36)) : each;
    });
    const inputs = await gather(moved, { secondChain: world.chain });
    expect(inputs.secondRpc).toEqual({ agrees: true });
  });
});

describe('the code of an unsupported program', () => {
  it('must match between both RPCs (T34, T55)', async () => {
    const program = keyNamed('replaced').address;
    const put = (slot: number) => {
      deployUpgradeable(world.sandbox.chain, program, compiledProgram('harmless'), {
        slot,
        authority: program,
      });
      world.sandbox.advanceSlots(3);
    };
    put(7);
    const { mint } = await world.token();
    const call = { programAddress: program, accounts: [], data: Uint8Array.of(1) };
    const plan = await world.plan('feeShareConfig', world.configRequest(mint, [10_000]), (draft) => ({
      ...draft,
      instructions: [...draft.instructions, call],
    }));
    const honest = await gather(world.chain, { secondChain: world.chain }, plan);
    expect(honest.secondRpc).toEqual({ agrees: true });
    expect(honest.programs).toContainEqual(expect.objectContaining({ address: program, deployedSlot: 7 }));
    // One RPC still shows the accepted code; the other shows the current code.
    const head = (await world.chain.accounts([program], 'confirmed')).value[0];
    const data = Buffer.from(head?.data ?? '', 'base64').subarray(4, 36);
    const place = addressFromBytes(data);
    const lying: Chain = {
      ...world.chain,
      accounts: async (addresses, ...rest) => {
        const { slot, value } = await world.chain.accounts(addresses, ...rest);
        return { slot, value: value.map((each) => (each.address === place ? older(each) : each)) };
      },
    };
    put(9);
    const older = (account: AccountFact): AccountFact => {
      const bytes = Buffer.from(account.data, 'base64');
      bytes.writeBigUInt64LE(7n, 4);
      return { ...account, data: bytes.toString('base64') };
    };
    const lied = await gather(lying, { secondChain: world.chain }, plan);
    expect(lied.secondRpc).toEqual({ agrees: false });
    expect(lied.programs).toContainEqual(expect.objectContaining({ address: program, deployedSlot: 7 }));
  });
});

describe('program accounts', () => {
  /** Records the addresses whose full data is requested. */
  function counting(): { chain: Chain; whole: Set<string> } {
    const whole = new Set<string>();
    const accounts: Chain['accounts'] = (addresses, commitment, firstBytes) => {
      if (firstBytes === undefined) for (const address of addresses) whole.add(address);
      return world.chain.accounts(addresses, commitment, firstBytes);
    };
    return { chain: { ...world.chain, accounts }, whole };
  }

  it('are recognized as programs, and their code is neither fetched nor stored', async () => {
    const { chain, whole } = counting();
    const { mint } = await world.token();
    // An instruction that names a program without calling it, as many real ones do.
    const named = { address: ASSOCIATED_TOKEN_PROGRAM, signer: false, writable: false };
    const call = { programAddress: keyNamed('venue').address, accounts: [named], data: Uint8Array.of(1) };
    const plan = await world.plan('feeShareConfig', world.configRequest(mint, [10_000]), (draft) => ({
      ...draft,
      instructions: [...draft.instructions, call],
    }));
    const inputs = await gather(chain, {}, plan);
    const programs = inputs.accounts.filter(({ executable }) => executable);
    expect(programs.length).toBeGreaterThan(0);
    for (const { address, exists, data } of programs) {
      expect([address, exists, data, whole.has(address)]).toEqual([address, true, '', false]);
    }
    // Non-program accounts are read completely.
    const others = inputs.accounts.filter(({ executable, exists }) => exists && !executable);
    for (const { address } of others) expect(whole.has(address)).toBe(true);
  });

  it('keep inputs small: less than 40 KB for a swap', async () => {
    expect(JSON.stringify(await gather(world.chain)).length).toBeLessThan(40_000);
  });
});

it('records an RPC on this machine in the inputs, and not a remote one', async () => {
  expect(await gather(world.chain, { localRpc: true })).toHaveProperty('localRpc', true);
  expect(await gather(world.chain)).not.toHaveProperty('localRpc');
});
