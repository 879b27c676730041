/** Statement lines of a stage that depend on chain accounts, earlier stages, and the request. */

import { describe, expect, it } from 'vitest';
import { OwnKeys } from '../../src/policy/decide/ownKeys.ts';
import { statedBy } from '../../src/policy/decide/statement/stated.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { Act } from '../../src/programs/acts.ts';
import { position } from '../../src/programs/dammV2/accounts.ts';
import { positionNftAccountAddress } from '../../src/programs/dammV2/addresses.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import type { StageLines } from '../../src/statement/types.ts';
import { account, extendedMint, mint, transferFee, withFields } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { withRequest } from './recorded/edits.ts';
import { SERVICE, stage, WALLET } from './recorded/stages.ts';

const named = (name: string) => keyNamed(name).address;
const [TOKEN, OTHER, HOLDER] = [named('token'), named('other'), named('holder')];
const payment = { ...stage('payment of SOL'), serviceAddresses: SERVICE };
const launch = stage('direct launch');

function resolved({ stage: { transaction }, tables }: DecisionInputs) {
  const given = {
    tables: new Map(tables.map(({ table, addresses }) => [table, addresses])),
    off: new Set<string>(),
  };
  return { given, ...transaction.resolve(given) };
}

/** The statement of a stage with these acts instead of its own, and with additional accounts. */
function stated(inputs: DecisionInputs, acts: readonly Act[], more: readonly AccountFact[] = []): StageLines {
  const { given, readings, fee, loaded } = resolved(inputs);
  const [reading] = readings;
  if (reading === undefined || fee instanceof Error) throw new Error('a stage without instructions');
  const accounts = new Map([...inputs.accounts, ...more].map((each) => [each.address, each]));
  const parts = {
    inputs,
    wallet: WALLET,
    own: new OwnKeys([WALLET]),
    feePayer: WALLET,
    fee,
    acts,
    given,
    loaded,
  };
  const context = { ...parts, readings: [{ reading, acts }], accounts, accountReadings: new Map() };
  return statedBy(context, new Map(), new Map(), []);
}
/** Statement lines without the network fee. */
const linesOf = (...given: Parameters<typeof stated>) =>
  stated(...given).lines.filter((line) => line.id !== 'pays' || line.why !== 'networkFee');

const sends = (to: string, asset = TOKEN): Act => ({
  ...{ act: 'transfer', asset, amount: 500n, authority: WALLET },
  ...{ from: { account: WALLET, owner: WALLET }, to: { account: to } },
});

describe('a payment', () => {
  it.each([
    ['the treasury', SERVICE[0]?.address, 'serviceFee'],
    ['another address of the service', SERVICE[1]?.address, 'payment'],
    ['a stranger', HOLDER, 'payment'],
  ])('to %s states the reason', (_, to = '', why) => {
    expect(linesOf(payment, [sends(to, 'SOL')])).toEqual([
      expect.objectContaining({ id: 'pays', to, why, atMost: 500n }),
    ]);
  });

  const taxed = extendedMint(TOKEN, [1, transferFee(undefined, 100, 100)]);
  it.each([
    ['of a token whose mint was not read', [], []],
    ['of a token without a fee', [mint(TOKEN, {})], []],
    ['of a taxed token', [taxed], [495n]],
  ])('%s arrives less the withheld fee', (_, accounts, expected) => {
    const lines = linesOf(payment, [sends(HOLDER)], accounts);
    expect(lines.flatMap((line) => (line.id === 'pays' ? (line.leastArrives ?? []) : []))).toEqual(expected);
    expect(lines.map(({ id }) => id)).toEqual(expected.length > 0 ? ['pays', 'issuer'] : ['pays']);
  });
});

describe('an account created by the stage', () => {
  const opens: Act = {
    ...{ act: 'openAccount', account: OTHER, kind: 'token', owner: HOLDER },
    ...{ mint: TOKEN, payer: HOLDER, deposit: 'rent', ifMissing: false },
  };

  it.each([
    ['is not in the request', { to: null, amounts: [1, undefined] }, [OTHER]],
    ['is in the request', { to: OTHER }, []],
    ['is in a list of the request', { outputs: [{ to: null }, { to: OTHER }] }, []],
  ])('has a role if its address %s', (_, request, roles) => {
    expect(Object.keys(stated(withRequest(payment, request), [opens]).made)).toEqual(roles);
  });
});

describe('the owner of an account', () => {
  const { owner, nftMint } = only(launch, 'openPosition');
  const account = positionNftAccountAddress(nftMint);
  const mine = stage('direct launch, end');

  it.each([
    ['an earlier stage', mine, owner],
    ['a later stage', stage('direct launch, token'), account],
  ])('comes from %s that opens a position, or not', (_, inputs, to) => {
    expect(linesOf(inputs, [sends(account)])).toEqual([expect.objectContaining({ id: 'pays', to })]);
  });

  it('comes from an earlier stage that opens a token account', () => {
    const opened = only(mine, 'openAccount');
    const before = { ...mine.stage, id: 'before' };
    const siblings = [
      { stage: before, status: 'ready' as const },
      { stage: mine.stage, status: 'ready' as const },
    ];
    const to = (inputs: DecisionInputs) => linesOf(inputs, [sends(opened.account)]);
    expect(to({ ...mine, siblings })).toEqual([expect.objectContaining({ to: opened.owner })]);
    for (const others of [[], siblings.toReversed()])
      expect(to({ ...mine, siblings: others })).toEqual([expect.objectContaining({ to: opened.account })]);
  });
});

describe('the deposit for more claimers', () => {
  const second = stage('config of many, second');
  const deposit = (siblings: DecisionInputs['siblings']) =>
    linesOf({ ...second, siblings }, [only(second, 'extendConfig')]).flatMap((line) =>
      line.id === 'pays' ? [line.atMost] : [],
    );

  it('is counted with the config created by an earlier stage, and otherwise separately', () => {
    expect(deposit(second.siblings)).toEqual([0n]);
    const alone = deposit(second.siblings.slice(1));
    expect(alone).toHaveLength(1);
    expect(alone[0]).toBeGreaterThan(0n);
  });
});

describe('curve settings', () => {
  const curve = stage('bare curve launch');
  const creates = only(curve, 'createPool');
  const asking = (poolCreationFee: bigint): readonly AccountFact[] =>
    curve.accounts
      .filter(({ address }) => address === creates.config)
      .map((each) => withFields(poolConfig, each, () => ({ poolCreationFee })));
  const paid = (fee: bigint) =>
    linesOf(curve, [creates], asking(fee)).flatMap((line) =>
      line.id === 'pays' ? [[line.why, line.atMost]] : [],
    );

  it('include a fee that is a payment, not a deposit', () => {
    const [deposit, ...rest] = paid(0n);
    expect(deposit).toEqual(['deposit', expect.any(BigInt)]);
    expect(paid(1_234n)).toEqual([deposit, ...rest, ['payment', 1_234n]]);
  });

  it('are the terms and claimers of the pool if the chain shows them', () => {
    const terms = (config: string) =>
      linesOf(curve, [{ ...creates, config }]).flatMap((line) => (line.id === 'terms' ? [line.terms] : []));
    expect(terms(creates.config ?? '')).toEqual([expect.objectContaining({ side: expect.any(String) })]);
    expect(terms(OTHER)).toEqual([null]);
    const claimers = (config: string) =>
      linesOf(curve, [{ ...creates, config }]).filter((line) => line.id === 'earns' && line.from === config);
    expect(claimers(creates.config ?? '').map((line) => line.id === 'earns' && line.of)).toEqual([
      'fees',
      'leftover',
    ]);
    expect(claimers(OTHER)).toEqual([]);
  });
});

describe('an assurance is given if the chain shows it', () => {
  const held = (act: Act, accounts: readonly AccountFact[]) =>
    linesOf(payment, [act], accounts).flatMap((line) => (line.id === 'assures' ? [line.held] : []));

  const zeros = Buffer.concat([position.discriminator], 408);
  const empty = account(OTHER, { owner: position.program, data: zeros.toString('base64') });
  const locking: Act = {
    ...{ act: 'lockLiquidity', venue: 'v', pool: TOKEN, position: OTHER, liquidity: 1n, authority: WALLET },
  };
  it.each([
    ['there is no position', [], false],
    ['nothing is locked', [empty], false],
    ['some is locked', [withFields(position, empty, () => ({ permanentLockedLiquidity: 1n }))], true],
    ['some is unlocked', [withFields(position, empty, () => ({ unlockedLiquidity: 1n }))], false],
  ])('locked: %s', (_, accounts, expected) => {
    expect(held(locking, accounts)).toEqual([expected]);
  });

  it.each([
    ['there is no mint', [], false, false],
    ['it has neither mint nor freeze authority', [mint(TOKEN, {})], true, true],
    ['a key mints', [mint(TOKEN, { mintAuthority: HOLDER })], false, true],
    ['a key freezes', [mint(TOKEN, { freezeAuthority: HOLDER })], true, false],
  ])('no minting, no freezing: %s', (_, accounts, minting, freezing) => {
    const gives = (right: 'mint authority' | 'freeze authority'): Act => ({
      ...{ act: 'setRight', right, of: TOKEN, to: null, authority: WALLET },
    });
    expect(held(gives('mint authority'), accounts)).toEqual([minting]);
    expect(held(gives('freeze authority'), accounts)).toEqual([freezing]);
  });
});

describe('the fee share config of a launched token', () => {
  const base = String(launch.plan.request.tokenMint);
  const creates = only(launch, 'createPool');
  const config = launch.accounts.find(
    ({ address }) => address === feeShareConfigAddress(base, String(launch.plan.request.quoteMint)),
  );
  if (config === undefined) throw new Error('no config');
  const elsewhere = { ...config, address: feeShareConfigAddress(base, OTHER) };
  const shares = (request: object, acts: readonly Act[] = [creates]) =>
    linesOf(withRequest(launch, { ...request }), acts, [elsewhere]).filter(
      ({ source }) => source === 'chain',
    );

  it.each([
    ['SOL', {}, 'SOL'],
    ['SOL, unless the request says otherwise', { quoteMint: undefined }, 'SOL'],
    ['another quote', { quoteMint: OTHER }, OTHER],
  ])('names its claimers in %s and its manager', (_, request, asset) => {
    const shareLines = shares(request);
    expect(shareLines.map(({ id }) => id)).toEqual(['earns', 'controls']);
    expect(shareLines.flatMap((line) => ('asset' in line ? [line.asset] : []))).toEqual([asset, asset]);
  });

  it('is absent if no token of the request is launched', () => {
    expect(shares({}, [])).toEqual([]);
    expect(shares({ tokenMint: undefined })).toEqual([]);
    expect(shares({ quoteMint: HOLDER })).toEqual([]);
  });
});

/** Returns the first act of a kind in the bytes of a recorded stage. */
function only<K extends Act['act']>(inputs: DecisionInputs, kind: K): Extract<Act, { act: K }> {
  const found = resolved(inputs).acts.find((act): act is Extract<Act, { act: K }> => act.act === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
}
