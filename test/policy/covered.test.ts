/** Coverage of a stage by its approval (T40, T59). */
import { describe, expect, it } from 'vitest';
import { createTable, extendTable, planTable } from '../../sandbox/service/build/lookupTable.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { decisive, freezeKey, judged, ownerOf } from '../../src/policy/decide/reasons.ts';
import type { Check, DecisionInputs, ReasonCode } from '../../src/policy/decide/types.ts';
import type { CheckId } from '../../src/policy/decide/words/names.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { STAKE_PROGRAM } from '../../src/transaction/programs.ts';
import { decodeWire } from '../../src/transaction/wire.ts';
import { approvalOfStage, coverage } from './approving.ts';
import { keyNamed } from './people.ts';
import { withRaw, withRequest } from './recorded/edits.ts';
import { ATTACKER, policyAskingFor, rewritten, stage, stated, WALLET } from './recorded/stages.ts';

const plain = stage('plain config');
const UNSUPPORTED = 'config with an unsupported program';
const other = keyNamed('something else').address;
const COVERED = { covered: true };

/** Returns whether the approval of a recorded stage covers a changed version of it. */
const covers = (name: string, changed: DecisionInputs) =>
  coverage(approvalOfStage(stage(name), policyAskingFor(name)), changed, policyAskingFor(name));

/** Replaces an address in the table of a stage's plan: in the stages that fill it, and in its chain content. */
function filledWith(inputs: DecisionInputs, entry: string, address: string): DecisionInputs {
  const { siblings, tables } = inputs;
  const [old, now] = [entry, address].map((each) => Buffer.from(decodeWire(each, 'base58')));
  const filled = (sibling: DecisionInputs['siblings'][number]): DecisionInputs['siblings'][number] => {
    if (sibling.stage.kind !== 'lookup_table_setup') return sibling;
    const transaction = Buffer.from(sibling.stage.transaction.text, 'base64');
    const at = transaction.indexOf(old ?? '');
    if (at >= 0 && now !== undefined) now.copy(transaction, at);
    return { ...sibling, stage: { ...sibling.stage, transaction: DecodedStage.ofBytes(transaction) } };
  };
  const held = (each: string) => (each === entry ? address : each);
  return {
    ...inputs,
    siblings: siblings.map(filled),
    tables: tables.map((table) => ({ ...table, addresses: table.addresses.map(held) })),
  };
}

describe('an approval', () => {
  it('belongs to one network, wallet, mode, policy, intent, operation, endpoint and request', () => {
    const plan = (change: Partial<DecisionInputs['plan']>) =>
      covers('plain config', { ...plain, plan: { ...plain.plan, ...change } });
    for (const [field, value] of [
      ['network', other],
      ['wallet', other],
      ['mode', 'live'],
      ['intentKey', 'another'],
      ['operation', 'launch'],
      ['endpoint', 'another'],
    ] as const)
      expect(plan({ [field]: value })).toEqual({ covered: false, line: 'scope', key: field });
    expect(covers('plain config', withRequest(plain, { note: 'x' }))).toMatchObject({ key: 'requestDigest' });
    const approval = approvalOfStage(plain, policyAskingFor('plain config'));
    expect(coverage(approval, plain, policyAskingFor(UNSUPPORTED))).toMatchObject({ key: 'policyHash' });
    expect(plan({ planId: 'another', answer: {} })).toEqual(COVERED);
  });

  it('covers the stage under another id, decided at another time and before it is due', () => {
    expect(
      covers('plain config', { ...plain, stage: { ...plain.stage, id: 'another' }, time: plain.time + 5 }),
    ).toEqual(COVERED);
    expect(
      covers('plain config', { ...plain, purpose: 'preview', simulation: { status: 'not_yet' } }),
    ).toEqual(COVERED);
  });

  it('does not depend on the quote id: a fresh quote of the same trade is the same request', () => {
    const swap = stage('swap of SOL');
    expect(covers('swap of SOL', withRequest(swap, { requestId: 'another' }))).not.toMatchObject({
      line: 'scope',
    });
    expect(covers('swap of SOL', withRequest(swap, { userPublicKey: other }))).toMatchObject({
      key: 'requestDigest',
    });
  });

  it('covers neither another claimer nor other shares, nor an omitted part', () => {
    const changes = [
      withRaw(plain, FEE_SHARE_PROGRAM, 0, ({ accounts, ...each }) => ({
        ...each,
        accounts: accounts.map((use, i) => (i === accounts.length - 1 ? { ...use, address: ATTACKER } : use)),
      })),
      rewritten(plain, (list) => list.slice(1)),
      rewritten(plain, (list) => list.slice(0, -1)),
    ];
    for (const changed of changes) expect(covers('plain config', changed).covered).toBe(false);
  });
});

describe('an approval of a stage with an unsupported instruction', () => {
  const unsupported = stage(UNSUPPORTED);
  const pinned = stated(unsupported, policyAskingFor(UNSUPPORTED));

  it('covers it again with another blockhash and unchanged', () => {
    const blockhash = keyNamed('another blockhash').address;
    const fresh = rewritten(unsupported, (list) => list, { blockhash });
    const { declared } = fresh.stage;
    expect(covers(UNSUPPORTED, unsupported)).toEqual(COVERED);
    const honest = approvalOfStage(
      rewritten(unsupported, (list) => list),
      policyAskingFor(UNSUPPORTED),
    );
    const again = { ...fresh, stage: { ...fresh.stage, declared: { ...declared, blockhash } } };
    expect(coverage(honest, again, policyAskingFor(UNSUPPORTED))).toEqual(COVERED);
  });

  it.each<[string, (inputs: DecisionInputs) => DecisionInputs]>([
    [
      'another operand',
      (inputs) =>
        rewritten(inputs, (list) =>
          list.map((each, i) =>
            i === list.length - 1 ? { ...each, data: Uint8Array.of(...each.data, 7) } : each,
          ),
        ),
    ],
    ['another order of its instructions', (inputs) => rewritten(inputs, (list) => list.toReversed())],
    [
      'an account that may be written',
      (inputs) =>
        rewritten(inputs, (list) =>
          list.map((each) => ({
            ...each,
            accounts: each.accounts.map((use) => ({ ...use, writable: true })),
          })),
        ),
    ],
    [
      'accounts in another order',
      (inputs) =>
        rewritten(inputs, (list) => list.map((each) => ({ ...each, accounts: each.accounts.toReversed() }))),
    ],
    ['no limit of its computing', (inputs) => rewritten(inputs, (list) => list, { budget: [] })],
  ])('does not cover %s', (_, change) => {
    const honest = rewritten(unsupported, (list) => list);
    const approval = approvalOfStage(honest, policyAskingFor(UNSUPPORTED));
    expect(coverage(approval, honest, policyAskingFor(UNSUPPORTED))).toEqual(COVERED);
    const changed = change(honest);
    expect(changed.stage.transaction.text).not.toBe(honest.stage.transaction.text);
    expect(coverage(approval, changed, policyAskingFor(UNSUPPORTED)).covered).toBe(false);
  });

  it('does not cover the same bytes once a lookup table of the plan contains another account', () => {
    const name = 'custody launch';
    const [launch, policy] = [stage(name), policyAskingFor(name)];
    const approval = approvalOfStage(launch, policy);
    expect(coverage(approval, filledWith(launch, other, other), policy)).toEqual(COVERED);
    const changed = launch.tables
      .flatMap(({ addresses }) => addresses)
      .map((entry) => filledWith(launch, entry, ATTACKER))
      .filter((inputs) => stated(inputs, policy).effect !== 'deny');
    expect(changed.length).toBeGreaterThan(0);
    for (const inputs of changed) {
      expect(inputs.stage.transaction.text).toBe(launch.stage.transaction.text);
      expect(coverage(approval, inputs, policy).covered).toBe(false);
    }
  });

  it('does not cover it once other code is deployed, or the named programs change', () => {
    const programs = unsupported.programs ?? [];
    expect(programs.length).toBeGreaterThan(0);
    const replaced = programs.map((each) => ({ ...each, deployedSlot: (each.deployedSlot ?? 0) + 1 }));
    const unknown = programs.map(({ deployedSlot: _, ...each }) => each);
    for (const changed of [replaced, unknown, [], [...programs, { address: other, deployedSlot: 7 }]])
      expect(covers(UNSUPPORTED, { ...unsupported, programs: changed }).covered).toBe(false);
  });

  it('covers it once', () => {
    const approval = approvalOfStage(unsupported, policyAskingFor(UNSUPPORTED));
    const { statement, pin } = pinned;
    const before = (state: 'landed' | 'inFlight' | 'failed') =>
      coverage(approval, unsupported, policyAskingFor(UNSUPPORTED), [
        { stageId: 'before', state, statement, ...(pin === undefined ? {} : { pin }) },
      ]);
    for (const state of ['landed', 'inFlight'] as const) expect(before(state).covered).toBe(false);
  });
});

describe("a plan's own lookup table", () => {
  const claim = stage('holding claim');
  /** The setup of a table in a recent slot, before the claim is built. */
  function setup(slot: number, entries = 3): DecisionInputs {
    const addresses = Array.from({ length: entries }, (_, i) => keyNamed(`entry ${i}`).address);
    const { table, recentSlot } = planTable(WALLET, slot, addresses);
    const { stage: made } = rewritten(stage('custody table'), () => [
      createTable(WALLET, recentSlot),
      extendTable(table, WALLET, addresses),
    ]);
    return {
      ...{ ...claim, purpose: 'preview', stage: made, siblings: [{ stage: made, status: 'ready' }] },
      ...{ tables: [], simulation: { status: 'not_yet' } },
    };
  }
  const approval = approvalOfStage(setup(1_000), policyAskingFor(''));

  it('counts by its role, since every rebuild creates another, with its cost', () => {
    expect(approval.statement.lines.some(({ id }) => id === 'pays')).toBe(true);
    expect(coverage(approval, setup(1_000), policyAskingFor(''))).toEqual(COVERED);
    expect(coverage(approval, setup(2_000), policyAskingFor(''))).toEqual(COVERED);
    expect(coverage(approval, setup(2_000, 4), policyAskingFor(''))).toMatchObject({ line: 'pays' });
  });
});

const failed = (code: ReasonCode, id: CheckId = 'secondRpc', params?: Check['params']): Check => ({
  id,
  ok: false,
  code,
  ...(params === undefined ? {} : { params }),
});
const simulated = (check: Check): Check => ({ ...check, simulated: true });
const [one = '', otherProgram = ''] = ['one program', 'another program']
  .map((name) => keyNamed(name).address)
  .sort();
const unlisted = (program = one) => failed('PROGRAM_NOT_ALLOWED', 'programAllowed', { program });
const unlistedOwner = (program = one) => failed('AUTHORITY_CHANGE', 'unlistedOwner', { program });
const keyOf = (...checks: readonly Check[]) => freezeKey({ checks, messageSha256: 'this message' });

describe('denials that count toward a freeze', () => {
  it.each<[string, readonly Check[]]>([
    ['if nothing else failed', []],
    ['if its instructions are unsupported', [failed('INSTRUCTION_UNKNOWN')]],
    [
      'if its own instruction was not expected',
      [failed('UNEXPECTED_INSTRUCTION', 'instructionBelongs', { program: one })],
    ],
    ['if an instruction is missing', [failed('REQUEST_MISMATCH', 'partThere', { part: 'swap' })]],
    ['if something else does not match', [failed('REQUEST_MISMATCH', 'noStrangerFreezes')]],
    ['if a simulation shows a loss', [simulated(failed('UNDECLARED_LOSS', 'leavesByBytes'))]],
    ['if a rule is missing too', [failed('NO_RULE'), failed('LIMIT_EXCEEDED'), failed('STAGE_ORDER')]],
    ['if one of its accounts names the wallet', [unlistedOwner()]],
  ])('%s', (_, checks) => {
    expect(keyOf(unlisted(), ...checks)).toBe(`program ${one}`);
    expect(keyOf({ ...unlisted(otherProgram), ok: true }, ...checks, unlisted())).toBe(`program ${one}`);
  });

  it.each<[string, readonly Check[]]>([
    ['if a supported instruction causes a loss', [failed('UNDECLARED_LOSS', 'nothingGranted')]],
    [
      'if an instruction of another program was not expected',
      [failed('UNEXPECTED_INSTRUCTION', 'instructionBelongs', { program: otherProgram })],
    ],
    ['if an unexpected instruction is not named', [failed('UNEXPECTED_INSTRUCTION', 'instructionBelongs')]],
    [
      'if a supported instruction differs',
      [failed('REQUEST_MISMATCH', 'matchesRequest', { part: 'amount' })],
    ],
    ['if its effect is unknown', [failed('REQUEST_MISMATCH', 'matchesRequest')]],
    ['if a right is granted', [failed('AUTHORITY_CHANGE')]],
    ['if an address resembles a known one', [failed('RECIPIENT_LOOKALIKE')]],
    ['if a security check has no code', [{ id: 'secondRpc', ok: false }]],
  ])('count as their own message %s', (_, checks) => {
    expect(keyOf(unlisted(), ...checks)).toBe('this message');
    // A passed check is no attack.
    const passed = checks.map((check) => ({ ...check, ok: true }));
    expect(keyOf(unlisted(), ...passed)).toBe(`program ${one}`);
  });

  it('count as several, in a fixed order, each once', () => {
    expect(keyOf(unlisted(otherProgram), unlisted(one), unlisted(otherProgram))).toBe(
      `program ${one} ${otherProgram}`,
    );
    expect(
      keyOf(
        unlisted(otherProgram),
        unlisted(one),
        failed('UNEXPECTED_INSTRUCTION', 'instructionBelongs', { program: one }),
      ),
    ).toBe(`program ${one} ${otherProgram}`);
    expect(keyOf(unlistedOwner(otherProgram), unlisted(one))).toBe(`program ${one} ${otherProgram}`);
  });

  it('count as their own message without an unlisted program, or with one that no policy could list', () => {
    expect(keyOf(failed('NO_RULE'))).toBe('this message');
    expect(keyOf()).toBe('this message');
    expect(keyOf(unlisted(STAKE_PROGRAM))).toBe('this message');
    expect(keyOf(failed('PROGRAM_NOT_ALLOWED', 'programAllowed'))).toBe('this message');
    expect(keyOf(failed('PROGRAM_NOT_ALLOWED', 'acceptedCode', { program: one }))).toBe('this message');
  });

  it('count for an account of an unlisted program only if nothing else is wrong', () => {
    expect(keyOf(unlistedOwner())).toBe(`program ${one}`);
    expect(keyOf(unlistedOwner(), failed('NO_RULE'))).toBe(`program ${one}`);
    expect(keyOf(unlistedOwner(), failed('UNDECLARED_LOSS'))).toBe('this message');
    expect(ownerOf(unlistedOwner())).toBe(one);
    expect(ownerOf({ ...unlistedOwner(), ok: true })).toBeUndefined();
    expect(ownerOf(failed('AUTHORITY_CHANGE', 'unlistedOwner'))).toBeUndefined();
    expect(ownerOf(failed('AUTHORITY_CHANGE', 'reach', { program: one }))).toBeUndefined();
  });
});

describe('reasons of an expired transaction', () => {
  const expired: Check = { ...failed('LIFETIME_MISMATCH', 'blockhashAlive'), class: 'availability' };
  const classes = (...checks: readonly Check[]) => judged(checks).map((check) => check.class);
  const codes = (...checks: readonly Check[]) => decisive(judged(checks)).map(({ code }) => code);

  it.each<[string, Check]>([
    ['a comparison with chain accounts', failed('REQUEST_MISMATCH')],
    ['a loss', failed('UNDECLARED_LOSS')],
    ['a table', failed('LOOKUP_TABLE_UNRESOLVED')],
    ['a simulated grant of a right', simulated(failed('AUTHORITY_CHANGE', 'nothingGranted'))],
    ['the code of a program', failed('PROGRAM_NOT_ALLOWED', 'acceptedCode')],
    ['a check without a code', { id: 'secondRpc', ok: false }],
  ])('%s may be out of date and is no attack', (_, check) => {
    expect(classes(check, expired)).toEqual(['availability', 'availability']);
    expect(codes(check, expired)).toEqual(['LIFETIME_MISMATCH']);
    // The same while it can still land.
    expect(classes(check)).toEqual([undefined]);
    expect(decisive([check])).toEqual([check]);
  });

  it.each<[string, Check]>([
    ['a grant in the bytes', failed('AUTHORITY_CHANGE')],
    ['a loss caused by a single instruction', failed('UNDECLARED_LOSS', 'nothingGranted')],
    ['another blockhash than the declared one', failed('LIFETIME_MISMATCH')],
    ['a program the policy does not list', failed('PROGRAM_NOT_ALLOWED', 'programAllowed')],
  ])('%s is unchanged', (_, check) => {
    expect(classes(check, expired)).toEqual([undefined, 'availability']);
    expect(codes(expired, check)).toContain(check.code);
  });

  it('name only its expiry, and reasons that do not depend on time', () => {
    const others = (['NO_RULE', 'LIMIT_EXCEEDED', 'APPROVAL_REQUIRED', 'REPLAY'] as const).map((code) =>
      failed(code),
    );
    expect(classes(...others, expired)).toEqual([undefined, undefined, undefined, undefined, 'availability']);
    expect(codes(...others, expired, failed('SIGNER_UNAVAILABLE'), failed('FROZEN'))).toEqual([
      'FROZEN',
      'LIFETIME_MISMATCH',
      'SIGNER_UNAVAILABLE',
    ]);
    const passed: Check = { id: 'secondRpc', ok: true };
    expect(judged([passed, expired])).toEqual([passed, expired]);
    expect(decisive([passed, expired])).toEqual([expired]);
    // A passed expiry check is not an expiry.
    expect(codes(...others, { ...expired, ok: true })).toHaveLength(4);
  });

  it('excuse nothing if the blockhash differs from the declared one', () => {
    const attack = [failed('LIFETIME_MISMATCH'), failed('REQUEST_MISMATCH'), failed('UNDECLARED_LOSS')];
    expect(classes(...attack)).toEqual([undefined, undefined, undefined]);
    expect(codes(...attack)).toEqual(['LIFETIME_MISMATCH', 'UNDECLARED_LOSS', 'REQUEST_MISMATCH']);
  });
});
