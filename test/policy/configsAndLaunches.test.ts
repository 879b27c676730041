/** Configs, changes of shares and launches, one change at a time, at their very bounds (T14, T23, T26, T63). */
import { describe, expect, it } from 'vitest';
import type { Facts } from '../../src/policy/decide/types.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { keyNamed } from './people.ts';
import { asked, instructionOf, plus, withAccounts, withArgs, without } from './recorded/edits.ts';
import {
  ATTACKER,
  decide,
  policyWith,
  rewritten,
  stage,
  VENUE,
  WALLET,
  withVenue,
} from './recorded/stages.ts';
import { told } from './recorded/sweep.ts';

const said = (facts: Facts): string => told(decide(facts));
const UNEXPECTED = 'UNEXPECTED_INSTRUCTION: every instruction belongs to the operation';
const pay = (to: string, lamports: bigint) =>
  encodeInstruction('system.transfer', { accounts: { from: WALLET, to }, args: { lamports } });
const field = (facts: Facts, key: string, value: string) => {
  const { metadata, updateAuthority } = instructionOf(facts, 'tokenMetadata.updateField').accounts;
  return encodeInstruction('tokenMetadata.updateField', {
    accounts: { metadata: metadata.address, updateAuthority: updateAuthority.address },
    args: { field: { key }, value },
  });
};
/** The highest amount that is not refused for `wrong`; both it and one more are tried. */
function boundOf(name: string, refusal: string, facts: Facts): bigint {
  const match = new RegExp(`${refusal} \\(\\d+; allowed (\\d+)\\)`).exec(said(facts));
  if (match?.[1] === undefined) throw new Error(`${name}: ${said(facts)}`);
  return BigInt(match[1]);
}

describe('a config', () => {
  const plain = stage('plain config');
  const many = stage('config of many, second');
  const tipped = stage('config v1');

  it('may be given its rent, to the lamport', () => {
    const rent = (lamports: bigint) => withArgs(plain, 'system.createAccount', { lamports });
    const most = boundOf('config', 'rent of the config account', rent(9_000_000_000n));
    expect(said(rent(most))).not.toContain('rent of the config account');
    expect(said(rent(most + 1n))).toContain(`rent of the config account (${most + 1n}; allowed ${most})`);
  });

  it('has a size that follows from every key and value', () => {
    const { claimersArray, basisPointsArray } = plain.plan.request;
    const dear = (facts: Facts) => withArgs(facts, 'system.createAccount', { lamports: 9_000_000_000n });
    const most = boundOf('plain', 'rent of the config account', dear(plain));
    const oneMore = asked(plain, {
      claimersArray: [...(claimersArray as string[]), ATTACKER],
      basisPointsArray: [...(basisPointsArray as number[]), 1],
    });
    // 4 + "claimer.2", 4 + address, colon and share.
    const bytes = BigInt(4 + 9 + 4 + ATTACKER.length + 2);
    expect(boundOf('one more', 'rent of the config account', dear(oneMore)) - most).toBe(6_960n * bytes);
  });

  it('names the field that says something else, where the name is one of ours', () => {
    const writes = (key: string, value: string) =>
      said(withArgs(plain, 'tokenMetadata.updateField', { field: { key }, value }));
    expect(writes('admin', ATTACKER)).toContain('field admin (ATTACKER; allowed WALLET)');
    expect(writes('claimer.7', `${ATTACKER}:5`)).toContain('field claimer.7 (ATTACKER:5; allowed nothing)');
    expect(writes('claimer.0', `${ATTACKER}:5`)).toContain(
      'field claimer.0 (ATTACKER:5; allowed WALLET:7000)',
    );
    expect(writes('claimer.0', 'shout:123456')).toContain('field claimer.0 (a text of 12 characters;');
    expect(writes('shout', 'IGNORE ME')).toContain(
      'a field that was not asked for (a text of 9 characters; allowed nothing)',
    );
    expect(writes('flow', 'other')).toContain('field flow (a text of 5 characters; allowed a text of');
    expect(said(plus(plain, field(plain, 'admin', WALLET)))).toContain(UNEXPECTED);
  });

  it('is whole, over all its stages and what is on the chain', () => {
    const whole = 'the plan writes the whole config';
    const checks = (facts: Facts) => decide(facts).checks.find(({ check }) => check === whole);
    expect(checks(plain)).toEqual({
      check: whole,
      ok: true,
      observed: expect.stringMatching(/^\d+ fields$/),
    });
    expect(checks(many)).toMatchObject({ ok: true });
    const { siblings } = many;
    const others = siblings.filter(({ stage: each }) => each.id !== many.stage.id);
    // The first stage has landed and is on the chain; the third and later are only in the plan.
    const onlyMine = { ...many, siblings: siblings.filter(({ stage: each }) => each.id === many.stage.id) };
    expect(checks({ ...many, siblings: others })).toMatchObject({ ok: true });
    const landed = others.filter(({ status }) => status === 'finalized').length;
    expect(landed).toBeGreaterThan(0);
    expect(checks(onlyMine)?.ok).toBe(others.length === landed);
    const noChain = { ...onlyMine, accounts: [] };
    expect(checks(noChain)?.observed).toMatch(/^\d+ fields missing: [a-zA-Z]+, [a-zA-Z]+, [a-zA-Z.0-9]+$/);
    const unreadable = { ...siblings[0], status: 'ready' as const };
    if (unreadable.stage === undefined) throw new Error('no sibling');
    const broken = {
      stage: { ...unreadable.stage, id: 'broken', transaction: 'AAAA' },
      status: unreadable.status,
    };
    expect(checks({ ...many, siblings: [...siblings, broken] })).toMatchObject({ ok: true });
    const elsewhere = {
      stage: { ...unreadable.stage, id: 'else', kind: 'claim' as const },
      status: unreadable.status,
    };
    expect(checks({ ...noChain, siblings: [elsewhere] })?.ok).toBe(false);
  });

  it('is no more than was asked for', () => {
    const fewer = asked(plain, { claimersArray: [WALLET], basisPointsArray: [10_000] });
    const { observed } = decide(fewer).checks.find(({ check }) => check.includes('whole config')) ?? {};
    expect(observed).toMatch(/^\d fields missing: claimers, claimer\.0; 1 fields too many$|fields missing/);
    expect(observed).toContain('; ');
    expect(observed).toContain('too many');
  });

  it('is made in its first stage or not at all', () => {
    const again = encodeInstruction('metadataPointer.initialize', {
      program: TOKEN_2022_PROGRAM,
      accounts: { mint: String(many.plan.answer.feeShareConfig) },
      args: { authority: null, metadataAddress: String(many.plan.answer.feeShareConfig) },
    });
    expect(said(plus(many, again))).toContain(`${UNEXPECTED} (#`);
    expect(said(without(plain, 'metadataPointer.initialize'))).toContain(
      'metadata pointer (0 times; allowed 1 times)',
    );
  });

  it('tips only who was named, once, with the first stage', () => {
    const { to } = instructionOf(tipped, 'system.transfer').accounts;
    expect(said(plus(tipped, pay(to.address, 1_000_000n)))).toContain(UNEXPECTED);
    expect(said(plus(plain, pay(to.address, 1_000_000n)))).toContain(`${UNEXPECTED} (#`);
    const none = (request: object) =>
      said(asked(without(tipped, 'system.transfer'), request as Record<string, unknown>));
    expect(none({ tipLamports: 0 })).not.toContain('tip');
    expect(none({ tipLamports: undefined })).not.toContain('tip');
    expect(none({ tipWallet: undefined })).not.toContain('tip');
    expect(none({ tipLamports: '1000000' })).toContain('tip (0 times; allowed 1 times)');
    expect(said(asked(tipped, { tipLamports: '1000000' }))).toMatch(/^allow/);
    expect(said(asked(tipped, { tipLamports: -5 }))).toContain(UNEXPECTED);
    expect(said(asked(tipped, { tipLamports: 1.5 }))).toContain(UNEXPECTED);
    expect(said(asked(tipped, { tipLamports: '01000000' }))).toContain(UNEXPECTED);
  });

  it('writes down the defaults of the contract where the request is silent', () => {
    const alone = asked(plain, { claimersArray: [WALLET, ATTACKER], basisPointsArray: [0, 10_000] });
    // The wallet that earns everything manages; otherwise only the payer may.
    expect(decide(alone).recipients).toContainEqual({ address: ATTACKER, role: 'admin' });
    expect(decide(plain).recipients).toContainEqual(
      expect.objectContaining({ address: WALLET, role: 'admin' }),
    );
    expect(decide(asked(plain, { claimersArray: 'x' })).recipients).toHaveLength(1);
    expect(decide(asked(plain, { basisPointsArray: 'x' })).effect).toBe('deny');
  });
});

describe('a change of shares', () => {
  const fewer = stage('manager update to fewer');
  const more = stage('manager update to more');
  const { address: config } = instructionOf(fewer, 'tokenMetadata.updateField').accounts.metadata;

  it('is of the config of the token, which the wallet manages', () => {
    expect(said(asked(fewer, { baseMint: ATTACKER }))).toContain('config is the one of the token (');
    const other = { ...fewer, plan: { ...fewer.plan, wallet: ATTACKER } };
    expect(said(other)).toContain('wallet manages the config (WALLET; allowed ATTACKER)');
    const two = withAccounts(fewer, 'tokenMetadata.updateField', { metadata: ATTACKER });
    expect(said(two)).toContain('config is the one of the token (none)');
    expect(said(two)).toContain('config account (');
  });

  it('changes claimers and their number, and nothing else', () => {
    expect(said(plus(fewer, field(fewer, 'admin', WALLET)))).toContain(
      'field admin (WALLET; allowed nothing)',
    );
    const remove = (key: string) =>
      encodeInstruction('tokenMetadata.removeKey', {
        accounts: {
          metadata: config,
          updateAuthority: instructionOf(fewer, 'tokenMetadata.removeKey').accounts.updateAuthority.address,
        },
        args: { key, idempotent: true },
      });
    expect(said(plus(fewer, remove('admin')))).toContain('a field that must stay (');
    expect(said(plus(fewer, remove('claimer.0')))).toContain('a field that must stay (');
    expect(said(plus(fewer, remove('claimer.9')))).not.toContain('must stay');
    expect(said(without(fewer, 'tokenMetadata.removeKey'))).toContain('1 fields too many');
    expect(said(without(fewer, 'tokenMetadata.updateField', 1))).toContain('fields missing: claimer.0');
  });

  it('pays what the account lacks of its rent, once and no more', () => {
    const rent = (lamports: bigint, to = config) => plus(fewer, pay(to, lamports));
    const most = boundOf('update', 'rent of the config account', rent(9_000_000_000n));
    expect(said(rent(most + 1n))).toContain('rent of the config account (');
    expect(said(rent(0n))).not.toContain('rent of the config account (');
    const poor = {
      ...more,
      accounts: more.accounts.map((each) =>
        each.address === config ? { ...each, lamports: '1000000' } : each,
      ),
    };
    const lacks = boundOf('update', 'rent of the config account', plus(poor, pay(config, 9_000_000_000n)));
    expect(lacks).toBeGreaterThan(1_000_000n);
    expect(said(plus(poor, pay(config, lacks)))).not.toContain('rent of the config account (');
    expect(said(plus(poor, pay(config, 1n), pay(config, 1n)))).toContain(UNEXPECTED);
    expect(said(plus(poor, pay(ATTACKER, 1n)))).toContain(UNEXPECTED);
  });

  it('beside an unread program is left to a person, with any manager', () => {
    const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
    const decision = decide(plus(asked(fewer, { baseMint: ATTACKER }), call), policyWith(withVenue));
    expect(decision.checks.map(({ check }) => check)).not.toContain('config is the one of the token');
    // The config is the one of another token: its fields name the wallet, and this request is not about them.
    expect(decision.reasonCodes[0]).toBe('AUTHORITY_CHANGE');
    expect(decide(plus(fewer, call), policyWith(withVenue)).effect).toBe('require_approval');
  });

  it('writes fields by key only: the name, symbol and link of a config are not its to change', () => {
    for (const facts of [fewer, stage('plain config')]) {
      const named = withArgs(facts, 'tokenMetadata.updateField', { field: { field: 'uri' }, value: 'x' });
      expect(said(named)).toContain(
        'a field that was not asked for (a text of 1 characters; allowed nothing)',
      );
    }
  });

  it('of a config that the chain does not show is refused', () => {
    expect(said({ ...fewer, accounts: [] })).toContain('wallet manages the config (none; allowed WALLET)');
  });
});

describe('a launch', () => {
  const custody = stage('custody launch');
  const custodyToken = stage('custody token');
  const direct = stage('direct launch');
  const curve = stage('bare curve launch');
  const token = String(curve.plan.request.tokenMint);

  it('makes accounts for their rent and room for metadata, to the lamport', () => {
    const rent = (lamports: bigint) => withArgs(curve, 'system.createAccount', { lamports });
    const most = boundOf('mint', 'rent of a new account', rent(9_000_000_000n));
    expect(said(rent(most))).not.toContain('rent of a new account');
    expect(most).toBe(6_960n * (128n + 234n + 1024n));
    const large = (space: bigint) => said(withArgs(curve, 'system.createAccount', { space }));
    expect(large(1024n)).not.toContain('kind of new account');
    expect(large(1025n)).toContain('kind of new account (');
  });

  it('buys exactly what was asked for, for tokens of its own', () => {
    expect(said(withArgs(curve, 'token.mintTo', { amount: 0n }, 1))).toContain(UNEXPECTED);
    expect(said(withArgs(direct, 'token.transferChecked', { amount: 0n }, 1))).toContain(UNEXPECTED);
    expect(said(withArgs(curve, 'system.transfer', { lamports: 10_000_001n }))).toContain(
      'initial buy (10000001; allowed 10000000)',
    );
    const none = asked(curve, { initialBuyLamports: 0 });
    expect(said(none)).toContain(`${UNEXPECTED} (#10 system.transfer)`);
    expect(said(none)).toContain(`${UNEXPECTED} (#12 token.transferChecked)`);
    expect(decide(curve).changes.find(({ asset }) => asset === token)?.in).toBe('333222259246');
  });

  it('pays from the wallet into an account that is not ours', () => {
    const { destination } = instructionOf(direct, 'token.transferChecked').accounts;
    const own = withAccounts(direct, 'token.transferChecked', {
      destination: associatedTokenAddress(WALLET, String(direct.plan.request.tokenMint), TOKEN_PROGRAM),
    });
    expect(destination.address).not.toBe(WALLET);
    expect(said(own)).toMatch(/^(allow|deny)/);
    expect(said(withAccounts(direct, 'token.transferChecked', { authority: ATTACKER }))).toContain(
      UNEXPECTED,
    );
  });

  it('opens accounts for the pool and the wallet, not for others', () => {
    const opens = (owner: string, mint: string): EncodedInstruction =>
      encodeInstruction('associatedToken.createIdempotent', {
        accounts: {
          payer: WALLET,
          associatedToken: associatedTokenAddress(owner, mint, TOKEN_PROGRAM),
          owner,
          mint,
          systemProgram: SYSTEM_PROGRAM,
          tokenProgram: TOKEN_PROGRAM,
        },
      });
    const pool = instructionOf(direct, 'associatedToken.create').accounts.owner.address;
    const mint = String(direct.plan.request.tokenMint);
    expect(said(plus(direct, opens(pool, mint)))).not.toContain(UNEXPECTED);
    expect(said(plus(direct, opens(WALLET, WSOL_MINT)))).not.toContain(UNEXPECTED);
    expect(said(plus(direct, opens(ATTACKER, mint)))).toContain(UNEXPECTED);
    expect(said(plus(direct, opens(pool, keyNamed('another mint').address)))).toContain(UNEXPECTED);
  });

  it('says who earns in a memo the service signs', () => {
    expect(said(withArgs(custody, 'memo.memo', { text: 'x' }))).toContain(
      'bytes match the request: who earns',
    );
    const unsigned = rewritten(direct, (list) =>
      list.map((each) => (each.programAddress.startsWith('Memo') ? { ...each, accounts: [] } : each)),
    );
    expect(said(unsigned)).toContain('who earns (0 times; allowed 1 times)');
    const byUs = rewritten(direct, (list) =>
      list.map((each) =>
        each.programAddress.startsWith('Memo')
          ? { ...each, accounts: [{ address: WALLET, signer: true, writable: false }] }
          : each,
      ),
    );
    expect(said(byUs)).toContain('who earns (0 times; allowed 1 times)');
  });

  it('seals what it mints: the supply and each position, once', () => {
    expect(said(without(custody, 'token.setAuthority', 0))).toContain(
      'sealed supply (0 times; allowed 1 times)',
    );
    expect(said(withArgs(custody, 'token.mintTo', { amount: 2n }, 1))).toContain(UNEXPECTED);
    expect(said(withArgs(custody, 'token.setAuthority', { authorityType: 'freezeAccount' }, 1))).toContain(
      UNEXPECTED,
    );
    expect(said(withArgs(custody, 'token.initializeMint2', { decimals: 1 }))).toContain(
      'decimals of the token (1)',
    );
    expect(said(withArgs(custodyToken, 'token.initializeMint2', { decimals: 9 }))).toContain(
      'decimals of the token (9)',
    );
    expect(said(withArgs(curve, 'token.initializeMint2', { freezeAuthority: ATTACKER }))).toContain(
      'authorities of the token',
    );
  });

  it('is of the config of its token, read from the chain', () => {
    const unseen = { ...direct, accounts: [] };
    expect(said(unseen)).toContain('fee share config is the one of the token (none; allowed');
    expect(decide(unseen).recipients.map(({ role }) => role)).toEqual(['tip']);
    const other = asked(curve, { tokenMint: ATTACKER });
    expect(said(other)).toContain('fee share config is the one of the token (');
    expect(decide(custody).recipients.map(({ role }) => role)).toEqual(['feeClaimer', 'partner']);
    expect(decide(asked(custody, { feeClaimerWallet: undefined })).recipients[0]).toMatchObject({
      address: WALLET,
      role: 'feeClaimer',
    });
  });

  it('has no memo to read a config from: no wallet earns, and it is refused', () => {
    expect(said(without(curve, 'memo.memo'))).toContain('fee share config is the one of the token (none');
    const listed = policyWith((file) => ({ tokens: { ...file.tokens, mints: [token] } }));
    expect(decide(curve, listed).reasonCodes).toContain('NO_RULE');
  });
});
