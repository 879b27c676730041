/** Claims of fees kept by other programs (T94). */

import { describe, expect, it } from 'vitest';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { DAMM_V2_PROGRAM } from '../../src/programs/dammV2/addresses.ts';
import { USER_VAULT_PROGRAM, userVaultAddress } from '../../src/programs/feeShare/userVault.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { SANDBOX_PROGRAMS } from '../../src/review/templates/embedded.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { account, missing } from './accountFacts.ts';
import { unsupportedProgram } from './people.ts';
import { finds, findsNot } from './recorded/attacking.ts';
import { plus, withRequest } from './recorded/edits.ts';
import { readOf } from './recorded/operands.ts';
import {
  ATTACKER,
  decide,
  embeddedWith,
  policyFor,
  policyWith,
  rewritten,
  stage,
  WALLET,
} from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const NAME = 'curve launch v1';
const launch = stage(NAME);
const usdc = String(launch.plan.request.quoteMint);
const [SHARE] = SANDBOX_PROGRAMS.map(({ address }) => address);
const OPEN = 'the claimers are unknown: an unsupported program writes them';
const played = (inputs: DecisionInputs): string => summaryOf(decide(inputs, policyFor(NAME)));
/** The same policy without the permission to risk play money on unsupported programs. */
const careful = embeddedWith(({ rules }) => ({
  rules: rules.map((rule) => ('unsupported' in rule ? { ...rule, unsupported: undefined } : rule)),
}));
const asking = (inputs: DecisionInputs): string => summaryOf(decide(inputs, careful));

/** A call of the sharing program with this data prefix and these accounts. */
const call = (first: string, ...accounts: readonly string[]) => ({
  programAddress: SHARE ?? '',
  accounts: accounts.map((address) => ({ address, signer: false, writable: false })),
  data: Uint8Array.from(Buffer.from(first, 'hex')),
});
const CREATES = 'd6ac694008e4d1cc';
const CHANGES = '54387d65d2d6c3c5';

const plain = stage('plain config');
const inUsdc = withRequest(plain, { quoteMint: usdc });
const hidden = rewritten(inUsdc, () => [call(CREATES)]);

describe('a config in a quote whose fees another program shares', () => {
  it('asks because its transaction does not state the claimers', () => {
    expect(asking(hidden)).toContain('the claimers are unknown');
    expect(played(hidden)).not.toContain('feeShareConfig (0 times');
  });

  it('does not exist for wrapped SOL, whose program is supported', () => {
    const inSol = rewritten(plain, () => [call(CREATES)]);
    expect(asking(inSol)).not.toContain(OPEN);
    const stated = rewritten(withRequest(plain, { quoteMint: WSOL_MINT }), () => [call(CREATES)]);
    expect(asking(stated)).not.toContain(OPEN);
  });

  it.each([
    ['createConfig', plain, 0],
    ['setManager', plain, 1],
    ['extendConfig', stage('config of many, second'), 0],
  ] as const)('is decoded all the same if the supported program is called: %s', (_, inputs, at) => {
    const read = rewritten(withRequest(inputs, { quoteMint: usdc }), (list) => list.slice(at, at + 1));
    expect(played(read)).toContain('configQuote (So1111…; allowed');
    expect(played(read)).toContain('partThere feeShareConfig (0 times; allowed 1 times)');
    expect(asking(read)).not.toContain(OPEN);
  });
});

describe('the fee claimer of a curve in such a quote', () => {
  const key = ATTACKER;
  const { named } = readOf(stage('curve config'), 'dbc.createConfig');
  const curveAccounts = {
    config: named.accounts.config?.address ?? '',
    feeClaimer: key,
    leftoverReceiver: WALLET,
    quoteMint: usdc,
    payer: WALLET,
  };
  const curve = encodeInstruction('dbc.createConfig', {
    accounts: curveAccounts,
    args: named.args,
    // The arguments were decoded as this kind.
  } as never);
  const config = (...handed: readonly string[]) =>
    rewritten(withRequest(inUsdc, { flow: 'dbc' }), () => [call(CREATES, ...handed), curve]);
  const custody = SANDBOX_PROGRAMS.find(({ label }) => label === 'position custody of the sandbox');
  const WHO = 'matchesRequest curveClaimer';
  const { simulation } = plain;
  const showing = (
    inputs: DecisionInputs,
    where: 'accounts' | 'after',
    owner: string,
    exists = true,
  ): DecisionInputs => {
    const shown = exists ? account(key, { owner }) : { ...missing(key), owner };
    if (where === 'accounts') return { ...inputs, accounts: [...inputs.accounts, shown] };
    if (inputs.simulation.status !== 'done') throw new Error(inputs.simulation.status);
    return { ...inputs, simulation: { ...inputs.simulation, after: [...inputs.simulation.after, shown] } };
  };

  it('is an account of that program, on chain or after simulation', () => {
    expect(simulation.status).toBe('done');
    for (const where of ['accounts', 'after'] as const) {
      expect(played(showing(config(), where, SHARE ?? ''))).not.toContain(WHO);
      expect(played(showing(config(), where, ATTACKER))).toContain(WHO);
      expect(played(showing(config(), where, SHARE ?? '', false))).toContain(WHO);
    }
    expect(played(config())).toContain(WHO);
    expect(played(config(key))).toContain(WHO);
  });

  it('is not of a program that the policy lists for another purpose', () => {
    expect(custody?.operations).not.toContain('config');
    expect(played(showing(config(), 'accounts', custody?.address ?? ''))).toContain(WHO);
  });

  it('is not of a supported program, even with its reader disabled', () => {
    const off = embeddedWith(({ programs }) => ({
      programs: [
        ...programs.filter(({ address }) => address !== DAMM_V2_PROGRAM),
        unsupportedProgram(DAMM_V2_PROGRAM, { operations: ['config'], instructions: ['ff'], reader: 'off' }),
      ],
    }));
    findsNot(showing(config(), 'accounts', SHARE ?? ''), WHO, off);
    finds(showing(config(), 'accounts', DAMM_V2_PROGRAM), WHO, off);
  });

  it('is the supported one for wrapped SOL, named in the request or not', () => {
    const inSol = encodeInstruction('dbc.createConfig', {
      accounts: { ...curveAccounts, quoteMint: WSOL_MINT },
      args: named.args,
    } as never);
    for (const inputs of [plain, withRequest(plain, { quoteMint: WSOL_MINT })]) {
      const terms = rewritten(withRequest(inputs, { flow: 'dbc' }), () => [inSol]);
      expect(played(showing(terms, 'accounts', SHARE ?? ''))).toContain(WHO);
      const beside = rewritten(withRequest(inputs, { flow: 'dbc' }), () => [call(CREATES), inSol]);
      expect(played(showing(beside, 'accounts', SHARE ?? ''))).toContain(WHO);
    }
  });

  it('asks alone if the stage that writes the terms is fully decoded', () => {
    const alone = rewritten(withRequest(inUsdc, { flow: 'dbc' }), () => [curve]);
    expect(asking(showing(alone, 'accounts', SHARE ?? ''))).toContain(OPEN);
    expect(asking(showing(alone, 'accounts', ATTACKER))).toContain(WHO);
  });

  it('is one passed to an instruction of the program while nothing can be simulated', () => {
    const untried = (inputs: DecisionInputs): DecisionInputs => ({
      ...inputs,
      simulation: { status: 'not_yet' },
    });
    expect(played(untried(config(key)))).not.toContain(WHO);
    expect(played(untried(config(WALLET, key)))).not.toContain(WHO);
    expect(played(untried(config(WALLET)))).toContain(WHO);
    expect(played(untried(config()))).toContain(WHO);
    // One call that names it is enough, but only of that program.
    const calls = (...list: readonly EncodedInstruction[]) =>
      untried(rewritten(withRequest(inUsdc, { flow: 'dbc' }), () => [...list, curve]));
    expect(played(calls(call(CREATES, key), call(CREATES)))).not.toContain(WHO);
    const byAnother = {
      ...call(custody?.instructions[0] ?? '', key),
      programAddress: custody?.address ?? '',
    };
    expect(played(calls(call(CREATES), byAnother))).toContain(WHO);
    const paid = systemTransfer(WALLET, key, 1n);
    expect(played(calls(call(CREATES), paid))).toContain(WHO);
  });

  it('is unknown if the policy lists no fee sharing program', () => {
    const unlisted = embeddedWith(({ programs }) => ({
      programs: programs.filter(({ address }) => address !== SHARE),
    }));
    const terms = rewritten(withRequest(inUsdc, { flow: 'dbc' }), () => [curve]);
    const text = summaryOf(decide(showing(terms, 'accounts', SHARE ?? ''), unlisted));
    expect(text).toContain(WHO);
    expect(text).toContain('feeShareConfig (0 times; allowed 1 times)');
  });
});

describe('a changed split in such a quote', () => {
  const fewer = stage('manager update to fewer');
  const MANAGES = 'managesConfig';

  it('asks if the fee sharing program makes it and its manager is unknown', () => {
    const changed = rewritten(withRequest(fewer, { quoteMint: usdc }), () => [call(CHANGES)]);
    expect(asking(changed)).toContain('the claimers are unknown');
    expect(asking(changed)).not.toContain(MANAGES);
    expect(asking(changed)).not.toContain('changed split (0 times');
  });

  it('is decoded if the supported program is called or owns the config', () => {
    expect(played(withRequest(fewer, { quoteMint: usdc }))).toContain(`${MANAGES} (none; allowed WALLET)`);
    const inSol = rewritten(fewer, () => [call(CHANGES)]);
    expect(asking(inSol)).not.toContain(OPEN);
  });
});

describe('a launch in such a quote', () => {
  it("asks because the chain does not show its curve's beneficiaries", () => {
    expect(asking(launch)).toMatch(/^require_approval/);
    const kept = played(launch);
    expect(kept).toMatch(/^allow/);
    const of = (owner: string): DecisionInputs => ({
      ...launch,
      accounts: launch.accounts.map((each) => (each.owner === SHARE ? { ...each, owner } : each)),
    });
    expect(played(of(ATTACKER))).toContain('REQUEST_MISMATCH: curveClaimer');
    expect(played(plus(launch))).toBe(kept);
  });
});

const sponsorOf = (inputs: DecisionInputs): string => inputs.stage.transaction.read().staticAccounts[0] ?? '';
const mintOf = ({ plan }: DecisionInputs): string => String(plan.request.quoteMint);

const claims = (inputs: DecisionInputs, user: string, mint = mintOf(inputs)) =>
  encodeInstruction('userVault.claimFromUserVault', {
    accounts: { user, payer: sponsorOf(inputs), mint, tokenProgram: TOKEN_PROGRAM },
    args: {},
  });
const creates = (inputs: DecisionInputs, user: string, payer = sponsorOf(inputs)) =>
  encodeInstruction('userVault.createUserVault', { accounts: { user, payer }, args: {} });
const closes = (user: string) =>
  encodeInstruction('userVault.closeUserVault', { accounts: { user }, args: {} });

const vault = stage('vault claim');
/** The inputs with the accounts of these instructions known and watched, missing before and after. */
const knowing = (inputs: DecisionInputs, made: readonly EncodedInstruction[]): DecisionInputs => {
  const { simulation, accounts } = inputs;
  const named = [...new Set(made.flatMap((each) => each.accounts.map(({ address }) => address)))];
  const beside = (known: DecisionInputs['accounts']) => [
    ...known,
    ...named
      .filter((address) => !known.some((each) => each.address === address))
      .map((address) => missing(address)),
  ];
  if (simulation.status !== 'done') throw new Error(simulation.status);
  return {
    ...inputs,
    programs: [...(inputs.programs ?? []), { address: USER_VAULT_PROGRAM, deployedSlot: 7 }],
    accounts: beside(accounts),
    simulation: { ...simulation, before: beside(simulation.before), after: beside(simulation.after) },
  };
};
/** The recorded claim, made by the vault program instead of the sandbox's. */
const by = (...made: readonly EncodedInstruction[]): DecisionInputs =>
  knowing(
    rewritten(vault, (list) => [
      ...list.filter(({ programAddress }) => programAddress.startsWith('ComputeBudget')),
      ...made,
    ]),
    made,
  );
const decisionText = (inputs: DecisionInputs) => summaryOf(decide(inputs, policyWith()));

describe("a claim from the wallet's vault", () => {
  it('is allowed, also with a vault created by the service and one closed to the wallet', () => {
    for (const made of [
      [claims(vault, WALLET)],
      [creates(vault, WALLET), claims(vault, WALLET)],
      [claims(vault, WALLET), closes(WALLET)],
    ]) {
      const decision = decide(by(...made), policyWith());
      expect(summaryOf(decision)).toMatch(/^allow: .*exact/);
      expect(decision.binding).toBe('exact');
    }
  });

  it('pays out the requested token', () => {
    expect(decisionText(by(claims(vault, WALLET, ATTACKER)))).toContain('REQUEST_MISMATCH');
  });
});

describe("another's vault", () => {
  it('is not claimed, opened or closed by the wallet', () => {
    const own = claims(vault, WALLET);
    expect(decisionText(by(claims(vault, ATTACKER)))).toContain('REQUEST_MISMATCH');
    expect(decisionText(by(own, claims(vault, ATTACKER)))).toContain('REQUEST_MISMATCH');
    expect(decisionText(by(own, creates(vault, ATTACKER)))).toContain('UNEXPECTED_INSTRUCTION');
    expect(decisionText(by(own, closes(ATTACKER)))).toContain('UNEXPECTED_INSTRUCTION');
  });

  it("does not replace the wallet's vault in its instructions", () => {
    const named = (one: EncodedInstruction, from: string, to: string): EncodedInstruction => ({
      ...one,
      accounts: one.accounts.map((each) => (each.address === from ? { ...each, address: to } : each)),
    });
    for (const one of [claims(vault, WALLET), closes(WALLET), creates(vault, WALLET)]) {
      const changed = named(one, userVaultAddress(WALLET), userVaultAddress(ATTACKER));
      expect(decisionText(by(claims(vault, WALLET), changed))).toContain('INSTRUCTION_MISFIT');
    }
    const payout = claims(vault, WALLET).accounts[5]?.address ?? '';
    const elsewhere = claims(vault, ATTACKER).accounts[5]?.address ?? '';
    expect(decisionText(by(named(claims(vault, WALLET), payout, elsewhere)))).toContain('INSTRUCTION_MISFIT');
  });
});

it('a vault is not created by the wallet if the service pays for the claim', () => {
  expect(decisionText(by(creates(vault, WALLET, WALLET), claims(vault, WALLET)))).toContain(
    'UNEXPECTED_INSTRUCTION',
  );
});

it('no other operation opens or closes a vault', () => {
  for (const one of [creates(vault, WALLET, WALLET), closes(WALLET), claims(vault, WALLET)])
    expect(decisionText(knowing(plus(stage('swap of SOL'), one), [one]))).toContain('UNEXPECTED_INSTRUCTION');
});
