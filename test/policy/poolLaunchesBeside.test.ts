/**
 * Rarer forms of pool launches: the wallet deposits the supply itself, nothing is bought, the token already exists, or
 * more accounts are opened (T76, T93, T138).
 */

import { describe, expect, it } from 'vitest';
import { createAta } from '../../sandbox/service/build/tokens.ts';
import { amountOfAsset } from '../../src/base/format.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { mint, tokenAccount } from './accountFacts.ts';
import { approvalOfStage, coverage, withLines } from './approving.ts';
import {
  ADD,
  alone,
  beside,
  creator,
  end,
  LEAVES_CHECK,
  LOCK,
  MATCHES,
  MINT,
  mayLeave,
  OPEN,
  POSITION,
  paidTo,
  pool,
  sol,
  token,
  UNEXPECTED,
  withoutFirstBuy,
} from './directLaunch.ts';
import { labelOf } from './label.ts';
import { keyNamed } from './people.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import { instructionOf, plus, simulationOf, withAccounts } from './recorded/edits.ts';
import { readOf, withRead } from './recorded/operands.ts';
import { ATTACKER, decide, policyAskingFor, policyWith, rewritten, WALLET } from './recorded/stages.ts';

describe('a launch whose supply the wallet deposits', () => {
  const ours = associatedTokenAddress(WALLET, MINT, TOKEN_PROGRAM);
  const supply = instructionOf(token, 'token.mintTo').args.amount;
  const made = withAccounts(
    withAccounts(token, 'associatedToken.createIdempotent', { owner: WALLET, associatedToken: ours }),
    'token.mintTo',
    { account: ours },
  );
  /** The pool launch with a deposit from the wallet's token account, which held the whole supply. */
  function filled(): DecisionInputs {
    const opened = withRead(pool, OPEN, { accounts: { payer: WALLET, payerTokenA: ours } });
    const added = withRead(opened, ADD, { accounts: { tokenAAccount: ours, signer: WALLET } });
    const locked = withRead(added, LOCK, { accounts: { signer: WALLET } }, 1);
    const held = withRead(locked, POSITION, { accounts: { owner: WALLET } });
    const simulation = simulationOf(held);
    const before = simulation.before.map((each) =>
      each.address === ours ? tokenAccount(ours, { mint: MINT, owner: WALLET, amount: supply }) : each,
    );
    const all = beside(beside(held, 'launch-1', made), pool.stage.id, held);
    return { ...all, simulation: { ...simulation, before } };
  }
  const [changed = { in: '' }] = decide(pool).changes.filter(({ asset }) => asset === MINT);
  const failed = (inputs: DecisionInputs) =>
    decide(inputs)
      .checks.filter(({ ok }) => !ok)
      .map((check) => `${check.code}: ${labelOf(check)} (${check.observed})`);

  it('may show the whole supply, minted in this run, leaving', () => {
    const left = decide(filled()).checks.filter(({ id }) => id === LEAVES_CHECK);
    expect(left.map(({ ok }) => ok)).toEqual(left.map(() => true));
    expect(left.map(({ allowed }) => allowed)).toContain(amountOfAsset(supply, MINT, 6));
    expect(failed(filled()).join()).not.toContain('poolDeposit');
  });

  it('does not count that supply as spent, nor as missing from the proceeds of the first buy', () => {
    const { changes, checks } = decide(filled());
    expect(changes.find(({ asset }) => asset === MINT)).toMatchObject({ out: '0', in: changed.in });
    const arrives = checks.filter(({ id }) => id === 'promisedArrives');
    expect(arrives.map(({ ok }) => ok)).toEqual([true]);
  });

  it('stays within the approval, which does not name that supply', () => {
    const policy = policyAskingFor('');
    const approval = approvalOfStage(filled(), policy);
    expect(decide(filled(), policy).reasonCodes).toContain('APPROVAL_REQUIRED');
    expect(coverage(approval, filled(), policy)).toEqual({ covered: true });
    const paid = (isMade: boolean) =>
      withLines(approval, (line) =>
        line.id === 'pays' && (line.asset === MINT) === isMade ? undefined : line,
      );
    for (const isMade of [false, true])
      expect(coverage(paid(isMade), filled(), policy)).toMatchObject({ covered: false, line: 'pays' });
    // The supply goes only into the pool.
    const supplied = approval.statement.lines.filter((line) => line.id === 'pays' && line.asset === MINT);
    expect(supplied).toEqual([expect.objectContaining({ why: 'pool' })]);
  });

  it('may not once the token existed before the run', () => {
    const before = {
      ...filled(),
      siblings: filled().siblings.filter(({ stage: { id } }) => id !== 'launch-1'),
    };
    expect(failed(before).join()).toContain('poolDeposit');
    expect(failed(before).join()).toContain(`UNDECLARED_LOSS: simulated ${LEAVES_CHECK}`);
  });
});

it('deposits nothing of the wallet at a price that bounds no amount', () => {
  const ours = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
  const opened = (sqrtPrice?: bigint): string =>
    decisionText(
      withRead(pool, OPEN, {
        accounts: { payer: WALLET, payerTokenB: ours },
        args: sqrtPrice === undefined ? {} : { sqrtPrice },
      }),
    );
  const wrong = `${MATCHES} poolDeposit`;
  expect(opened()).not.toContain(wrong);
  expect(opened(0n)).toContain(`${wrong} (without a bound; allowed`);
});

describe('a launch without a first buy', () => {
  const bare = rewritten(withoutFirstBuy(pool), (list) =>
    list.filter((_, i) => {
      const kept = [readOf(pool, OPEN), readOf(pool, POSITION), readOf(pool, ADD)];
      const locks = [readOf(pool, LOCK), readOf(pool, LOCK, 1)];
      return [...kept, ...locks].some(({ at }) => at === i);
    }),
  );
  const first = beside(withoutFirstBuy(token), 'launch-2', bare);

  it('costs its account rent and the registration fee, plus a thousand lamports at most', () => {
    const { metadata } = readOf(token, 'metaplex.createMetadataAccountV3').named.accounts;
    expect(decisionText(first)).toMatch(/^allow/);
    const simulation = simulationOf(token);
    const deposited = simulation.after
      .filter(({ address }) => address !== WALLET)
      .reduce((sum, { lamports }) => sum + BigInt(lamports), 0n);
    const allowed = deposited + 1_000n + BigInt(decide(first).feeLamports);
    expect(mayLeave(first)).toMatchObject({ ok: true, allowed: sol(allowed) });
    expect(mayLeave(paidTo(first, metadata?.address ?? '', 1_000n))?.ok).toBe(true);
    expect(mayLeave(paidTo(first, metadata?.address ?? '', 1_001n))).toMatchObject({
      ok: false,
      code: 'UNDECLARED_LOSS',
    });
  });

  it('is still a pool launch: a token created without a pool is refused', () => {
    const none = `REQUEST_MISMATCH: partThere launch (0 times; allowed 1 times)`;
    findsNot(first, none);
    finds(alone(withoutFirstBuy(token)), none);
    // The remainder of a launch may follow by itself as long as it buys nothing.
    findsNot(alone(withoutFirstBuy(end)), none);
    finds(alone(end), none);
    // The creation of another token does not begin this launch.
    const other = withAccounts(token, 'token.initializeMint2', { mint: ATTACKER });
    findsNot(alone(withoutFirstBuy(end), [other]), none);
  });

  it('does not need a policy for trades in its quote', () => {
    const traded = policyWith((file) => ({ tokens: { ...file.tokens, mints: [MINT] } }));
    for (const each of [first, bare]) findsNot(each, 'tokenListed', traded);
    finds(pool, 'NO_RULE: tokenListed', traded);
  });
});

describe('a first buy', () => {
  const LOCKED = 'liquidityLocked';
  const { at } = readOf(pool, LOCK, 1);
  const lock: Parameters<typeof rewritten>[1] = (list) => list.filter((_, i) => i === at);
  const unlocked = rewritten(pool, (list) => list.filter((_, i) => i !== at));
  const only = rewritten(pool, lock);
  /** The lock as a separate stage, with or without a dependency of the buy on it. */
  const planned = (dependsOn: readonly string[], buy = unlocked): DecisionInputs => {
    const here = { ...buy.stage, dependsOn: [...buy.stage.dependsOn, ...dependsOn] };
    const locks = { ...only.stage, id: 'locks', dependsOn: [] };
    const own = beside({ ...buy, stage: here }, pool.stage.id, { ...buy, stage: here });
    const [first, ...others] = own.siblings;
    if (first === undefined) throw new Error('no stages');
    return { ...own, siblings: [first, { stage: locks, status: 'waiting' }, ...others] };
  };

  it('waits for the lock of its pool, which an optional stage only promises (T141)', () => {
    finds(planned([]), LOCKED);
    findsNot(planned(['locks']), LOCKED);
    // Others may buy as soon as the pool is open.
    const { at: swap } = readOf(unlocked, 'dammV2.swap2');
    const none = rewritten(withoutFirstBuy(unlocked), (list) => list.filter((_, i) => i !== swap));
    finds(planned([], none), LOCKED);
    findsNot(planned(['locks'], none), LOCKED);
  });
});

describe('a pool for an existing token', () => {
  const known = (minter?: string): DecisionInputs => ({
    ...alone(withoutFirstBuy(end)),
    accounts: [
      ...end.accounts.filter(({ address }) => address !== MINT),
      mint(MINT, minter === undefined ? {} : { mintAuthority: minter }),
    ],
  });
  const sealed = `REQUEST_MISMATCH: partThere endOfMinting (0 times; allowed 1 times)`;

  it('revokes minting of a token with a mint authority', () => {
    finds(known(creator), sealed);
    findsNot(known(), sealed);
  });

  it('has no account paid for by the wallet', () => {
    const { at } = readOf(pool, POSITION);
    const position = rewritten(withoutFirstBuy(pool), (list) => list.filter((_, i) => i === at));
    const paid = withRead(position, POSITION, { accounts: { payer: WALLET } });
    findsNot(alone(position), UNEXPECTED);
    finds(alone(paid), UNEXPECTED);
    finds(withAccounts(known(), 'associatedToken.createIdempotent', { payer: WALLET }), UNEXPECTED);
  });

  it("does not count another token's mint as supply", () => {
    const other = keyNamed('another token').address;
    const mints = encodeInstruction('token.mintTo', {
      accounts: { mint: other, account: ATTACKER, mintAuthority: creator },
      args: { amount: 10n ** 18n },
    });
    findsNot(beside(pool, 'launch-1', plus(token, mints)), 'the whole supply goes');
  });
});

describe('accounts beside a launch', () => {
  const opens = (owner: string, payer: string, of = MINT, program = TOKEN_PROGRAM) =>
    createAta(payer, owner, { mint: of, tokenProgram: program });

  it('are two of another key, including the one of the supply if that key pays for it', () => {
    const others = [creator, ATTACKER, WALLET].map((owner) => opens(owner, creator));
    const bare = rewritten(token, (list) =>
      list.filter(({ programAddress }) => programAddress !== others[0]?.programAddress),
    );
    findsNot(plus(bare, ...others.slice(0, 2)), UNEXPECTED);
    finds(plus(bare, ...others), UNEXPECTED);
  });

  it('exclude accounts whose instruction opens them without a payer', () => {
    const opened = encodeInstruction('token.initializeAccount3', {
      accounts: { account: ATTACKER, mint: MINT },
      args: { owner: ATTACKER },
    });
    finds(plus(end, opened), UNEXPECTED);
  });

  it('exclude accounts of the fee share that the wallet pays for, except its position', () => {
    const owner = instructionOf(end, 'associatedToken.createIdempotent').accounts.owner.address;
    const paid = withRead(pool, OPEN, { accounts: { payer: WALLET } });
    const own = beside(end, pool.stage.id, paid);
    finds(plus(own, opens(owner, WALLET, WSOL_MINT)), UNEXPECTED);
  });
});
