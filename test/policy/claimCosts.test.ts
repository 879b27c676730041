/** Costs of claims, and claims that receive a curve (T66, T71, T182). */

import { describe, expect, it } from 'vitest';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { virtualPool } from '../../src/programs/dbc/accounts.ts';
import { SANDBOX_PROGRAMS } from '../../src/review/templates/embedded.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { addressBytes as decodeKey } from '../../src/transaction/base58.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { account, missing, tokenAccount, withFields } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { finds, findsNot } from './recorded/attacking.ts';
import { simulationOf, withFacts, withRequest } from './recorded/edits.ts';
import {
  ATTACKER,
  decide,
  embeddedWith,
  encoded,
  instructionsOf,
  rewritten,
  stage,
  WALLET,
} from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const holding = stage('holding claim');
const askChecks = ({ checks }: Decision) => checks.filter(({ code }) => code === 'CLAIM_COSTS_MORE');

/** The claim with changed simulated accounts, one at a time. */
function simulated(
  inputs: DecisionInputs,
  change: (is: AccountFact, was: AccountFact) => AccountFact,
): DecisionInputs {
  const simulation = simulationOf(inputs);
  const after = simulation.after.map((is, i) => change(is, simulation.before[i] ?? is));
  return { ...inputs, simulation: { ...simulation, after } };
}
/** Sets the wallet's net gain in lamports, after the fee and all deposits. */
const netting = (inputs: DecisionInputs, net: bigint): DecisionInputs => {
  const [was, is] = [sol(inputs, 'before'), sol(inputs, 'after')];
  return simulated(inputs, (account) =>
    account.address === WALLET
      ? { ...account, lamports: `${BigInt(account.lamports) + net - (is - was)}` }
      : account,
  );
};
/** Lamports in the wallet and its token accounts. */
function sol({ simulation }: DecisionInputs, side: 'before' | 'after'): bigint {
  if (simulation.status !== 'done') throw new Error(simulation.status);
  const key = Buffer.from(decodeKey(WALLET)).toString('hex');
  return simulation[side]
    .filter(
      ({ address, data }) =>
        address === WALLET || Buffer.from(data, 'base64').subarray(32, 64).toString('hex') === key,
    )
    .reduce((sum, { lamports }) => sum + BigInt(lamports), 0n);
}

describe('a claim paid for by the wallet', () => {
  it('asks if it pays out no more than its network fee, with both numbers', () => {
    expect(decide(holding).effect).toBe('allow');
    expect(askChecks(decide(netting(holding, 1n)))).toEqual([]);
    for (const net of [0n, -1n, -4_000n]) {
      const decision = decide(netting(holding, net));
      expect(decision.effect).toBe('require_approval');
      expect(askChecks(decision)[0]?.observed).toMatch(/0\.\d+ SOL for 0\.\d+ SOL/);
    }
  });

  it("counts the deposit of another owner's account, not of its own", () => {
    const simulation = simulationOf(holding);
    const mint = String(holding.plan.request.tokenMint);
    const opened = (owner: string): DecisionInputs => {
      const address = keyNamed('opened').address;
      const inputs = {
        ...holding,
        simulation: {
          ...simulation,
          before: [...simulation.before, missing(address)],
          after: [...simulation.after, tokenAccount(address, { mint, owner })],
        },
      };
      return netting(inputs, -1_000_000n);
    };
    expect(askChecks(decide(opened(ATTACKER)))[0]?.observed).toContain('0.00407856 SOL stays');
    expect(askChecks(decide(opened(WALLET)))[0]?.observed).toContain('0.00203928 SOL stays');
  });

  it('asks about a deposit beside a token other than SOL in live mode, and not in the sandbox', () => {
    // The fee and the deposit are not recovered.
    const fee = BigInt(decide(holding).feeLamports);
    const nothing = netting(holding, -(2_039_280n + fee));
    expect(askChecks(decide(nothing))).toEqual([]);
    const live: DecisionInputs = { ...nothing, mode: 'live' };
    expect(askChecks(decide(live))).toHaveLength(1);
  });

  it('does not ask if the service pays', () => {
    for (const name of ['position claim', 'vault claim', 'deployer claim'])
      expect(askChecks(decide(stage(name)))).toEqual([]);
  });
});

const usdc = String(stage('curve launch v1').plan.request.quoteMint);
const [SHARE = ''] = SANDBOX_PROGRAMS.map(({ address }) => address);
const careful = embeddedWith(({ rules }) => ({
  rules: rules.map((rule) => ('unsupported' in rule ? { ...rule, unsupported: undefined } : rule)),
}));
const curve = holding.accounts.find(
  ({ owner, data }) =>
    owner === virtualPool.program &&
    Buffer.from(data, 'base64').subarray(0, 8).equals(Buffer.from(virtualPool.discriminator)),
);
if (curve === undefined) throw new Error('no curve');

/** A claim in another quote: one unsupported instruction with these accounts. */
const claim = (...handed: readonly string[]): DecisionInputs =>
  rewritten(withRequest(holding, { quoteMint: usdc }), () => [
    {
      programAddress: SHARE,
      accounts: handed.map((address) => ({ address, signer: false, writable: true })),
      data: Uint8Array.from(Buffer.from('e58e2641c6326e3a', 'hex')),
    },
  ]);
const why = (inputs: DecisionInputs): string => {
  const { checks }: Decision = decide(inputs, careful);
  return checks.find(({ code, ok }) => code === 'UNSUPPORTED_INSTRUCTION' && !ok)?.observed ?? '';
};

describe('a claim that receives the curve of its token', () => {
  const HANDED = 'the unsupported program can use the curve of the token, which the wallet created';

  it('reports it if the wallet is its creator, and not otherwise', () => {
    expect(why(claim(curve.address))).toContain(HANDED);
    expect(why(claim())).not.toContain(HANDED);
    expect(why(claim(WALLET))).not.toContain(HANDED);
    const others = withFields(virtualPool, curve, () => ({ creator: ATTACKER }));
    expect(why(withFacts(claim(curve.address), others))).not.toContain(HANDED);
    const anothers = withFields(virtualPool, curve, () => ({ baseMint: ATTACKER }));
    expect(why(withFacts(claim(curve.address), anothers))).not.toContain(HANDED);
  });

  it('reports it before simulation too, and ignores an account the chain does not show', () => {
    const untried: DecisionInputs = { ...claim(curve.address), simulation: { status: 'not_yet' } };
    expect(why(untried)).toContain(HANDED);
    const unknown = claim(keyNamed('an address the chain shows nothing of').address);
    expect(why(unknown)).toBe(why(claim()));
    expect(why(claim())).toMatch(/^[^;]+$/);
  });

  it("takes its token from the request's base mint, and has no curve if the request names none", () => {
    const { tokenMint } = holding.plan.request;
    const named = withRequest(claim(curve.address), { tokenMint: undefined, baseMint: tokenMint });
    expect(why(named)).toContain(HANDED);
    // Undecodable curve data that contains the wallet: treated as any other account.
    const broken = { ...curve, data: Buffer.from(curve.data, 'base64').subarray(1).toString('base64') };
    const unnamed = withRequest(withFacts(claim(curve.address), broken), { tokenMint: undefined });
    for (const inputs of [unnamed, withFacts(claim(curve.address), broken)])
      expect(decide(inputs, careful).checks).toContainEqual(
        expect.objectContaining({ id: 'unlistedOwner', ok: false }),
      );
    expect(decide(claim(curve.address), careful).checks).not.toContainEqual(
      expect.objectContaining({ id: 'unlistedOwner', ok: false }),
    );
  });
});

describe('a claim that opens an account of the fee share', () => {
  const PAYS = 'of non-refundable rent for an account of the fee share';
  const share = keyNamed('a fee share').address;
  const place = associatedTokenAddress(share, usdc, TOKEN_PROGRAM);
  const rent = (bytes: number) =>
    `${BigInt(holding.rent.lamportsPerByteYearTimesExemption) * BigInt(holding.rent.overheadBytes + bytes)}`;
  type Fields = Parameters<typeof tokenAccount>[1];
  const opening = (
    change: Partial<Fields> = {},
    { at = place, keeper = SHARE, before = missing(place) } = {},
  ): DecisionInputs => {
    const inputs = withFacts(claim(at), account(share, { owner: keeper }));
    const simulation = simulationOf(inputs);
    const made = tokenAccount(at, { mint: usdc, owner: share, lamports: rent(165), ...change });
    return {
      ...inputs,
      simulation: {
        ...simulation,
        before: [...simulation.before, { ...before, address: at }],
        after: [...simulation.after, made],
      },
    };
  };

  it('reports its cost only if it is exactly that', () => {
    expect(why(opening())).toContain(`the wallet pays 0.00203928 SOL ${PAYS}`);
    expect(why(claim(place))).not.toContain(PAYS);
  });

  /** Changes only the lamports that leave the wallet besides the fee. */
  const paying = (inputs: DecisionInputs, lamports: bigint): DecisionInputs => {
    const simulation = simulationOf(inputs);
    const fee = BigInt(decide(inputs, careful).feeLamports);
    const payer = inputs.stage.transaction.read().staticAccounts[0];
    const after = simulation.after.map((each, i) => {
      const was = simulation.before[i];
      if (was?.address !== WALLET) return each.address === place ? each : (was ?? each);
      const leaves = lamports + (payer === WALLET ? fee : 0n);
      return { ...was, lamports: `${BigInt(was.lamports) - leaves}` };
    });
    return { ...inputs, simulation: { ...simulation, after } };
  };
  const LEAVES = 'UNDECLARED_LOSS: simulated leavesAsAsked';

  it('may cost the wallet its exact rent, and nothing if no such account is opened', () => {
    const decisionText = (inputs: DecisionInputs) => summaryOf(decide(inputs, careful));
    const whole = BigInt(rent(165));
    expect(decisionText(paying(opening(), whole))).not.toContain(LEAVES);
    expect(decisionText(paying(opening(), whole + 1n))).toContain(LEAVES);
    for (const none of [opening({ mint: ATTACKER }), opening({ closeAuthority: ATTACKER })]) {
      expect(decisionText(paying(none, 0n))).not.toContain(LEAVES);
      expect(decisionText(paying(none, 1n))).toContain(LEAVES);
    }
  });

  it('is opened by the fee payer: another payer costs the wallet nothing', () => {
    const claimed = stage('position claim');
    const [payer = ''] = claimed.stage.transaction.read().staticAccounts;
    expect(payer).not.toBe(WALLET);
    const sponsored = (inputs: DecisionInputs): DecisionInputs => {
      const { stage: bytes, plan } = withRequest(claimed, { quoteMint: usdc });
      const simulation = simulationOf(inputs);
      const [before, after] = [simulation.before, simulation.after].map((shown) => [
        ...shown,
        account(payer),
      ]);
      if (before === undefined || after === undefined) throw new Error('nothing is shown');
      const list = instructionsOf(inputs).map(encoded);
      return rewritten(
        { ...inputs, stage: bytes, plan, simulation: { ...simulation, before, after } },
        () => list,
      );
    };
    const inputs = sponsored(opening());
    expect(why(opening())).toContain(PAYS);
    findsNot(inputs, PAYS, careful);
    findsNot(paying(inputs, 0n), LEAVES, careful);
    finds(paying(inputs, 1n), LEAVES, careful);
  });

  it('is refused without a report if the previous snapshot ends early', () => {
    const { simulation, ...inputs } = opening();
    if (simulation.status !== 'done') throw new Error(simulation.status);
    const short: DecisionInputs = {
      ...inputs,
      simulation: { ...simulation, before: simulation.before.slice(0, -1) },
    };
    expect(decide(short, careful).effect).toBe('deny');
    expect(why(short)).not.toContain(PAYS);
  });

  it.each([
    ['is of another token', () => opening({ mint: ATTACKER })],
    ['is of an account that the program does not keep', () => opening({}, { keeper: ATTACKER })],
    ['is of another owner', () => opening({ owner: ATTACKER })],
    ['can be closed by another key', () => opening({ closeAuthority: ATTACKER })],
    ['can be spent from by another key', () => opening({ delegate: ATTACKER })],
    ['holds one lamport more than its rent', () => opening({ lamports: `${BigInt(rent(165)) + 1n}` })],
    ['holds one lamport less than its rent', () => opening({ lamports: `${BigInt(rent(165)) - 1n}` })],
    ['is not at the address that is derived for it', () => opening({}, { at: ATTACKER })],
    ['was there before', () => opening({}, { before: tokenAccount(place, { mint: usdc, owner: share }) })],
    [
      'is opened for a key of which the chain shows nothing',
      () => ({ ...opening(), accounts: opening().accounts.filter(({ address }) => address !== share) }),
    ],
  ])('reports none that %s', (_, inputs) => {
    expect(why(inputs())).not.toContain(PAYS);
  });
});
