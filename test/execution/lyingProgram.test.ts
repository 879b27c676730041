/**
 * Programs that do something else than their instructions state. Effects are inferred from instruction bytes; with real
 * money, the simulated account must agree, or approval is required with that reason.
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { ApprovalChannel } from '../../src/approval/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { Home } from './home.ts';
import { type Lie, lyingFeeShare } from './lyingProgram.ts';
import { ended } from './real.ts';
import { newToken } from './requests.ts';

const MAINNET = GENESIS['mainnet-beta'] ?? '';
const approvalOperations: string[] = [];
const page: ApprovalChannel = {
  name: 'page',
  available: async () => true,
  ask: async (id) => {
    approvalOperations.push(id);
  },
};

let home: Home | undefined;
afterEach(async () => {
  if (home !== undefined) await ended(home);
  home = undefined;
  approvalOperations.length = 0;
});

/** Starts a home that takes its chain for mainnet: mainnet genesis hash and a mainnet policy. */
async function onMainnet(lie?: Lie): Promise<Home> {
  home = await Home.withoutMarket({
    ...(lie === undefined ? {} : { sandbox: { programs: lyingFeeShare(lie) } }),
    chain: (chain) => ({ ...chain, genesisHash: async () => MAINNET }),
    policy: (file) => ({
      ...file,
      network: 'mainnet-beta',
      programs: file.programs?.filter(({ binding }) => binding !== 'effects'),
      rules: file.rules.map((rule) => ('unsupported' in rule ? { ...rule, unsupported: undefined } : rule)),
    }),
    deps: { mode: 'live', channels: [page], answerHolds: async ({ state }) => state === 'approved' },
  });
  return home;
}

async function built(on: Home) {
  const { mint } = await newToken(on);
  const { plan } = await on.build('feeShareConfig', {
    ...{ baseMint: mint, payer: on.wallet, flow: 'damm_v2_direct', admin: on.wallet },
    claimersArray: [on.wallet, on.sandbox.service.keys.treasury.address],
    basisPointsArray: [6000, 4000],
  });
  return plan?.planId ?? '';
}

describe('a config on a public network, read through an inferred layout', () => {
  it.each(['shares', 'claimers', 'manager'] as const)(
    'asks the owner, with the reason, if the program writes other %s than its instruction states (T95)',
    async (lie) => {
      const on = await onMainnet(lie);
      const id = await built(on);
      const shown = await on.submit(id);
      expect(shown).toMatchObject({
        status: 'approval_required',
        decision: {
          reasonCodes: ['APPROVAL_REQUIRED', 'READING_INFERRED'],
        },
      });
      expect(on.signatures).toBe(0);
      expect(new Set(approvalOperations).size).toBe(1);
    },
  );

  it.each(['shares'] as const)(
    'is not complete after an approval if the program wrote other %s (T95)',
    async (lie) => {
      const on = await onMainnet(lie);
      const id = await built(on);
      await on.submit(id);
      await on.ledger.answerApproval(approvalOperations[0] ?? '', { state: 'approved', channel: 'page' });
      const done = await on.submit(id);
      expect(done).toMatchObject({ status: 'unknown' });
      expect(on.signatures).toBe(done.stages.length);
    },
  );

  it('executes without a question if the program writes what its instruction states', async () => {
    const on = await onMainnet();
    expect(await on.submit(await built(on))).toMatchObject({ status: 'complete' });
    expect(approvalOperations).toEqual([]);
  });
});
