/**
 * Approved claims: the "at least" amount of the approval request holds for everything signed afterwards. Earned fees
 * are known only from the chain, so they may change between approval and signature.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalChannel } from '../../src/approval/types.ts';
import { DAMM_V2_PROGRAM } from '../../src/programs/dammV2/addresses.ts';
import { minIn } from '../approval/stated.ts';
import { Home } from './home.ts';
import { ended } from './real.ts';
import { buy, seeded } from './requests.ts';

const approvalOperations: string[] = [];
const page: ApprovalChannel = {
  name: 'page',
  available: async () => true,
  ask: async (id) => {
    approvalOperations.push(id);
  },
};

let home: Home;
beforeEach(async () => {
  approvalOperations.length = 0;
  home = await Home.withoutMarket({
    policy: (file) => ({
      ...file,
      rules: file.rules.map((rule) =>
        rule.operation === 'position_claim' ? { ...rule, effect: 'require_approval' as const } : rule,
      ),
    }),
    deps: { channels: [page] },
  });
});
afterEach(() => ended(home));

/** Restores the pools to their current state, which removes fees earned later. */
function snapshotPools(): () => void {
  const { chain } = home.sandbox;
  const kept = chain.programAccounts(DAMM_V2_PROGRAM);
  return () => {
    for (const [address, account] of kept) chain.setAccount(address, account);
    // The confirmed state lags behind.
    home.sandbox.advanceSlots(3);
  };
}

/** Builds a claim that waits for approval. Returns it with the minimum amount shown. */
async function askClaim(mint: string) {
  const { plan } = await home.build('claimTxs', { feeClaimer: home.wallet, tokenMint: mint });
  const id = plan?.planId ?? '';
  expect(await home.submit(id)).toMatchObject({ status: 'approval_required' });
  return { id, ...(await shown(id)) };
}

async function shown(planId: string) {
  const [row] = await home.ledger.rows('approvals', { planId });
  if (row === undefined) throw new Error('nothing was asked');
  return { approvalId: row.id, least: minIn(row, 'SOL') };
}

const approve = (id: string) => home.ledger.answerApproval(id, { state: 'approved', channel: 'page' });

describe('an approved claim', () => {
  it('asks again if it would pay less than the question stated (T40)', async () => {
    const mint = await seeded(home, 'HARBOR');
    await buy(home, mint, '500000000');
    const less = snapshotPools();
    await buy(home, mint, '1000000000');
    await home.plans.idle();
    const signed = home.signatures;

    const first = await askClaim(mint);
    expect(first.least).toBeGreaterThan(0n);
    await approve(first.approvalId);
    less();

    expect(await home.submit(first.id)).toMatchObject({ status: 'approval_required' });
    expect(home.signatures).toBe(signed);
    const second = await shown(first.id);
    expect(second.approvalId).not.toBe(first.approvalId);
    expect(second.least).toBeGreaterThan(0n);
    expect(second.least).toBeLessThan(first.least);

    await approve(second.approvalId);
    expect(await home.submit(first.id)).toMatchObject({ status: 'complete' });
    expect(new Set(approvalOperations)).toEqual(new Set([first.approvalId, second.approvalId]));
  });

  it.each(['the same', 'more'])('executes without a second question if it pays %s', async (brings) => {
    const mint = await seeded(home, 'HARBOR');
    await buy(home, mint, '500000000');
    const { id, approvalId } = await askClaim(mint);
    await approve(approvalId);
    if (brings === 'more') await buy(home, mint, '1000000000');
    expect(await home.submit(id)).toMatchObject({ status: 'complete' });
    expect(new Set(approvalOperations)).toEqual(new Set([approvalId]));
  });
});
