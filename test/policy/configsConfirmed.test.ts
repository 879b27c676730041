/** Configs on a real chain, finished configs, and shares of strangers (T64). */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { feeShareConfig } from '../../src/programs/feeShare/accounts.ts';
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { withFields } from './accountFacts.ts';
import { load } from './people.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import { plus, simulationOf, withRequest } from './recorded/edits.ts';
import { withRead } from './recorded/operands.ts';
import { ATTACKER, decide, rewritten, stage, VENUE, WALLET } from './recorded/stages.ts';

type Change = Parameters<typeof withFields<ReturnType<typeof feeShareConfig.codec.read>>>[2];

const keyOf = ({ plan: { request } }: DecisionInputs): string =>
  feeShareConfigAddress(String(request.baseMint), String(request.quoteMint ?? WSOL_MINT));

/** The stage with another config after the simulation. */
function leaving(inputs: DecisionInputs, change: Change): DecisionInputs {
  const simulation = simulationOf(inputs);
  const key = keyOf(inputs);
  const after = simulation.after.map((each) =>
    each.address === key ? withFields(feeShareConfig, each, change) : each,
  );
  return { ...inputs, simulation: { ...simulation, after } };
}
/** The stage with another config on the chain. */
const withConfig = (inputs: DecisionInputs, change: Change): DecisionInputs => ({
  ...inputs,
  accounts: inputs.accounts.map((each) =>
    each.address === keyOf(inputs) && each.exists ? withFields(feeShareConfig, each, change) : each,
  ),
});

const plain = stage('plain config');
const second = stage('config of many, second');
const fewer = stage('manager update to fewer');
const first = stage('config of many, first');

describe('on a real chain', () => {
  const live = (inputs: DecisionInputs): DecisionInputs => ({
    ...inputs,
    mode: 'live',
    plan: { ...inputs.plan, mode: 'live' },
  });
  const CONFIRM = 'READING_INFERRED';
  const unconfirmed = (inputs: DecisionInputs): string => decisionText(live(inputs));

  it.each(['plain config', 'config of many, first', 'config of many, second', 'manager update to fewer'])(
    'the simulated account of the recorded stage confirms its decoded instructions: %s',
    (name) => {
      expect(unconfirmed(stage(name))).toMatch(/^allow/);
    },
  );

  it.each([
    ['plain config', plain],
    ['config of many, first', first],
    ['config of many, second', second],
    ['manager update to fewer', fewer],
  ])(
    'the owner is asked if the account has one claimer fewer, another claimer or another share: %s',
    (_, inputs) => {
      const changes: readonly Change[] = [
        ({ claimers }) => ({ claimers: claimers.slice(1) }),
        ({ claimers }) => ({ claimers: claimers.slice(0, -1) }),
        ({ claimers }) => ({
          claimers: claimers.toSpliced(0, 1, { wallet: ATTACKER, bps: claimers[0]?.bps ?? 0 }),
        }),
        ({ claimers: [one, ...more] }) => ({
          claimers: one === undefined ? [] : [{ ...one, bps: one.bps + 1 }, ...more],
        }),
      ];
      for (const change of changes) expect(unconfirmed(leaving(inputs, change))).toContain(CONFIRM);
    },
  );

  it('the owner is asked if the list is not terminated as it should be, or the manager differs', () => {
    for (const inputs of [plain, second]) {
      expect(unconfirmed(leaving(inputs, () => ({ isInitFinalized: 0 })))).toContain(CONFIRM);
      expect(unconfirmed(leaving(inputs, () => ({ manager: ATTACKER })))).toContain(CONFIRM);
    }
    // The first stage of two neither finalizes the list nor sets the manager.
    expect(unconfirmed(leaving(first, () => ({ isInitFinalized: 0, manager: ATTACKER })))).not.toContain(
      CONFIRM,
    );
  });

  it('the owner is asked if the account is missing', () => {
    for (const inputs of [plain, fewer]) {
      const simulation = simulationOf(inputs);
      const after = simulation.after.map((each) =>
        each.address === keyOf(inputs) ? { ...each, data: '' } : each,
      );
      expect(unconfirmed({ ...inputs, simulation: { ...simulation, after } })).toContain(CONFIRM);
    }
  });
});

describe('the list of claimers that a config writes', () => {
  const WRITES = 'REQUEST_MISMATCH: claimersWritten';
  const ENDED = 'REQUEST_MISMATCH: claimersEnded';
  const claimers = (inputs: DecisionInputs) => ({
    claimersArray: Object(inputs.plan.request.claimersArray) as string[],
    basisPointsArray: Object(inputs.plan.request.basisPointsArray) as number[],
  });

  it('fails at the first claimer or share that differs, which is reported', () => {
    const { claimersArray } = claimers(plain);
    const [, other = ''] = claimersArray;
    const by = (basisPointsArray: number[], claimers = claimersArray): string =>
      decisionText(withRequest(plain, { basisPointsArray, claimersArray: claimers }));
    const short = `${other.slice(0, 6)}…`;
    expect(by([6000, 4000])).toContain(`${WRITES} (WALLET with 70%; allowed WALLET with 60%)`);
    expect(by([7000, 2000])).toContain(`${WRITES} (${short} with 30%; allowed ${short} with 20%)`);
    expect(by([7000, 3000], [WALLET, ATTACKER])).toContain(
      `${WRITES} (${short} with 30%; allowed ATTACKER with 30%)`,
    );
    expect(by([7000], [WALLET])).toContain(`${WRITES} (WALLET with 70%; allowed no claimer)`);
    expect(by([7000, 2000, 1000], [...claimersArray, ATTACKER])).toContain(WRITES);
  });

  it('continues from the chain state only', () => {
    const alone = { ...second, siblings: second.siblings.filter(({ stage: { id } }) => id === 'config-2') };
    findsNot(alone, WRITES);
    const short = withConfig(alone, ({ claimers }) => ({ claimers: claimers.slice(0, -1) }));
    finds(short, `${WRITES} (10 claimers; allowed 40 claimers)`);
    const shares = [...(Object(second.plan.request.basisPointsArray) as number[])].with(-1, 249);
    const last = String(Object(second.plan.request.claimersArray).at(-1)).slice(0, 6);
    finds(
      withRequest(alone, { basisPointsArray: shares }),
      `${WRITES} (${last}… with 2.5%; allowed ${last}… with 2.49%)`,
    );
    expect(decisionText(second)).toMatch(/^allow/);
    finds(
      withConfig(second, ({ claimers }) => ({ claimers: claimers.slice(1) })),
      WRITES,
    );
    finds(
      withConfig(second, ({ claimers }) => ({ claimers: claimers.toReversed() })),
      WRITES,
    );
    finds(
      withConfig(second, ({ claimers: [one, ...more] }) => ({
        claimers: one === undefined ? [] : [{ wallet: ATTACKER, bps: one.bps }, ...more],
      })),
      WRITES,
    );
  });

  it('is terminated exactly once', () => {
    const open = withRead(plain, 'feeShare.createFeeConfig', { args: { finalizeInit: false } });
    finds(open, `${ENDED} (0 times)`);
    const none = withRead(second, 'feeShare.extendCreatedFeeConfig', { args: { finalizeInit: false } });
    finds(none, `${ENDED} (0 times)`);
    findsNot(plain, ENDED);
  });

  it('has the requested token, quote, manager and partner, paid by the wallet', () => {
    const CREATE = 'feeShare.createFeeConfig';
    const MANAGER = 'feeShare.updateFeeConfigManager';
    const by = (kind: string, accounts: Record<string, string>): string =>
      decisionText(withRead(plain, kind, { accounts }));
    for (const kind of [CREATE, MANAGER]) {
      expect(by(kind, { baseMint: ATTACKER })).toContain('configToken (ATTACKER; allowed');
      expect(by(kind, { payer: ATTACKER })).toContain('configPayer (ATTACKER; allowed WALLET)');
    }
    finds(withRequest(plain, { quoteMint: ATTACKER }), 'configQuote (So1111…; allowed ATTACKER)');
    expect(by(MANAGER, { newManager: ATTACKER })).toContain('manager (ATTACKER; allowed WALLET)');
    finds(withRequest(plain, { partner: ATTACKER }), 'partner (none; allowed ATTACKER)');
    expect(decisionText(withRequest(stage('config v0'), { partner: undefined }))).toMatch(
      /matchesRequest partner \(\w+…\)/,
    );
  });

  it('lacks neither the config nor its manager', () => {
    finds(
      rewritten(plain, (list) => list.slice(0, 1)),
      'partThere manager (0 times; allowed 1 times)',
    );
    finds(
      rewritten(plain, (list) => list.slice(1)),
      'partThere feeShareConfig (0 times; allowed 1 times)',
    );
    // A finalized list does not imply that the manager was set.
    const managed = (manager: string | null): string =>
      decisionText(
        rewritten(
          withConfig(second, () => ({ isInitFinalized: 1, manager })),
          (list) => list.slice(0, 1),
        ),
      );
    expect(managed(WALLET)).not.toContain('partThere manager');
    for (const other of [null, ATTACKER]) expect(managed(other)).toContain('partThere manager');
    expect(decisionText(rewritten(second, (list) => list.slice(0, 1)))).toContain('partThere manager');
  });
});

describe('the tip of a config', () => {
  const tipped = stage('config v0');

  it('leaves only with the stage that creates the config', () => {
    const APART = 'matchesRequest rewardedTip';
    findsNot(tipped, APART);
    expect(decisionText(rewritten(tipped, (list) => list.filter((_, i) => i !== 1)))).toContain(APART);
  });

  it('may leave with an unsupported instruction only until the config exists', () => {
    const name = 'config with an unsupported program';
    const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
    const APART = 'rewardedTip';
    const hidden = rewritten(tipped, ([tip]) => (tip === undefined ? [] : [tip, call]));
    findsNot(hidden, APART, name);
    const simulation = simulationOf(tipped);
    const made = simulation.after.filter(({ address }) => address === keyOf(tipped));
    const there = {
      ...hidden,
      accounts: [...hidden.accounts.filter(({ address }) => address !== keyOf(tipped)), ...made],
    };
    finds(there, APART, name);
  });
});

describe('a changed split', () => {
  const KIND = 'feeShare.managerUpdateFeeConfig';

  it('is made by the wallet that manages the config', () => {
    const MANAGES = 'REQUEST_MISMATCH: managesConfig';
    findsNot(fewer, MANAGES);
    finds(
      withConfig(fewer, () => ({ manager: ATTACKER })),
      `${MANAGES} (ATTACKER; allowed WALLET)`,
    );
    finds(
      withConfig(fewer, () => ({ manager: null })),
      `${MANAGES} (none; allowed WALLET)`,
    );
    const gone = { ...fewer, accounts: fewer.accounts.filter(({ address }) => address !== keyOf(fewer)) };
    finds(gone, `${MANAGES} (none; allowed WALLET)`);
  });

  it('has the requested token, quote, manager and payer', () => {
    const by = (accounts: Record<string, string>): string =>
      decisionText(withRead(fewer, KIND, { accounts }));
    finds(withRequest(fewer, { quoteMint: ATTACKER }), 'configQuote (So1111…; allowed ATTACKER)');
    expect(by({ baseMint: ATTACKER })).toContain('configToken (ATTACKER; allowed');
    expect(by({ manager: ATTACKER })).toContain('splitManager (ATTACKER; allowed WALLET)');
    expect(by({ payer: ATTACKER })).toContain('changePayer (ATTACKER; allowed WALLET)');
  });

  it('leaves exactly the requested list, and the first difference is reported', () => {
    const WRITES = 'REQUEST_MISMATCH: claimersWritten';
    const PLACES = 'matchesRequest claimersInPlaces';
    const more = decisionText(withRequest(fewer, { basisPointsArray: [8000, 2000] }));
    expect(more).toContain(`${WRITES} (WALLET with 90%; allowed WALLET with 80%)`);
    expect(more).toContain(`${PLACES} (WALLET with 90%; allowed WALLET with 80%)`);
    const later = decisionText(withRequest(fewer, { basisPointsArray: [9000, 900] }));
    expect(later).toMatch(/claimersInPlaces \(\w+… with 10%; allowed \w+… with 9%\)/);
    const third = decisionText(
      withRequest(fewer, {
        claimersArray: [...(Object(fewer.plan.request.claimersArray) as string[]), ATTACKER],
        basisPointsArray: [9000, 1000, 0],
      }),
    );
    expect(third).toContain(`${WRITES} (2 claimers; allowed ATTACKER with 0%)`);
  });

  it('is not compared with its list beside an unsupported instruction', () => {
    const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
    const beside = plus(
      withConfig(fewer, ({ claimers }) => ({ claimers: [...claimers, ...claimers] })),
      call,
    );
    findsNot(beside, 'the plan writes exactly the requested claimers', 'config with an unsupported program');
  });
});

const network = GENESIS['mainnet-beta'] ?? '';
/** The same stage on a public network. */
const live = (inputs: DecisionInputs): DecisionInputs => ({
  ...inputs,
  mode: 'live',
  network,
  plan: { ...inputs.plan, mode: 'live', network },
});

const claimersOf = ({ plan: { request } }: DecisionInputs): readonly string[] =>
  (Array.isArray(request.claimersArray) ? request.claimersArray : []).map(String);

type Template = Parameters<typeof policyTemplate>[0];
const by = (template: Template, inputs: DecisionInputs, known: readonly string[] = []) => {
  const addressBook = known.map((address, i) => ({ label: `claimer ${i}`, address }));
  return decide(
    live(inputs),
    load({ ...policyTemplate(template, { wallet: WALLET, network }), addressBook }),
  );
};

const CONFIGS = ['plain config', 'config of many, first'].map((name) => [name, stage(name)] as const);
const SPLITS = ['manager update to fewer', 'manager update to more'].map(
  (name) => [name, stage(name)] as const,
);

describe('a config', () => {
  it.each(CONFIGS)('with claimers of unknown addresses asks and names them: %s', (_name, inputs) => {
    const strangers = claimersOf(inputs).filter((each) => each !== WALLET);
    const decision = by('creator', inputs);
    expect(strangers).not.toEqual([]);
    expect(decision).toMatchObject({ effect: 'require_approval', ruleId: 'fee-plans-for-others' });
    const named = decision.expectedOutcome?.claimers?.map(({ wallet }) => wallet);
    expect(named).toEqual(expect.arrayContaining(strangers));
  });

  it.each(CONFIGS)(
    'asks while one of many claimers is missing from the address book: %s',
    (_name, inputs) => {
      const others = claimersOf(inputs).filter((each) => each !== WALLET);
      expect(by('creator', inputs, others.slice(1)).effect).toBe('require_approval');
      expect(by('creator', inputs, others)).toMatchObject({ effect: 'allow', ruleId: 'fee-plans' });
    },
  );
});

describe('a changed split and a launch', () => {
  const launches = ['bare curve launch', 'direct launch'];

  it.each([...SPLITS, ...launches.map((name) => [name, stage(name)] as const)])(
    'ask for any claimer: %s',
    (_name, inputs) => {
      const { tipWallet } = inputs.plan.request;
      const tipped = typeof tipWallet === 'string' ? [tipWallet] : [];
      for (const book of [tipped, [...tipped, ...claimersOf(inputs)]]) {
        const { effect, binding } = by('creator', inputs, book);
        expect([effect, binding]).toEqual(['require_approval', 'exact']);
      }
    },
  );
});

it('the template for trading signs no config, no split and no launch', () => {
  for (const [, inputs] of [...CONFIGS, ...SPLITS]) {
    expect(by('trader', inputs, claimersOf(inputs))).toMatchObject({
      effect: 'deny',
      reasonCodes: expect.arrayContaining(['NO_RULE']),
    });
  }
});
