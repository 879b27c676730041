/** Policies on public networks, and expired plans (T75). */
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { parsePolicy } from '../../src/policy/file/file.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { policyTemplate, TEMPLATE_NAMES } from '../../src/review/templates/templates.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { load, NOTHING_USED, unsupportedProgram } from './people.ts';
import { plus, quoted } from './recorded/edits.ts';
import {
  ATTACKER,
  decide,
  policyFor,
  policyWith,
  stage,
  VENUE,
  WALLET,
  withVenue,
} from './recorded/stages.ts';

const swap = stage('swap with an unsupported program');
const exact = stage('swap of SOL');
const SLOT = 9;
const fee = decide(exact).recipients.find(({ role }) => role === 'payment')?.address ?? '';
const PROFILE = [{ label: 'treasury', address: fee }];

/** The inputs of a live server on a network, with a local or remote RPC. */
const live = (inputs: DecisionInputs, network: string, localRpc: boolean): DecisionInputs => ({
  ...inputs,
  mode: 'live',
  network,
  plan: { ...inputs.plan, mode: 'live', network },
  // The first purchase of a token asks by itself.
  held: true,
  programs: [{ address: VENUE, deployedSlot: SLOT }],
  // No public profile names a treasury; without one the service's fee asks by itself.
  serviceAddresses: PROFILE,
  ...(localRpc ? { localRpc } : {}),
});

/** The sandbox template on a network, with the venue's code pinned; rules say `unsupported: "allow"` where allowed. */
const policyOn = (network: string, deployedSlot: number | null = SLOT) =>
  load({
    ...policyTemplate('sandbox', { wallet: WALLET, network }),
    programs: [
      ...policyTemplate('sandbox', { wallet: WALLET, network }).programs,
      unsupportedProgram(VENUE, deployedSlot === null ? {} : { deployedSlot }),
    ],
  });

describe('an unsupported instruction', () => {
  it.each(Object.entries(GENESIS))('asks on %s, even behind an RPC of this machine', (_name, genesis) => {
    for (const localRpc of [true, false]) {
      const decision = decide(live(swap, genesis, localRpc), policyOn(genesis));
      expect(decision).toMatchObject({
        effect: 'require_approval',
        reasonCodes: ['APPROVAL_REQUIRED', 'UNSUPPORTED_INSTRUCTION'],
      });
      // Control case: fully supported transactions are still allowed.
      expect(decide(live(exact, genesis, localRpc), policyOn(genesis)).effect).toBe('allow');
    }
  });

  it('asks on a chain with a custom name that is not behind an RPC of this machine', () => {
    const own = policyOn(swap.network);
    expect(decide(live(swap, swap.network, false), own).effect).toBe('require_approval');
    expect(decide(live(swap, swap.network, true), own).effect).toBe('allow');
  });

  it('asks on a local chain too, unless the rule says otherwise', () => {
    const asking = policyWith((file) => ({
      ...withVenue(file),
      rules: file.rules.map((rule) =>
        rule.operation === 'swap' ? { ...rule, unsupported: undefined } : rule,
      ),
    }));
    expect(decide(swap, asking).effect).toBe('require_approval');
  });

  it('is refused if a public network must pin its program by slot and does not', () => {
    const unheld = decide(live(swap, swap.network, false), policyOn(swap.network, null));
    expect(unheld.reasonCodes[0]).toBe('PROGRAM_NOT_ALLOWED');
    const replaced = {
      ...live(swap, swap.network, false),
      programs: [{ address: VENUE, deployedSlot: SLOT + 1 }],
    };
    expect(decide(replaced, policyOn(swap.network)).reasonCodes[0]).toBe('PROGRAM_NOT_ALLOWED');
  });

  it('is counted: more than the entry allows are refused, even if harmless', () => {
    const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
    const once = policyWith((file) => ({
      programs: [...file.programs, unsupportedProgram(VENUE, { atMost: 1 })],
    }));
    expect(decide(swap, once).effect).toBe('allow');
    const twice = decide(plus(swap, call), once);
    expect(twice).toMatchObject({ effect: 'deny', class: 'security' });
    expect(explain(twice)).toContain('more unsupported instructions of a program than the policy allows');
  });

  it('is refused by its public name if it is listed for another operation or not at all', () => {
    const pools = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG';
    const remove = Buffer.from('5055d14818ceb16c', 'hex');
    const called = plus(swap, { programAddress: pools, accounts: [], data: Uint8Array.from(remove) });
    const listing = (more: Parameters<typeof unsupportedProgram>[1]) =>
      policyWith((file) => ({
        programs: [...(withVenue(file).programs ?? []), unsupportedProgram(pools, more)],
      }));
    const unnamed = decide(called, listing({ instructions: ['f8c69e91e17587c8'] }));
    expect(unnamed.reasonCodes[0]).toBe('INSTRUCTION_UNKNOWN');
    expect(explain(unnamed)).toContain(`${pools} remove_liquidity`);
    const elsewhere = decide(called, listing({ operations: ['launch'], instructions: ['5055d14818ceb16c'] }));
    expect(elsewhere.reasonCodes).toContain('UNEXPECTED_INSTRUCTION');
    expect(elsewhere.checks).toContainEqual(
      expect.objectContaining({
        id: 'unsupportedBelongs',
        ok: false,
        observed: expect.stringContaining('remove_liquidity'),
      }),
    );
  });
});

describe('a policy file for a public network', () => {
  const errors = (change: Partial<PolicyFile>, network = 'devnet') => {
    const base = policyTemplate('trader', { wallet: WALLET, network });
    const parsed = parsePolicy(JSON.stringify({ ...base, ...change }));
    return 'errors' in parsed ? parsed.errors.map(({ path, message }) => `${path}: ${message}`) : [];
  };
  const { programs, rules } = policyTemplate('trader', { wallet: WALLET, network: 'devnet' });

  it('pins each unsupported program to its code, by network name and hash', () => {
    for (const network of ['devnet', GENESIS['mainnet-beta'] ?? '']) {
      expect(errors({ programs: [...programs, unsupportedProgram(VENUE)] }, network)).toEqual([
        expect.stringContaining('On a public network this entry needs "deployedSlot"'),
      ]);
      expect(
        errors({ programs: [...programs, unsupportedProgram(VENUE, { deployedSlot: 5 })] }, network),
      ).toEqual([]);
      // An entry that admits nothing needs no deployment slot.
      expect(
        errors({ programs: [...programs, unsupportedProgram(VENUE, { instructions: [] })] }, network),
      ).toEqual([]);
    }
    expect(errors({ programs: [...programs, unsupportedProgram(VENUE)] }, WALLET)).toEqual([]);
  });

  it('cannot state that unsupported instructions need no question', () => {
    const saying = rules.map((rule) =>
      rule.operation === 'swap' ? { ...rule, unsupported: 'allow' as const } : rule,
    );
    expect(errors({ rules: saying })).toEqual([
      'rules[0].unsupported: On a public network every unsupported instruction needs an approval.',
    ]);
    expect(errors({ rules: saying }, WALLET)).toEqual([]);
    for (const name of TEMPLATE_NAMES) {
      const file = policyTemplate(name, { wallet: WALLET, network: 'mainnet-beta' });
      expect('policy' in parsePolicy(JSON.stringify(file))).toBe(true);
      expect(file.rules.some((rule) => 'unsupported' in rule)).toBe(false);
    }
  });

  it('lists a program several times for several operations, pinned to one code', () => {
    const [one, other] = [
      unsupportedProgram(VENUE, { operations: ['swap'], instructions: ['aa'], deployedSlot: 5 }),
      unsupportedProgram(VENUE, { operations: ['launch'], instructions: ['bb'], deployedSlot: 5 }),
    ];
    expect(errors({ programs: [...programs, one, other] })).toEqual([]);
    expect(errors({ programs: [...programs, one, { ...other, deployedSlot: 6 }] })).toEqual([
      expect.stringContaining('This program has another "deployedSlot" above.'),
    ]);
    expect(errors({ programs: [...programs, { ...one, instructions: ['aa', 'aa'] }] })).toEqual([
      expect.stringContaining('This instruction is already used above.'),
    ]);
    expect(errors({ programs: [...programs, { ...one, instructions: ['AA'] }] })).toEqual([
      expect.stringContaining('must be 1 to 16 bytes in lower-case hex'),
    ]);
  });
});

const sale = stage('swap for SOL');

/** The config of the changed split existed on the chain, but is missing now. */
const update = stage('manager update to fewer');
const withoutConfig = (inputs: DecisionInputs): DecisionInputs => ({
  ...inputs,
  accounts: inputs.accounts.map((account) =>
    account.owner === FEE_SHARE_PROGRAM ? { ...account, exists: false, lamports: '0', data: '' } : account,
  ),
  simulation: { status: 'unavailable', reason: 'gone' },
});
const lapsed = (inputs: DecisionInputs): DecisionInputs =>
  inputs.quote === undefined ? inputs : { ...inputs, quote: { ...inputs.quote, expiresAt: inputs.time } };
const dead = (inputs: DecisionInputs): DecisionInputs => ({ ...inputs, blockhashValid: false });
const approval = encodeInstruction('token.approve', {
  accounts: {
    source: associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM),
    delegate: ATTACKER,
    owner: WALLET,
  },
  args: { amount: 1n },
});

describe('a stage whose accounts no longer exist on chain', () => {
  it('F29 is a security denial while it could still land', () => {
    expect(decide(withoutConfig(update))).toMatchObject({ effect: 'deny', class: 'security' });
    expect(decide(withoutConfig(update)).reasonCodes).toContain('REQUEST_MISMATCH');
  });

  it('F29 is only expired if its blockhash is dead', () => {
    const decision = decide(dead(withoutConfig(update)));
    expect(decision).toMatchObject({
      effect: 'deny',
      reasonCodes: ['LIFETIME_MISMATCH'],
      class: 'availability',
    });
    expect(explain(decision)).toBe('The transaction or its quote has expired and must be built again.');
    const stale = decision.checks.filter(({ code }) => code === 'REQUEST_MISMATCH');
    expect(stale.length).toBeGreaterThan(0);
    expect(stale.every((check) => check.class === 'availability')).toBe(true);
  });

  it.each([
    ['its quote has lapsed', lapsed],
    ['its quote has lapsed and its blockhash is dead', (inputs: DecisionInputs) => dead(lapsed(inputs))],
  ])('F29 is only expired if %s, although it no longer pays the quoted amount', (_, late) => {
    const decision = decide(late(quoted(sale, { minOutAmount: '99999999999' })));
    expect(decision).toMatchObject({ reasonCodes: ['LIFETIME_MISMATCH'], class: 'availability' });
    expect(decision.checks).toContainEqual(
      expect.objectContaining({ code: 'REQUEST_MISMATCH', class: 'availability' }),
    );
  });

  it('F29 still counts as an attack if its transaction alone transfers a right', () => {
    const decision = decide(dead(withoutConfig(plus(update, approval))));
    expect(decision).toMatchObject({ effect: 'deny', class: 'security' });
    expect(decision.reasonCodes).toContain('DELEGATE_GRANTED');
  });

  it('F29 does not ask for approval if it can no longer land', () => {
    const asking = policyWith((file) => ({
      rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
    }));
    expect(evaluate(sale, asking, NOTHING_USED).effect).toBe('require_approval');
    expect(evaluate(dead(sale), asking, NOTHING_USED).reasonCodes).toEqual(['LIFETIME_MISMATCH']);
  });
});

describe('a freeze', () => {
  it('is the first reason of every decision while active', () => {
    const frozen = { ...NOTHING_USED, frozen: { since: 1, reason: 'x' } };
    const policy = policyFor('swap for SOL');
    for (const inputs of [sale, dead(sale), plus(sale, approval), withoutConfig(update)]) {
      const decision = evaluate(inputs, policy, frozen);
      expect(decision.reasonCodes[0]).toBe('FROZEN');
      expect(explain(decision)).toBe('Signing is frozen.');
    }
    expect(evaluate(sale, undefined, frozen).reasonCodes).toEqual(['FROZEN', 'POLICY_MISSING']);
    expect(evaluate(plus(sale, approval), policy, frozen).class).toBe('security');
  });
});
