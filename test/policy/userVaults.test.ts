/** Claims from the vault program: the wallet's own match; those of others, and payments elsewhere, are refused. */
import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { USER_VAULT_PROGRAM, userVaultAddress } from '../../src/programs/feeShare/userVault.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { buildInstruction } from '../../src/programs/read.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { missing } from './accountFacts.ts';
import { plus } from './recorded/edits.ts';
import { ATTACKER, decide, policyWith, rewritten, stage, WALLET } from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const sponsorOf = (inputs: DecisionInputs): string => inputs.stage.transaction.read().staticAccounts[0] ?? '';
const mintOf = ({ plan }: DecisionInputs): string => String(plan.request.quoteMint);

const claims = (inputs: DecisionInputs, user: string, mint = mintOf(inputs)) =>
  buildInstruction('userVault.claimFromUserVault', {
    accounts: { user, payer: sponsorOf(inputs), mint, tokenProgram: TOKEN_PROGRAM },
    args: {},
  });
const creates = (inputs: DecisionInputs, user: string, payer = sponsorOf(inputs)) =>
  buildInstruction('userVault.createUserVault', { accounts: { user, payer }, args: {} });
const closes = (user: string) =>
  buildInstruction('userVault.closeUserVault', { accounts: { user }, args: {} });

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
