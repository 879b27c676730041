/** Owners of token accounts while a transaction's instructions run one after another. */
import { describe, expect, test } from 'vitest';
import type { Act } from '../../src/programs/acts.ts';
import { readEach, withActs } from '../../src/programs/read.ts';
import { FollowingView, holder, NO_VIEW, type View } from '../../src/programs/view.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { testAddress } from '../transaction/keys.ts';

const [account, other, mint, owner, thief] = ['account', 'other', 'mint', 'owner', 'thief'].map(
  testAddress,
) as [string, string, string, string, string];
const before: View = { tokenAccount: (address) => (address === account ? { mint, owner } : undefined) };

/** Returns the state of both accounts after the acts. */
function leaves(...acts: readonly Act[]) {
  const view = new FollowingView(before);
  for (const act of acts) view.follow(act);
  return [view.tokenAccount(account), view.tokenAccount(other)];
}
const gives = (of: string, to: string | null, right = 'owner'): Act => ({ act: 'setRight', right, of, to });
const opens = (given: Partial<Extract<Act, { act: 'openAccount' }>>): Act => ({
  act: 'openAccount',
  kind: 'token',
  account: other,
  ...given,
});

describe('a token account within a transaction', () => {
  test('belongs to the new owner once its owner right is transferred, with its balance', () => {
    expect(leaves(gives(account, thief))).toEqual([{ mint, owner: thief }, undefined]);
    expect(leaves(gives(account, thief), gives(account, other))).toEqual([{ mint, owner: other }, undefined]);
  });

  test('keeps its owner if another right is transferred, or the right goes to none or is unknown', () => {
    const same = [{ mint, owner }, undefined];
    expect(leaves(gives(account, thief, 'close authority'))).toEqual(same);
    expect(leaves(gives(account, null))).toEqual(same);
    expect(leaves(gives(other, thief))).toEqual(same);
    expect(leaves({ act: 'memo', text: account, signers: [] })).toEqual(same);
  });

  test('is known once it is opened with its mint and owner', () => {
    const opened = { mint, owner: thief };
    expect(leaves(opens(opened))).toEqual([{ mint, owner }, opened]);
    expect(leaves(opens({ ...opened, ifMissing: true }))).toEqual([{ mint, owner }, opened]);
    for (const part of [{ mint }, { owner: thief }, {}]) expect(leaves(opens(part))[1]).toBeUndefined();
    expect(leaves(opens({ ...opened, kind: 'data' }))[1]).toBeUndefined();
    expect(leaves(opens({ ...opened, kind: 'nonce' }))[1]).toBeUndefined();
  });

  test('is unchanged if opened only if missing, and new if always opened', () => {
    const opened = { account, mint: other, owner: thief };
    expect(leaves(opens({ ...opened, ifMissing: true }))[0]).toEqual({ mint, owner });
    expect(leaves(opens(opened))[0]).toEqual({ mint: other, owner: thief });
  });

  test('is unknown once closed, until it is opened again', () => {
    const closes: Act = { act: 'closeAccount', account: { account }, refundTo: owner, authority: owner };
    expect(leaves(closes)[0]).toBeUndefined();
    expect(leaves(closes, opens({ account, mint, owner: thief, ifMissing: true }))[0]).toEqual({
      mint,
      owner: thief,
    });
  });

  test('is named with its owner if known, and alone otherwise', () => {
    expect(holder(before, account)).toStrictEqual({ account, owner });
    expect(holder(before, other)).toStrictEqual({ account: other });
  });
});

test('a program with its reader disabled is reported as unsupported', () => {
  const instruction = { index: 4, program: TOKEN_PROGRAM, accounts: [], data: Uint8Array.of(17) };
  const [off] = withActs(readEach([instruction], new Set([TOKEN_PROGRAM])), NO_VIEW);
  const reason = 'the policy switches the program off';
  expect(off).toEqual({
    reading: { ...instruction, status: 'unsupported', reason },
    acts: [{ act: 'unsupported', program: TOKEN_PROGRAM, reason, accounts: [] }],
  });
});
