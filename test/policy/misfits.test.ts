/** Instructions that do not fit their program's layout, and misfits of readers (T150). */
import { describe, expect, it } from 'vitest';
import { STOCK_PROGRAMS } from '../../src/policy/decide/checks/deniedPrograms.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { UnsupportedProgram } from '../../src/policy/file/schema.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { PROGRAMS } from '../../src/programs/index.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { type Layout, writeLayout } from '../../src/programs/layout.ts';
import type { ProgramReader } from '../../src/programs/program.ts';
import { isUnsupported, misfitOf, readInstruction } from '../../src/programs/read.ts';
import { serviceProgram } from '../../src/review/templates/servicePrograms.ts';
import { COMPUTE_BUDGET_PROGRAM, SYSTEM_PROGRAM } from '../../src/transaction/programs.ts';
import fc from '../fc.ts';
import { ROUTER_VECTORS } from '../oracle/vectors/routers.ts';
import { VAULT_VECTORS } from '../oracle/vectors/vaults.ts';
import { CASES } from '../programs/publicCases.ts';
import { arbitraryInstruction as published } from '../programs/publicInterfaces.ts';
import { INSTRUCTION_KINDS } from '../programs/stock.ts';
import { arbitraryInstruction } from '../transaction/arbitrary.ts';
import { testAddress } from '../transaction/keys.ts';
import { plus, withRaw } from './recorded/edits.ts';
import { ATTACKER, decide, policyFor, policyWith, rewritten, stage, WALLET } from './recorded/stages.ts';

const config = stage('plain config');
/** The fee share entries written by `policy init`, and a rule that allows unsupported instructions without asking. */
const listed = (more: Partial<UnsupportedProgram> = {}) =>
  policyWith((file) => ({
    programs: [
      ...file.programs,
      ...serviceProgram('fee share', FEE_SHARE_PROGRAM, undefined).map((entry) => ({
        ...entry,
        binding: 'effects' as const,
        ...more,
      })),
    ],
    rules: file.rules.map((rule) => (rule.operation === 'config' ? { ...rule, unsupported: 'allow' } : rule)),
  }));

const changed = (change: (one: EncodedInstruction) => EncodedInstruction): DecisionInputs =>
  withRaw(config, FEE_SHARE_PROGRAM, 0, change);
const MISFITS: readonly (readonly [string, DecisionInputs])[] = [
  ['a byte after its arguments', changed((one) => ({ ...one, data: Uint8Array.from([...one.data, 0]) }))],
  [
    'its arguments a second time',
    changed((one) => ({ ...one, data: Uint8Array.from([...one.data, ...one.data.subarray(8)]) })),
  ],
  [
    'a writable account more',
    changed((one) => ({
      ...one,
      accounts: [...one.accounts, { address: ATTACKER, signer: false, writable: true }],
    })),
  ],
  [
    'a signer more',
    changed((one) => ({
      ...one,
      accounts: [...one.accounts, { address: ATTACKER, signer: true, writable: false }],
    })),
  ],
];

describe('an instruction with', () => {
  it.each(MISFITS)('%s is refused, although an entry of the policy names it', (_what, inputs) => {
    const decision = decide(inputs, listed());
    expect(decision).toMatchObject({ effect: 'deny', class: 'security' });
    expect(decision.reasonCodes[0]).toBe('INSTRUCTION_MISFIT');
    expect(explain(decision)).toContain(`${FEE_SHARE_PROGRAM} feeShare.createFeeConfig: `);
  });

  it.each(MISFITS.slice(0, 2))('%s asks if the reader is disabled, under any rule', (_what, inputs) => {
    expect(decide(inputs, listed({ reader: 'off' }))).toMatchObject({
      effect: 'require_approval',
      binding: 'effects',
    });
  });

  it('no deviation is allowed as before, and asks every time if the reader is disabled', () => {
    expect(decide(config, listed())).toMatchObject({ effect: 'allow', binding: 'exact' });
    expect(decide(config, listed({ reader: 'off' })).effect).toBe('require_approval');
  });
});

describe('accounts that System and Compute Budget instructions ignore', () => {
  const reference = { address: ATTACKER, signer: false, writable: false };
  const payment = stage('payment of SOL');
  const referring = (inputs: DecisionInputs, account = reference): DecisionInputs =>
    withRaw(inputs, SYSTEM_PROGRAM, 0, (one) => ({ ...one, accounts: [...one.accounts, account] }));
  const limit = encodeInstruction('computeBudget.setComputeUnitLimit', {
    accounts: {},
    args: { units: 200_000 },
  });
  const limited = (account: typeof reference): DecisionInputs =>
    rewritten(payment, (list) => list, { budget: [{ ...limit, accounts: [account] }] });

  it('are accepted if read-only', () => {
    for (const inputs of [payment, referring(payment)])
      expect(decide(inputs, policyFor('payment of SOL')).effect).toBe('require_approval');
    expect(decide(limited(reference), policyFor('payment of SOL')).reasonCodes).not.toContain(
      'INSTRUCTION_MISFIT',
    );
  });

  it('are refused if they sign or are writable', () => {
    const others = [
      { ...reference, writable: true },
      { ...reference, signer: true },
      { ...reference, address: WALLET },
    ];
    for (const account of others)
      for (const inputs of [referring(payment, account), limited(account)])
        expect(decide(inputs, policyFor('payment of SOL')).reasonCodes).toContain('INSTRUCTION_MISFIT');
  });

  it('hide no second transfer', () => {
    const { programAddress } = limit;
    expect(programAddress).toBe(COMPUTE_BUDGET_PROGRAM);
    const away = encodeInstruction('system.transfer', {
      accounts: { from: WALLET, to: ATTACKER },
      args: { lamports: 1n },
      rest: [ATTACKER],
    });
    expect(decide(plus(payment, away), policyFor('payment of SOL')).effect).toBe('deny');
  });
});

const LAYOUTS = new Map(
  PROGRAMS.flatMap(({ layouts }: ProgramReader) => layouts.map((each: Layout) => [each.kind, each] as const)),
);

const layoutOf = (kind: string): Layout => {
  const layout = LAYOUTS.get(kind);
  if (layout === undefined) throw new Error(`no layout ${kind}`);
  return layout;
};

const SEED = 28;
/** An instance with the maximum number of accounts, so that an added account is not read as an optional one. */
const sampled = INSTRUCTION_KINDS.map((kind) => {
  const all = fc.sample(arbitraryInstruction(kind), { seed: SEED, numRuns: 30 }).map((each) => each.encoded);
  const [one] = all.toSorted((a, b) => b.accounts.length - a.accounts.length);
  if (one === undefined) throw new Error(`no instance of ${kind}`);
  return one;
});
/** Kinds without a public encoder, from recorded bytes. */
const vectors = [...ROUTER_VECTORS, ...VAULT_VECTORS].map(({ program, accounts, bytes }) => ({
  programAddress: program,
  accounts: accounts.map(([address, flags]) => {
    const use: string = flags;
    return { address, signer: use.includes('s'), writable: use.includes('w') };
  }),
  data: Uint8Array.from(Buffer.from(bytes.join(''), 'hex')),
}));
const encoded = await Promise.all(
  CASES.map(async ([kind, idl, name, options]) => {
    const [make] = fc.sample(published(idl, name, options), { seed: SEED, numRuns: 1 });
    if (make === undefined) throw new Error(`no instance of ${kind}`);
    const { program, ...rest } = (await make()).instruction;
    return { ...rest, programAddress: program };
  }),
);
/** Metaplex token metadata with every optional account. */
const named = (['metaplex.createMetadataAccountV3', 'metaplex.createV1'] as const).map((kind) => {
  const layout = layoutOf(kind);
  const text = { name: 'Name', symbol: 'NAM', uri: 'https://example.com/a.json', sellerFeeBasisPoints: 0 };
  const given: Readonly<Record<string, unknown>> = {
    ...text,
    isMutable: false,
    primarySaleHappened: false,
    tokenStandard: 'fungible',
  };
  const accounts = layout.roles.map(({ name }) => [name, testAddress(name)] as const);
  const pinned = new Set(layout.roles.flatMap(({ name, must }) => (must === undefined ? [] : [name])));
  return writeLayout(layout, {
    accounts: Object.fromEntries(accounts.filter(([name]) => !pinned.has(name))),
    args: Object.fromEntries(layout.fields.map(([name]) => [name, given[name] ?? null])),
  });
});
const read = ({ programAddress, ...rest }: EncodedInstruction) =>
  readInstruction({ index: 0, program: programAddress, ...rest });

/** One instance of each kind. */
const KINDS = new Map(
  [...sampled, ...encoded, ...vectors, ...named].map((one) => {
    const reading = read(one);
    if (reading.status !== 'read') throw new Error(`an instance of a reader is ${reading.status}`);
    return [reading.instruction.kind, one] as const;
  }),
);

type Change = (one: EncodedInstruction, layout: Layout) => EncodedInstruction;
const account = (flags: { readonly signer: boolean; readonly writable: boolean }): Change => {
  const more = { address: ATTACKER, ...flags };
  return (one) => ({ ...one, accounts: [...one.accounts, more] });
};
const BYTES: Readonly<Record<string, Change>> = {
  'a byte more': (one) => ({ ...one, data: Uint8Array.from([...one.data, 0]) }),
  'its arguments a second time': (one, { discriminator, fields }) => ({
    ...one,
    data: Uint8Array.from([
      ...one.data,
      ...(fields.length === 0 ? discriminator : one.data.subarray(discriminator.length)),
    ]),
  }),
};
const CHANGES: Readonly<Record<string, Change>> = {
  ...BYTES,
  'a writable account more': account({ signer: false, writable: true }),
  'a signer more': account({ signer: true, writable: false }),
};

/** Accounts after the named ones with a meaning: signers of a multisig, accounts of a market, claimers, sources. */
const acceptsExtraAccounts = ({ rest }: Layout): boolean => rest !== undefined && rest !== 'reference';
/** Data with an open-ended text or list: one more byte is another letter, step or size. */
const isOpen = (kind: string): boolean =>
  /^(memo|titan)\.|^jupiter\..*V2$|^token\.(getAccountDataSize|reallocate|uiAmountToAmount)$/.test(kind);

const READER_MISFITS = [...KINDS].flatMap(([kind, one]) => {
  const layout = layoutOf(kind);
  return Object.entries(CHANGES)
    .filter(([label]) => !(label in BYTES ? isOpen(kind) : acceptsExtraAccounts(layout)))
    .map(([label, change]) => [kind, label, change(one, layout)] as const);
});

/** A policy that lists this instruction in every operation, with rules that never ask. */
const admitting = (program: string, data: Uint8Array): LoadedPolicy =>
  policyWith((file) => ({
    programs: [
      ...file.programs.filter(({ address }) => address !== program || STOCK_PROGRAMS.has(program)),
      ...(STOCK_PROGRAMS.has(program)
        ? []
        : [
            {
              address: program,
              label: 'admitted',
              binding: 'effects' as const,
              instructions: [Buffer.from(data.subarray(0, 1)).toString('hex')],
              operations: ['config' as const],
              atMost: 8,
            },
          ]),
    ],
    rules: file.rules.map((rule) => (rule.operation === 'config' ? { ...rule, unsupported: 'allow' } : rule)),
  }));

const hasRoom = ({ data, accounts }: EncodedInstruction): boolean => data.length + 34 * accounts.length < 800;

describe('every supported instruction', () => {
  it('has an instance that is decoded', () => {
    expect(new Set<string>(KINDS.keys())).toEqual(new Set(LAYOUTS.keys()));
  });

  it('is neither decoded nor counted as unsupported with anything beyond its layout', () => {
    for (const [kind, label, one] of READER_MISFITS) {
      const reading = read(one);
      expect(misfitOf(reading), `${kind} with ${label}`).toBeDefined();
      expect(isUnsupported(reading), `${kind} with ${label}`).toBe(false);
    }
  });

  it('is not admitted that way by an entry that names it, at any free place of a transaction', () => {
    let fitting = 0;
    for (const [kind, label, one] of READER_MISFITS) {
      // Compute budget is part of the transaction's fee, which is decoded separately.
      if (one.programAddress === COMPUTE_BUDGET_PROGRAM || !hasRoom(one)) continue;
      fitting += 1;
      const inputs = rewritten(config, () => [one]);
      const { effect, reasonCodes } = decide(inputs, admitting(one.programAddress, one.data));
      const found = { effect, misfit: reasonCodes.includes('INSTRUCTION_MISFIT') };
      expect(found, `${kind} with ${label}`).toEqual({ effect: 'deny', misfit: true });
    }
    expect(fitting).toBeGreaterThan(0.9 * READER_MISFITS.length);
  });
});
