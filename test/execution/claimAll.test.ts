/**
 * All claims of a wallet as one plan: landed claims, approval requests, and the effect of one bad claim (T129, T130).
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalChannel } from '../../src/approval/types.ts';
import type { EndpointName } from '../../src/contract/index.ts';
import { stagesByClaim } from '../../src/plan/claimAll.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import type { PlanView } from '../../src/presentation/planPort.ts';
import { readApprovalView } from '../../src/presentation/question/readView.ts';
import { DAMM_V2_PROGRAM } from '../../src/programs/dammV2/addresses.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { readTokenAccount } from '../../src/programs/token/accounts.ts';
import { createSigner } from '../../src/secrets/keys/wallet.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { TOKEN_PROGRAMS, WSOL_MINT } from '../../src/transaction/programs.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { claimAllFees } from '../../tools/claims/claimAllFees.ts';
import type { ToolContext } from '../../tools/tool.ts';
import { linesIn, minIn } from '../approval/stated.ts';
import { Home, type HomeOptions } from './home.ts';
import { ended } from './real.ts';
import { buy, landedConfig, seeded } from './requests.ts';

const approvalOperations = new Set<string>();
const page: ApprovalChannel = {
  name: 'page',
  available: async () => true,
  ask: async (id) => {
    approvalOperations.add(id);
  },
};

/** Requires approval for every claim. */
const asking = (file: PolicyFile): PolicyFile => ({
  ...file,
  rules: file.rules.map((rule) =>
    rule.operation.endsWith('_claim') ? { ...rule, effect: 'require_approval' as const } : rule,
  ),
});

let home: Home;
const started: Home[] = [];
/** Starts a home whose wallet has fees in three pools and a curve, in three quotes, and as the deployer of two. */
async function start(options: HomeOptions = {}): Promise<void> {
  home = await Home.withoutMarket({ deps: { channels: [page] }, ...options });
  started.push(home);
  await buy(home, await seeded(home, 'HARBOR'), '500000000');
  await home.plans.idle();
  home.signatures = 0;
}
beforeEach(() => approvalOperations.clear());
afterEach(async () => {
  for (const each of started.splice(0)) await ended(each);
});

type Fields = Readonly<Record<string, unknown>>;
type Calls = (endpoint: EndpointName, fields: Fields, ask: typeof home.call) => Promise<unknown>;
const plainly: Calls = (endpoint, fields, ask) => ask(endpoint, fields);

/** Calls the tool with a service whose answers a test may change. */
async function claimAll(calls: Calls = plainly, again?: boolean) {
  const ask: typeof home.call = (endpoint, fields) => home.call(endpoint, fields);
  const service = { call: (name: EndpointName, fields: Fields) => calls(name, fields, ask) };
  const wallet = { address: async () => home.wallet };
  const context = { service, plans: home.plans, wallet } as unknown as ToolContext;
  const result = await claimAllFees.run(again === undefined ? {} : { again }, context);
  return { ...result, text: claimAllFees.text(result), planId: result.plan?.planId ?? '' };
}

const isOf = async (symbol: string, { tokenMint }: Fields) => tokenMint === (await seeded(home, symbol));
/** Returns calls to a service that attacks the claim of one token, and is otherwise honest. */
const hostileAbout =
  (symbol: string, attack: string): Calls =>
  async (endpoint, fields, ask) => {
    const { hostile } = home.sandbox.service;
    if (endpoint === 'claimTxs' && (await isOf(symbol, fields))) hostile.use(attack);
    try {
      return await ask(endpoint, fields);
    } finally {
      hostile.use(undefined);
    }
  };

/** Returns the wallet's on-chain balances in base units, by asset; wrapped SOL counts as SOL. */
function holdings(): Map<string, bigint> {
  const { chain } = home.sandbox;
  const all = new Map([['SOL', chain.getAccount(home.wallet)?.lamports ?? 0n]]);
  for (const [, { data }] of TOKEN_PROGRAMS.flatMap((program) => [...chain.programAccounts(program)])) {
    if (data.length < 165 || data[165] === 1) continue;
    const { owner, mint, amount } = readTokenAccount(data);
    const asset = mint === WSOL_MINT ? 'SOL' : mint;
    if (owner === home.wallet) all.set(asset, (all.get(asset) ?? 0n) + amount);
  }
  return all;
}
const ALL_LANDED = Array.from({ length: 5 }, () => 'landed');
const statuses = ({ claims = [] }: Pick<PlanView, 'claims'>) => claims.map(({ status }) => status);
const question = async (planId: string) => {
  const rows = await home.ledger.rows('approvals', { planId });
  const [row] = rows;
  if (row === undefined) throw new Error('nothing was asked');
  return { row, rows };
};
const linesOf = (view: Awaited<ReturnType<typeof readApprovalView>>, kind: string): string[] => {
  const fact = view?.facts.find((each) => each.kind === kind);
  return fact !== undefined && 'lines' in fact ? fact.lines.map(({ text }) => text) : [];
};
const OF_TOKENS = [
  'Claim of the fees of “Harbor Light” (HARBOR).',
  'Claim of the fees of “Paper Kite” (KITE), paid in 96Gd…kRDp.',
  'Claim of the fees of “Tin Lantern” (TINLAN), paid in 8XA9…fNG7.',
  'Claim of the fees of “First Rung” (RUNG).',
];
type Arriving = {
  readonly expected?:
    | { readonly arrivesAtLeast?: readonly { asset: string; amount?: string | undefined }[] | undefined }
    | undefined;
};
const sums = (plan: Arriving | null): [string, string][] =>
  (plan?.expected?.arrivesAtLeast ?? []).map(({ asset, amount }) => [
    asset,
    `${Math.round(Number(amount) * (asset === 'SOL' ? 1e9 : 1e6))}`,
  ]);
const sumOf = (plan: Arriving | null, of: string) => new Map(sums(plan)).get(of);
/** Excludes claims with unsupported programs: fees in quotes other than SOL, and fees of deployers. */
const onlyRead: Calls = async (endpoint, fields, ask) => {
  if (endpoint === 'vaultClaimables') return { vaults: [] };
  if (endpoint === 'deployerClaimables') return { positions: [], vaults: [] };
  const isRead = endpoint !== 'claimTxs' || fields.quoteMint === WSOL_MINT;
  return ask(endpoint, isRead ? fields : { ...fields, quoteMint: home.wallet });
};
const approve = (id: string) => home.ledger.answerApproval(id, { state: 'approved', channel: 'page' });

describe('claiming everything', () => {
  it('executes as one plan, whose payouts sum to what the chain shows', async () => {
    await start();
    const before = holdings();
    const built = await claimAll();
    expect(built.plan).toMatchObject({
      operation: 'claim_all',
      status: 'ready',
      asked: 'claim of everything: 5 claims',
    });
    expect(built.text).toContain('claim of the fees of ');
    expect(built.leftOut).toBeUndefined();

    const done = await home.submit(built.planId);
    expect(done).toMatchObject({ status: 'complete', next: 'Done.' });
    expect(statuses(done)).toEqual(ALL_LANDED);
    expect(approvalOperations.size).toBe(0);
    expect(home.signatures).toBe(5);
    const after = holdings();
    const fee = BigInt(Math.round(Number(done.cost?.networkFee) * 1e9));
    const moved = new Map(done.changes?.map(({ asset, raw }) => [asset, BigInt(raw)]));
    expect(moved.size).toBe(3);
    for (const [asset, units] of moved) {
      const gained = (after.get(asset) ?? 0n) - (before.get(asset) ?? 0n);
      expect(units - (asset === 'SOL' ? fee : 0n)).toBe(gained);
      expect(gained).toBeGreaterThan(0n);
      const each =
        done.claims?.flatMap(({ arrives = [] }) => arrives.filter((one) => one.asset === asset)) ?? [];
      expect(each.reduce((sum, { raw }) => sum + BigInt(raw), 0n)).toBe(units);
    }

    expect(await claimAll()).toMatchObject({ plan: null, note: 'Nothing to claim was found.' });
  });

  it('executes a USDC curve with the rest and pays its fees in USDC', async () => {
    await start();
    const usdc = home.sandbox.service.keys.quoteMint('USDC').address;
    const { mint, uri, config, configKey } = await landedConfig(home, {
      ...{ flow: 'dbc', quoteMint: usdc },
      ...{ claimersArray: [home.wallet], basisPointsArray: [10_000] },
    });
    const launch = await home.build('curveLaunchV2', {
      ...{ tokenMint: mint, ipfs: uri, wallet: home.wallet, quoteMint: usdc, initialBuyQuoteRaw: '50000000' },
      ...{ configKey, feeShareConfig: config },
    });
    // Landed; its claimers are held by an unsupported program.
    expect(await home.submit(launch.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    await home.plans.idle();
    home.signatures = 0;

    const claimTitle = `claim of the fees of ${mint}`;
    const built = await claimAll();
    expect(built.plan?.asked).toBe('claim of everything: 6 claims');
    expect(built.text).toContain(claimTitle);
    const promised = BigInt(sumOf(built.plan, usdc) ?? '0');
    expect(promised).toBeGreaterThan(0n);
    const before = holdings();
    const done = await home.submit(built.planId);
    expect(done).toMatchObject({ status: 'complete', next: 'Done.' });
    expect(approvalOperations.size).toBe(0);
    expect(home.signatures).toBe(6);
    // The cost of the fee share account is listed next to the claimed amount.
    const claimed = done.claims?.find((each) => each.asked.startsWith(claimTitle));
    expect(claimed).toMatchObject({
      status: 'landed',
      arrives: [
        { asset: 'SOL', amount: '-0.00203928' },
        { asset: usdc, amount: '+0.8' },
      ],
    });
    const gained = (holdings().get(usdc) ?? 0n) - (before.get(usdc) ?? 0n);
    const arrived = done.claims?.flatMap(({ arrives = [] }) => arrives.filter(({ asset }) => asset === usdc));
    // “Paper Kite” has fees in USDC, too.
    expect(arrived).toHaveLength(2);
    expect(arrived?.reduce((sum, { raw }) => sum + BigInt(raw), 0n)).toBe(gained);
    expect(gained).toBeGreaterThanOrEqual(promised);
  });

  it('is one question that names every claim and the sum of each quote', async () => {
    await start({ policy: asking, deps: { channels: [page] } });
    const { planId, plan } = await claimAll();
    expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
    expect(approvalOperations.size).toBe(1);
    expect(home.signatures).toBe(0);
    const { row } = await question(planId);
    expect(row.stages).toHaveLength(5);
    const shown = sums(plan);
    const assets = [...new Set(linesIn(row, 'receives').map(({ asset }) => asset))];
    expect(assets.map((asset) => [asset, `${minIn(row, asset)}`]).sort()).toEqual(shown.sort());
    const view = await readApprovalView(home.ledger, row.id);
    expect(view?.title).toBe('Claim everything that is claimable');
    expect(linesOf(view, 'what')).toEqual(expect.arrayContaining(['Claim of deployer fees.', ...OF_TOKENS]));

    await approve(row.id);
    expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
    expect(approvalOperations.size).toBe(1);
    expect(home.signatures).toBe(5);
  });

  it('is approved as one run if every claim is decoded: a rebuild asks nothing more', async () => {
    await start({ policy: asking, deps: { channels: [page] } });
    const { planId, plan } = await claimAll(onlyRead);
    await home.submit(planId);
    const { row } = await question(planId);
    expect(linesIn(row, 'controls')).toEqual([]);
    expect(linesIn(row, 'claims').length).toBeGreaterThan(1);
    expect(minIn(row, 'SOL')).toBe(BigInt(sumOf(plan, 'SOL') ?? '0'));
    const paid = linesIn(row, 'pays');
    const most = (why: string) => paid.reduce((sum, line) => sum + (line.why === why ? line.atMost : 0n), 0n);
    expect(new Set(paid.map(({ why }) => why))).toEqual(new Set(['deposit', 'networkFee']));
    // The wallet pays for the curve claim only: four fee share accounts, and the network fees of four rounds.
    expect(most('deposit')).toBeGreaterThan(0n);
    expect(most('deposit')).toBeLessThan(10_000_000n);
    expect(most('networkFee')).toBeGreaterThan(0n);
    expect(linesOf(await readApprovalView(home.ledger, row.id), 'what')).toEqual(
      OF_TOKENS.filter((line) => !line.includes('paid in')),
    );
    await approve(row.id);
    // The blockhash expires while the approval is pending.
    home.sandbox.advanceSlots(200);
    expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
    expect(approvalOperations.size).toBe(1);
    expect(home.signatures).toBe(2);
  });

  it('asks again if one of the claims would pay less than was shown', async () => {
    await start({ policy: asking, deps: { channels: [page] } });
    const { chain } = home.sandbox;
    const kept = chain.programAccounts(DAMM_V2_PROGRAM);
    await buy(home, await seeded(home, 'HARBOR'), '900000000');
    await home.plans.idle();
    home.signatures = 0;
    const { planId } = await claimAll(onlyRead);
    await home.submit(planId);
    await approve((await question(planId)).row.id);
    for (const [address, account] of kept) chain.setAccount(address, account);
    home.sandbox.advanceSlots(3);
    expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
    expect(approvalOperations.size).toBe(2);
    expect(home.signatures).toBe(0);
  });

  it('needs no second question if more fees have accrued', async () => {
    await start({ policy: asking, deps: { channels: [page] } });
    const { planId } = await claimAll();
    await home.submit(planId);
    await approve((await question(planId)).row.id);
    await buy(home, await seeded(home, 'HARBOR'), '700000000');
    expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
    expect(approvalOperations.size).toBe(1);
  });

  it('counts as one job and as one of each kind of claim', async () => {
    await start({
      policy: (file) => ({
        ...file,
        limits: [
          ...file.limits,
          { id: 'few', count: 'position_claim', window: { rolling: '1h' }, max: 1, why: 'a test' },
        ],
      }),
    });
    expect(await home.submit((await claimAll()).planId)).toMatchObject({ status: 'complete' });
    await buy(home, await seeded(home, 'HARBOR'), '700000000');
    const second = await home.submit((await claimAll()).planId);
    expect(second).toMatchObject({ status: 'denied', decision: { reasonCodes: ['LIMIT_EXCEEDED'] } });
  });
});

describe('one bad claim among good ones', () => {
  it('T130 stops the plan with nothing signed; the honest twin executes', async () => {
    await start();
    const before = holdings();
    const attacks = [
      ['claim-and-sweep', 'KITE', 'UNEXPECTED_INSTRUCTION'],
      ['claim-charges-the-wallet', 'KITE', 'FEE_PAYER_MISMATCH'],
      ['other-unsupported-instruction', 'RUNG', 'PROGRAM_NOT_ALLOWED'],
    ] as const;
    const plans = new Set<string>();
    for (const [attack, symbol, code] of attacks) {
      const { planId, plan } = await claimAll(hostileAbout(symbol, attack));
      expect([attack, plan?.status]).toEqual([attack, 'denied']);
      const refused = await home.submit(planId);
      expect([attack, refused.status]).toEqual([attack, 'denied']);
      expect(refused.decision.reasonCodes).toContain(code);
      expect(statuses(refused).filter((status) => status === 'denied')).toHaveLength(1);
      expect(home.signatures).toBe(0);
      expect(holdings()).toEqual(before);
      plans.add(planId);
    }
    const honest = await claimAll();
    expect([...plans]).toEqual([honest.planId]);
    expect(await home.submit(honest.planId)).toMatchObject({ status: 'complete' });
  });

  const answers: readonly [string, string, Calls][] = [
    [
      'answered with the claim of another token',
      'names another baseMint',
      async (endpoint, fields, ask) =>
        endpoint === 'claimTxs' && (await isOf('HARBOR', fields))
          ? ask(endpoint, await otherToken(fields))
          : ask(endpoint, fields),
    ],
    [
      'answered with the claim of another token under the name of this one',
      'UNDECLARED_LOSS',
      async (endpoint, fields, ask) => {
        if (endpoint !== 'claimTxs' || !(await isOf('HARBOR', fields))) return ask(endpoint, fields);
        const answer = Object(await ask(endpoint, await otherToken(fields)));
        return { ...answer, operation: { ...answer.operation, baseMint: fields.tokenMint } };
      },
    ],
    [
      'built for another wallet under the name of this one',
      'SIGNERS_MISMATCH',
      async (endpoint, fields, ask) => {
        if (endpoint !== 'claimTxs' || !(await isOf('HARBOR', fields))) return ask(endpoint, fields);
        const other = home.sandbox.service.keys.seeded('creator').address;
        const answer = Object(await ask(endpoint, { ...fields, feeClaimer: other }));
        return { ...answer, operation: { ...answer.operation, wallet: home.wallet } };
      },
    ],
  ];
  it('T129 is refused if it is not the requested claim', async () => {
    await start();
    for (const [name, why, calls] of answers) {
      const built = await claimAll(calls).catch((error: Error) => error);
      const claimText =
        built instanceof Error
          ? built.message
          : (await home.submit(built.planId)).decision.reasonCodes.join();
      expect(claimText, name).toContain(why);
      expect(home.signatures).toBe(0);
    }
  });

  it('is omitted with a notice if the service does not build it', async () => {
    await start();
    const { planId, leftOut, text } = await claimAll(async (endpoint, fields, ask) =>
      endpoint === 'claimTxs' && (await isOf('KITE', fields))
        ? ask(endpoint, { ...fields, quoteMint: home.wallet })
        : ask(endpoint, fields),
    );
    const mint = await seeded(home, 'KITE');
    expect(leftOut).toMatchObject([{ claim: 'create_fee_claims', tokenMint: mint }]);
    expect(text).toContain(`Left out, 1 claim:\n- claim create_fee_claims · tokenMint ${mint}`);
    expect(await home.submit(planId)).toMatchObject({
      status: 'complete',
      asked: 'claim of everything: 4 claims',
    });
  });
});

const otherToken = async (fields: Fields): Promise<Fields> => {
  const { items } = Object(await home.call('claimablePositions', { wallet: home.wallet }));
  const mint = await seeded(home, 'KITE');
  const { quoteMint } = items.find(({ tokenMint }: Fields) => tokenMint === mint);
  return { ...fields, tokenMint: mint, quoteMint };
};

const claimStage = (plan: Plan, mint: string): string | undefined =>
  stagesByClaim(
    plan,
    plan.stages.map((stage) => ({ stage })),
  ).find(({ claim }) => claim.fields.tokenMint === mint)?.states[0]?.stage.id;

describe('claiming everything, stopped halfway', () => {
  it('reports landed and failed claims, and claims only the rest when rebuilt', async () => {
    let spoil: ((bytes: Uint8Array) => void) | undefined;
    await start({
      chain: (port) => ({
        ...port,
        send: async (bytes) => {
          spoil?.(bytes);
          return port.send(bytes);
        },
      }),
    });
    const { planId } = await claimAll();
    const stored = (await home.ledger.planRows(planId))?.plan;
    const harbor = await seeded(home, 'HARBOR');
    const { chain } = home.sandbox;
    const own = stored?.stages.find(({ id }) => id === claimStage(stored, harbor));
    const { staticAccounts } = readTransaction(Buffer.from(own?.transaction.text ?? '', 'base64'));
    const kept = staticAccounts.flatMap((address) => {
      const account = chain.getAccount(address);
      return account?.owner === FEE_SHARE_PROGRAM ? [{ address, account }] : [];
    });
    expect(kept).not.toEqual([]);
    // The claimers of HARBOR cannot be read when its claim is sent.
    const bytesOf = own?.transaction.text ?? '';
    spoil = (bytes) => {
      if (Buffer.from(bytes).subarray(-64).equals(Buffer.from(bytesOf, 'base64').subarray(-64))) {
        for (const { address, account } of kept)
          chain.setAccount(address, { ...account, data: new Uint8Array(account.data.length) });
      }
    };
    const done = await home.submit(planId);
    expect(done.status).toBe('failed');
    expect(
      done.claims?.filter(({ status }) => status === 'failed').map(({ asked: claimTitle }) => claimTitle),
    ).toEqual([`claim of the fees of ${harbor}`]);
    expect(statuses(done).filter((status) => status === 'landed')).toHaveLength(4);

    spoil = undefined;
    for (const { address, account } of kept) chain.setAccount(address, account);
    home.sandbox.advanceSlots(3);
    expect(await claimAll()).toMatchObject({ planId, note: expect.stringContaining('again: true') });
    const rest = await claimAll(plainly, true);
    expect(rest.planId).not.toBe(planId);
    expect(rest.plan?.claims?.map(({ asked: claimTitle }) => claimTitle)).toEqual([
      `claim of the fees of ${harbor}`,
    ]);
    expect(await home.submit(rest.planId)).toMatchObject({ status: 'complete' });
  });

  it('continues in another process with the remaining claims and asks the service for nothing else', async () => {
    await start();
    const { planId } = await claimAll();
    const key = createSigner(Secret.fromBytes(home.place.wallet.secretKey.slice()));
    let left = 2;
    const locked = home.again({
      deps: {
        wallets: {
          addresses: async () => [home.wallet],
          signer: async (address) => ({
            address,
            sign: (message, permit) => {
              left -= 1;
              if (left < 0) throw new Error('the key is locked');
              return key.sign(message, permit);
            },
          }),
        },
      },
    });
    await locked.submit(planId).catch(() => undefined);
    await locked.plans.idle();
    await locked.close();
    const half = await home.plans.get(planId);
    expect(statuses(half).filter((status) => status === 'landed')).toHaveLength(2);

    // The remaining transactions have expired and are built again.
    home.sandbox.advanceSlots(200);
    const requests: string[] = [];
    const next = home.again({
      deps: {
        service: {
          call: (endpoint, fields) => {
            requests.push(endpoint);
            return home.call(endpoint, fields);
          },
        },
      },
    });
    const before = new Set(half.stages.flatMap(({ signature }) => signature ?? []));
    const done = await next.submit(planId);
    await next.close();
    expect(done.status).toBe('complete');
    expect(statuses(done)).toEqual(ALL_LANDED);
    expect(requests).toHaveLength(3);
    expect(next.signatures).toBe(3);
    const all = done.stages.flatMap(({ signature }) => signature ?? []);
    expect(all).toHaveLength(5);
    for (const signature of before) expect(all).toContain(signature);
  });
});
