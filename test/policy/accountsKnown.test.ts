/** Lookup tables, tokens and lookalikes: known accounts of a transaction (T27–T31, T36, T55, T58). */

import { describe, expect, it } from 'vitest';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { Check, DecisionInputs } from '../../src/policy/decide/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import type { LookupTableFact } from '../../src/rpc/types.ts';
import { TOKEN_2022_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { keyNamed } from './people.ts';
import { instructionOf, plus, quoted, without, withRequest } from './recorded/edits.ts';
import { decide, embeddedWith, instructionsOf, stage, WALLET } from './recorded/stages.ts';

const failed = (
  inputs: DecisionInputs,
  change: (file: PolicyFile) => Partial<PolicyFile> = () => ({}),
): Check[] => decide(inputs, embeddedWith(change)).checks.filter(({ ok }) => !ok);

describe('a lookup table', () => {
  const launch = stage('custody launch');
  const used = launch.tables;
  const [table] = used;
  if (table === undefined) throw new Error('no table');
  const check = 'tableReliable';
  const having = (change: Partial<LookupTableFact>, more: Partial<DecisionInputs> = {}): DecisionInputs => ({
    ...launch,
    ...more,
    tables: used.map((each) => (each.table === table.table ? { ...each, ...change } : each)),
  });
  const refusal = (inputs: DecisionInputs) => {
    const [first] = failed(inputs);
    return [first?.code, first?.id, first?.observed?.split(': ')[1], first?.class];
  };

  /** The same launch with a table set up by another wallet. */
  const withoutSetup = {
    siblings: launch.siblings.filter(({ stage: each }) => each.kind !== 'lookup_table_setup'),
    stage: { ...launch.stage, dependsOn: [] },
  };

  it('is recorded with its contents', () => {
    expect(decide(launch).checks).toContainEqual({
      id: check,
      ok: true,
      observed: `${table.table}: ${table.addresses.length} addresses, ${table.dataSha256}`,
    });
  });

  it.each<[string, DecisionInputs, string, Check['class']]>([
    ['was not found', { ...launch, tables: [] }, 'not found by our RPC', 'availability'],
    ['was deactivated', having({ deactivationSlot: '5' }), 'deactivated', 'security'],
    [
      'was extended in the slot it was read in',
      having({ lastExtendedSlot: table.slot }),
      'extended in this slot',
      'availability',
    ],
    ['is only in the setup bytes', having({ source: 'setup' }), 'not on the chain yet', 'availability'],
    [
      'holds another address than its setup put there',
      having({ addresses: table.addresses.with(0, keyNamed('x').address) }),
      'holds other addresses than the plan put there',
      'security',
    ],
    [
      'holds one more',
      having({ addresses: [...table.addresses, keyNamed('x').address] }),
      'holds other addresses than the plan put there',
      'security',
    ],
  ])('that %s is refused', (_, inputs, why, kind) => {
    expect(refusal(inputs)).toEqual(['LOOKUP_TABLE_UNRESOLVED', check, why, kind]);
    expect(decide(inputs).checks.map((each) => each.id)).not.toContain('accountsKnown');
  });

  it('is found among several', () => {
    const other = { ...table, table: keyNamed('another table').address, addresses: [] };
    expect(failed({ ...launch, tables: [other, ...used] })).toEqual([]);
  });

  it('read a slot later, or previewed before its setup landed, is accepted', () => {
    expect(failed(having({ lastExtendedSlot: table.slot - 1 }))).toEqual([]);
    expect(failed(having({ lastExtendedSlot: table.slot, source: 'setup' }, { purpose: 'preview' }))).toEqual(
      [],
    );
  });

  it('that was not set up in this plan may have any contents', () => {
    const alone = withoutSetup;
    expect(failed(having({ addresses: [...table.addresses, keyNamed('x').address] }, alone))).toEqual([]);
  });

  it('that is too short for an index leaves an account unknown', () => {
    const alone = withoutSetup;
    const short = failed(having({ addresses: table.addresses.slice(0, 1) }, alone));
    expect(short).toEqual([{ id: 'accountsKnown', ok: false, code: 'LOOKUP_TABLE_UNRESOLVED' }]);
  });

  it('is set up by setup stages only, and is empty when only created', () => {
    const [setup] = launch.siblings.filter(({ stage: each }) => each.kind === 'lookup_table_setup');
    if (setup === undefined) throw new Error('no setup');
    const more = { addresses: [...table.addresses, keyNamed('x').address] };
    const kind = (siblings: DecisionInputs['siblings']) => ({
      ...withoutSetup,
      siblings: [...withoutSetup.siblings, ...siblings],
    });
    const claimed = { ...setup, stage: { ...setup.stage, kind: 'claim' as const } };
    expect(failed(having(more, kind([claimed])))).toEqual([]);
    const onlyMade = { ...stage('custody table'), tables: [] };
    let made: DecisionInputs = onlyMade;
    while (instructionsOf(made).some((each) => each.kind === 'lookupTable.extend'))
      made = without(made, 'lookupTable.extend');
    const empty = { ...setup, stage: made.stage };
    expect(refusal({ ...launch, ...kind([empty]) })[2]).toBe('holds other addresses than the plan put there');
  });

  it('is assembled from every setup stage; unsupported ones add nothing', () => {
    const [setup] = launch.siblings.filter(({ stage: each }) => each.kind === 'lookup_table_setup');
    if (setup === undefined) throw new Error('no setup');
    const twice = { siblings: [...launch.siblings, { ...setup, stage: { ...setup.stage, id: 'again' } }] };
    expect(refusal({ ...launch, ...twice })[2]).toBe('holds other addresses than the plan put there');
    const broken = {
      ...setup,
      stage: { ...setup.stage, id: 'broken', transaction: new DecodedStage('AAAA') },
    };
    expect(failed({ ...launch, siblings: [...launch.siblings, broken] })).toEqual([]);
  });
});

describe('a token', () => {
  const swap = stage('swap for a taxed token');
  const taxed = String(swap.quote?.quote.outputMint);
  const other = String(swap.quote?.quote.inputMint);
  /** Failed checks without the questions about the issuer's powers. */
  const refused: typeof failed = (inputs, change) =>
    failed(inputs, change).filter(({ code }) => code !== 'ISSUER_POWER' && code !== 'APPROVAL_REQUIRED');

  it('must be listed if the policy lists any', () => {
    const only = (...mints: string[]) => refused(swap, (file) => ({ tokens: { ...file.tokens, mints } }));
    expect(only(taxed, other)).toEqual([]);
    expect(only(taxed)).toEqual([{ id: 'tokenListed', ok: false, code: 'NO_RULE', observed: other }]);
    expect(only('SOL').map(({ observed }) => observed)).toEqual([other, taxed]);
    const inSol = refused(stage('swap of SOL'), (file) => ({ tokens: { ...file.tokens, mints: ['SOL'] } }));
    expect(inSol.map(({ observed }) => observed)).toEqual([stage('swap of SOL').quote?.quote.outputMint]);
  });

  it('gives no other key a right that the policy denies, nor an unknown one', () => {
    const deny = (...names: string[]) => refused(swap, () => ({ tokens: { extensions: { deny: names } } }));
    expect(deny()).toEqual([]);
    expect(deny('transferFee', 'pausable')).toEqual([]);
    const [power] = decide(swap).checks.filter(({ id }) => id === 'noDeniedPower');
    expect(power).toMatchObject({ ok: true, observed: expect.stringContaining(': none') });
    const names = deny('transferFeeConfig', 'permanentDelegate');
    expect(names.map(({ code, observed }) => [code, observed])).toEqual([
      ['TOKEN_EXTENSION_DENIED', `${taxed}: transferFeeConfig`],
    ]);
    const unknown = withExtension(swap, taxed, 9_999);
    expect(refused(unknown, () => ({ tokens: { extensions: { deny: [] } } }))[0]?.observed).toMatch(
      /unknown/,
    );
  });

  it('is checked wherever it is moved, even if the request does not name it', () => {
    const config = { ...stage('config v1'), accounts: [...stage('config v1').accounts, ...swap.accounts] };
    const moves = (kind: 'token.transferChecked' | 'transferFee.transferCheckedWithFee') => {
      const accounts = {
        source: keyNamed('a').address,
        mint: taxed,
        destination: keyNamed('b').address,
        authority: WALLET,
      };
      const moved =
        kind === 'token.transferChecked'
          ? encodeInstruction(kind, { accounts, args: { amount: 1n, decimals: 6 } })
          : encodeInstruction(kind, { accounts, args: { amount: 1n, decimals: 6, fee: 0n } });
      return refused(plus(config, moved), () => ({
        tokens: { extensions: { deny: ['transferFeeConfig'] } },
      }));
    };
    for (const kind of ['token.transferChecked', 'transferFee.transferCheckedWithFee'] as const) {
      expect(moves(kind)).toContainEqual({
        id: 'noDeniedPower',
        ok: false,
        code: 'TOKEN_EXTENSION_DENIED',
        observed: `${taxed}: transferFeeConfig`,
      });
    }
  });

  it('that cannot be checked is not traded', () => {
    const unseen = { ...swap, accounts: swap.accounts.filter(({ address }) => address !== other) };
    expect(refused(unseen)).toContainEqual({
      id: 'tokenVisible',
      ok: false,
      code: 'TOKEN_EXTENSION_DENIED',
      observed: other,
    });
    const config = withRequest(stage('plain config'), { quoteMint: keyNamed('unseen').address });
    expect(refused(config).map(({ id }) => id)).not.toContain('tokenVisible');
    const sol = stage('swap of SOL');
    const withoutSol = { ...sol, accounts: sol.accounts.filter(({ address }) => address !== WSOL_MINT) };
    expect(refused(withoutSol)).toEqual([]);
  });

  it('may charge no more than the requested limits, now or by its next schedule (T29)', () => {
    const limit = (basisPoints: number, maximumFeeRaw: string, of = taxed) =>
      withRequest(swap, {
        feeLimits: [{ asset: { mint: of, tokenProgram: TOKEN_2022_PROGRAM }, basisPoints, maximumFeeRaw }],
      });
    const charges = refused(limit(0, '0')).filter(({ id }) => id === 'askedTransferFee');
    expect(charges).toHaveLength(2);
    expect(charges[0]).toMatchObject({
      code: 'REQUEST_MISMATCH',
      observed: `1%, at most 5 of ${taxed}`,
      allowed: `0%, at most 0 of ${taxed}`,
    });
    expect(refused(limit(100, '5000000'))).toEqual([]);
    expect(refused(limit(99, '5000000'))).toHaveLength(2);
    expect(refused(limit(100, '4999999'))).toHaveLength(2);
    expect(refused(limit(0, '0', other))).toEqual([]);
    expect(refused(withRequest(swap, { feeLimits: 'none' }))).toEqual([]);
    expect(refused(withRequest(swap, { feeLimits: [{ asset: taxed }, null, 5] }))).toEqual([]);
  });
});

/** The mint with one more, empty extension of a type. */
function withExtension(inputs: DecisionInputs, address: string, type: number): DecisionInputs {
  return {
    ...inputs,
    accounts: inputs.accounts.map((each) =>
      each.address === address
        ? {
            ...each,
            data: Buffer.concat([
              Buffer.from(each.data, 'base64'),
              Buffer.of(type & 255, type >> 8, 0, 0),
            ]).toString('base64'),
          }
        : each,
    ),
  };
}

describe('an address that resembles a known one (T58)', () => {
  const swap = stage('swap of SOL');
  const to = instructionOf(swap, 'system.transfer', 1).accounts.to.address;
  /** A key whose address has the same first and last characters. */
  const alike = (address: string, keep = 4) =>
    `${address.slice(0, keep)}${[...address.slice(keep, -4)].map((c) => (c === 'A' ? 'B' : 'A')).join('')}${address.slice(-4)}`;
  const book =
    (...addresses: string[]) =>
    () => ({ addressBook: addresses.map((address, i) => ({ label: `friend ${i}`, address })) });
  const near = alike(to);

  it('is refused wherever it occurs, with the address it resembles', () => {
    expect(failed(swap, book(near))).toEqual([
      { id: 'noLookalike', ok: false, code: 'RECIPIENT_LOOKALIKE', observed: to, allowed: near },
    ]);
    expect(failed(swap, book(near, to))).toEqual([]);
  });

  it('may be an address of the service, of this home, or one that a config names', () => {
    const named = { ...swap, serviceAddresses: [{ label: 'treasury twin', address: near }] };
    expect(failed(named).map(({ code }) => code)).toEqual(['RECIPIENT_LOOKALIKE']);
    expect(failed({ ...swap, ourWallets: [...swap.ourWallets, near] }).map(({ code }) => code)).toEqual([
      'RECIPIENT_LOOKALIKE',
    ]);
    const config = stage('plain config');
    const claimer = String((config.plan.request.claimersArray as readonly string[])[1]);
    expect(failed(config, book(alike(claimer)))[0]).toMatchObject({
      code: 'RECIPIENT_LOOKALIKE',
      observed: claimer,
    });
  });

  it('is searched for among recipients of the request and loaded accounts', () => {
    const launch = stage('custody launch');
    const feeClaimer = String(launch.plan.request.feeClaimerWallet);
    expect(failed(launch, book(alike(feeClaimer))).map(({ observed }) => observed)).toEqual([feeClaimer]);
    const held =
      launch.tables[0]?.addresses.find((each) => !launch.stage.declared.requiredSigners?.includes(each)) ??
      '';
    const loaded = failed(launch, book(alike(held))).filter(({ code }) => code === 'RECIPIENT_LOOKALIKE');
    expect(loaded.map(({ observed }) => observed)).toEqual([held]);
  });

  it('may also be the mint of a quote', () => {
    const quoteMint = String(swap.quote?.quote.outputMint);
    expect(failed(quoted(swap, {}), book(alike(quoteMint)))[0]?.observed).toBe(quoteMint);
  });
});
