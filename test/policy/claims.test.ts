/** Claims, one change at a time, and what is allowed beside them (T29). */

import { describe, expect, it } from 'vitest';
import { closeAccount, createAta, systemTransfer } from '../../sandbox/service/build/tokens.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import {
  feeShareAuthorityAddress,
  partnerConfigAddress,
  userFeeVaultAddress,
} from '../../src/programs/feeShare/addresses.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { missing, tokenAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import { plus, simulationOf, withRequest } from './recorded/edits.ts';
import { changedOperands } from './recorded/operands.ts';
import { ATTACKER, decide, policyFor, rewritten, stage, VENUE, WALLET } from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const position = stage('position claim');
const holding = stage('holding claim');
const vaultClaim = stage('vault claim');
const deployer = stage('deployer claim');

const UNEXPECTED = 'UNEXPECTED_INSTRUCTION: instructionBelongs';

describe('a claim', () => {
  const opens = (payer: string, owner: string, mint: string) =>
    createAta(payer, owner, { mint, tokenProgram: TOKEN_PROGRAM });
  const other = keyNamed('another mint').address;

  it('promises the simulated payout', () => {
    const [change] = decide(position).changes;
    expect(change).toMatchObject({ asset: 'SOL', out: '0' });
    expect(BigInt(change?.in ?? '0')).toBeGreaterThan(0n);
    const simulation = simulationOf(position);
    const nothing: DecisionInputs = { ...position, simulation: { ...simulation, after: simulation.before } };
    finds(nothing, 'UNDECLARED_LOSS: simulated claimPays (0');
  });

  it('pays out in the requested asset', () => {
    expect(decisionText(withRequest(position, { quoteMint: other }))).toMatch(
      /REQUEST_MISMATCH: matchesRequest /,
    );
    expect(decisionText(withRequest(position, { quoteMint: undefined }))).toMatch(/^allow/);
  });

  it('opens accounts for the wallet only, paid by the fee payer or the wallet', () => {
    const [payer = ''] = holding.stage.declared.requiredSigners ?? [WALLET];
    findsNot(plus(holding, opens(payer, WALLET, WSOL_MINT)), UNEXPECTED);
    finds(plus(holding, opens(WALLET, ATTACKER, WSOL_MINT)), UNEXPECTED);
    finds(plus(holding, opens(ATTACKER, WALLET, WSOL_MINT)), UNEXPECTED);
    finds(plus(holding, opens(WALLET, WALLET, other)), UNEXPECTED);
  });

  it('forwards nothing to another wallet and signs no memo', () => {
    const pay = systemTransfer(WALLET, ATTACKER, 1n);
    const memo = encodeInstruction('memo.memo', {
      accounts: {},
      args: { text: `claim holding ${WSOL_MINT}` },
      rest: [WALLET],
    });
    for (const claim of [position, holding, vaultClaim, deployer])
      for (const extra of [pay, memo]) finds(plus(claim, extra), UNEXPECTED);
  });

  it('of a deployer empties its vaults and pays out an amount', () => {
    expect(decisionText(withRequest(deployer, { quoteMint: other }))).toMatch(/^allow/);
    const simulation = simulationOf(deployer);
    const nothing: DecisionInputs = { ...deployer, simulation: { ...simulation, after: simulation.before } };
    finds(nothing, 'claimPays (0');
    findsNot(nothing, 'tokenVisible');
  });

  it('has the format its plan names; a bare one has either of the older formats', () => {
    const plan = (format: 'legacy' | 'v0' | 'v1'): DecisionInputs => ({
      ...position,
      stage: { ...position.stage, format },
    });
    const asV1 = rewritten(plan('v1'), (list) => list, {
      format: 'v1',
      budget: [],
      config: { computeUnitLimit: 200_000, priorityFeeLamports: 0n },
    });
    findsNot(asV1, 'FORMAT_MISMATCH');
    const legacy = (inputs: DecisionInputs) =>
      rewritten({ ...inputs, stage: { ...inputs.stage, format: 'legacy' } }, (list) => list, {
        format: 'legacy',
      });
    finds(legacy(position), 'FORMAT_MISMATCH: askedFormat (legacy; allowed v0)');
    findsNot(legacy(vaultClaim), 'FORMAT_MISMATCH');
    findsNot(legacy(deployer), 'FORMAT_MISMATCH');
    finds(legacy(holding), 'FORMAT_MISMATCH');
  });
});

const vault = stage('claim from a vault');

const payerOf = (inputs: DecisionInputs): string => inputs.stage.transaction.read().staticAccounts[0] ?? '';
const mintOf = (inputs: DecisionInputs): string => String(inputs.plan.request.tokenMint);
const ownersOf = (mint: string) => [
  partnerConfigAddress(WALLET),
  feeShareAuthorityAddress(mint, WSOL_MINT),
  userFeeVaultAddress(WALLET, mint, WSOL_MINT),
];

const opens = (payer: string, owner: string, mint: string) =>
  createAta(payer, owner, { mint, tokenProgram: TOKEN_PROGRAM });

describe('an account of the fee share', () => {
  it.each([
    ['a position', position, payerOf(position)],
    ['a holding', holding, payerOf(holding)],
  ] as const)(
    'is created for the launch or the wallet by the payer of the claim of %s',
    (_, claim, payer) => {
      const mint = mintOf(claim);
      for (const owner of ownersOf(mint)) {
        findsNot(plus(claim, opens(payer, owner, WSOL_MINT)), UNEXPECTED);
        finds(plus(claim, opens(ATTACKER, owner, WSOL_MINT)), UNEXPECTED);
      }
      const other = keyNamed('another token').address;
      for (const owner of [ATTACKER, ...ownersOf(other).slice(1), partnerConfigAddress(ATTACKER)])
        finds(plus(claim, opens(payer, owner, WSOL_MINT)), UNEXPECTED);
    },
  );

  it('is created four times at most, and is a token account', () => {
    const [owner = ''] = ownersOf(mintOf(position)).slice(1);
    const times = (count: number) =>
      plus(position, ...Array.from({ length: count }, () => opens(payerOf(position), owner, WSOL_MINT)));
    findsNot(times(4), UNEXPECTED);
    finds(times(5), UNEXPECTED);
    const data = encodeInstruction('system.createAccount', {
      accounts: { payer: payerOf(position), newAccount: ATTACKER },
      args: { lamports: 1n, space: 1n, owner },
    });
    finds(plus(position, data), UNEXPECTED);
  });

  it('costs the wallet its exact rent if its claim creates it', () => {
    const owners = ownersOf(mintOf(holding));
    const made = plus(holding, ...owners.map((owner) => opens(WALLET, owner, WSOL_MINT)));
    const places = owners.map((owner) => associatedTokenAddress(owner, WSOL_MINT, TOKEN_PROGRAM));
    const simulation = simulationOf(holding);
    const { lamportsPerByteYearTimesExemption, overheadBytes } = holding.rent;
    const rent = BigInt(lamportsPerByteYearTimesExemption) * BigInt(overheadBytes + 165);
    const fee = BigInt(decide(made).feeLamports);
    const others = simulation.before.filter(({ address }) => !places.includes(address));
    /** Leaves the accounts unchanged except for these lamports more that leave the wallet. */
    const costing = (more: bigint): DecisionInputs => {
      const leaves = fee + rent * BigInt(places.length) + more;
      const after = others.map((each) =>
        each.address === WALLET ? { ...each, lamports: `${BigInt(each.lamports) - leaves}` } : each,
      );
      const opened = places.map((place, i) =>
        tokenAccount(place, { mint: WSOL_MINT, owner: owners[i] ?? '', lamports: `${rent}` }),
      );
      return {
        ...made,
        simulation: {
          ...simulation,
          before: [...others, ...places.map(missing)],
          after: [...after, ...opened],
        },
      };
    };
    const LEAVES = 'leavesAsAsked';
    findsNot(costing(0n), LEAVES);
    finds(costing(1n), LEAVES);
  });

  it("once emptied returns its rent to the wallet only, and is not another owner's", () => {
    const closes = (owner: string, destination: string) =>
      closeAccount(
        TOKEN_PROGRAM,
        associatedTokenAddress(owner, WSOL_MINT, TOKEN_PROGRAM),
        destination,
        owner,
      );
    const held = (owner: string): DecisionInputs => {
      const address = associatedTokenAddress(owner, WSOL_MINT, TOKEN_PROGRAM);
      const there = tokenAccount(address, { mint: WSOL_MINT, owner });
      const others = holding.accounts.filter((each) => each.address !== address);
      return { ...holding, accounts: [...others, there] };
    };
    for (const owner of ownersOf(mintOf(holding))) {
      findsNot(plus(held(owner), closes(owner, WALLET)), UNEXPECTED);
      finds(plus(held(owner), closes(owner, ATTACKER)), UNEXPECTED);
    }
    finds(plus(held(ATTACKER), closes(ATTACKER, WALLET)), UNEXPECTED);
  });
});

describe('a claim', () => {
  it('may name its token in either way and opens an account of that token for the wallet', () => {
    const mint = mintOf(holding);
    const renamed = withRequest(holding, { tokenMint: undefined, baseMint: mint });
    expect(decisionText(renamed)).toMatch(/^allow/);
    findsNot(plus(renamed, opens(WALLET, WALLET, mint)), UNEXPECTED);
    finds(plus(renamed, opens(WALLET, WALLET, ATTACKER)), UNEXPECTED);
    finds(
      withRequest(holding, { tokenMint: undefined, baseMint: ATTACKER }),
      'REQUEST_MISMATCH: matchesRequest ',
    );
    const nameless = withRequest(vault, { tokenMint: undefined });
    finds(nameless, 'REQUEST_MISMATCH: matchesRequest claimedToken');
  });

  it("of a deployer pays out any token into the wallet's account of it", () => {
    const mint = keyNamed('some token').address;
    const address = associatedTokenAddress(WALLET, mint, TOKEN_PROGRAM);
    const simulation = simulationOf(deployer);
    const bringing = (amount: bigint): DecisionInputs => ({
      ...plus(deployer, opens(payerOf(deployer), WALLET, mint)),
      simulation: {
        ...simulation,
        before: [...simulation.before, missing(address)],
        after: [...simulation.after, tokenAccount(address, { mint, owner: WALLET, amount })],
      },
    });
    findsNot(bringing(5n), UNEXPECTED);
    expect(decide(bringing(5n)).changes).toContainEqual({ asset: mint, out: '0', in: '5' });
    finds(bringing(0n), UNEXPECTED);
  });
});

describe('a claim of another wallet, or in another token', () => {
  const changed = (inputs: DecisionInputs, label: string): DecisionInputs => {
    const found = changedOperands(inputs).find((each) => each.label.endsWith(label));
    if (found === undefined) throw new Error(`no change ${label}`);
    return found.inputs();
  };

  it.each([
    ['a share', holding, 'claimUser, user is ATTACKER'],
    ['a vault', vault, 'claimUserVault, user is ATTACKER'],
    ['a partner', stage('partner claim'), 'claimPartner, partner is ATTACKER'],
  ] as const)('is refused with its difference: of %s', (_, claim, what) => {
    finds(changed(claim, what), 'matchesRequest claimant (ATTACKER; allowed WALLET)');
  });

  it("may be of a partner with any token: a partner's fees belong to no token", () => {
    expect(decisionText(withRequest(stage('partner claim'), { tokenMint: mintOf(holding) }))).toMatch(
      /^allow/,
    );
  });

  it('is not paid in an unrequested asset', () => {
    finds(withRequest(holding, { quoteMint: ATTACKER }), 'matchesRequest paidToken (');
  });

  it("reports payouts beside the wallet's payments to others' accounts, up to their rent", () => {
    const simulation = simulationOf(holding);
    const arriving = (inputs: DecisionInputs) =>
      decide(inputs).changes.find(({ asset }) => asset === 'SOL')?.in;
    const made = simulation.after.find(
      ({ exists, address }) =>
        exists && simulation.before.some((was) => was.address === address && !was.exists),
    );
    const rent = BigInt(made?.lamports ?? '0');
    const giving = (lamports: bigint): DecisionInputs => ({
      ...holding,
      simulation: {
        ...simulation,
        after: simulation.after.map((each) => {
          if (each === made) return { ...each, lamports: `${lamports}` };
          if (each.address !== WALLET) return each;
          return { ...each, lamports: `${BigInt(each.lamports) + rent - lamports}` };
        }),
      },
    });
    const honest = BigInt(arriving(holding) ?? '0');
    expect(arriving(giving(rent))).toBe(`${honest}`);
    expect(arriving(giving(1n))).toBe(`${honest}`);
    expect(arriving(giving(rent + 7n))).toBe(`${honest - 7n}`);
  });

  it('is not reported as empty if nothing was simulated', () => {
    const unavailable: DecisionInputs = {
      ...holding,
      simulation: { status: 'unavailable', reason: 'no answer' },
    };
    findsNot(unavailable, 'claimPays');
    const simulation = simulationOf(holding);
    findsNot({ ...holding, simulation: { ...simulation, error: 'failed' } }, 'claimPays');
  });
});

describe('a claim paid for by the wallet, beside an unsupported program', () => {
  const policy = policyFor('with an unsupported program');
  const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
  const beside = plus(holding, call);
  const simulation = simulationOf(beside);
  const [before, after] = [simulation.before, simulation.after];
  /** An account of another owner that the claim created and its instructions use. */
  const made = after.find(
    ({ address, exists }) =>
      exists && address !== WALLET && before.some((each) => each.address === address && !each.exists),
  );
  const mint = mintOf(holding);
  const wrapped = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
  const earned = associatedTokenAddress(WALLET, mint, TOKEN_PROGRAM);
  const beforeOf = (address: string) => before.find((each) => each.address === address);
  const fee = 5_400n;
  /** The claim receives some of the token and no SOL; the other owner's account costs this much more. */
  const costing = (inputs: DecisionInputs, more = 0n): DecisionInputs => ({
    ...inputs,
    simulation: {
      ...simulation,
      before: [...before, missing(earned)],
      after: [
        ...after.map((each): AccountFact => {
          const rent = BigInt(made?.lamports ?? '0') + more;
          if (each === made) return { ...each, lamports: `${rent}` };
          if (each.address === WALLET)
            return { ...each, lamports: `${BigInt(beforeOf(WALLET)?.lamports ?? '0') - fee - rent}` };
          return each.address === wrapped ? (beforeOf(wrapped) ?? each) : each;
        }),
        tokenAccount(earned, { mint, owner: WALLET, amount: 5n, lamports: '0' }),
      ],
    },
  });
  const decided = (inputs: DecisionInputs) => summaryOf(decide(inputs, policy));
  const LOSS = 'UNDECLARED_LOSS';

  it('pays the exact rent of a missing account that payments go to', () => {
    expect(decided(costing(beside))).not.toContain(LOSS);
    expect(decided(costing(beside, 1n))).toContain(LOSS);
  });

  it('pays for no account that exists', () => {
    const there: DecisionInputs = {
      ...beside,
      accounts: beside.accounts.map((each) => (each.address === made?.address ? made : each)),
    };
    expect(decided(costing(there))).toContain(LOSS);
    const unknown: DecisionInputs = {
      ...beside,
      accounts: beside.accounts.filter(({ address }) => address !== made?.address),
    };
    expect(decided(costing(unknown))).not.toContain(LOSS);
  });

  it('pays out nothing net of its costs for others, unless everything is decoded', () => {
    const PAYS = 'claimPays';
    /** The claim receives five lamports, less the cost of the other owner's account. */
    const brings = (inputs: DecisionInputs): DecisionInputs => {
      const shown = costing(inputs).simulation;
      if (shown.status !== 'done') throw new Error(shown.status);
      const plusFive = (each: AccountFact): AccountFact =>
        each.address === WALLET ? { ...each, lamports: `${BigInt(each.lamports) + 5n}` } : each;
      return { ...inputs, simulation: { ...shown, before, after: shown.after.slice(0, -1).map(plusFive) } };
    };
    expect(decided(brings(beside))).toContain(PAYS);
    expect(decided(brings(holding))).not.toContain(PAYS);
  });
});
