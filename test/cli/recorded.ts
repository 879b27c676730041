/**
 * Home with history: real plans of a real sandbox, landed, refused, awaiting approval, waiting and in doubt. No ledger
 * row is written by hand.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compileDraft } from '../../sandbox/service/build/compile.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { embeddedPolicy } from '../../src/review/templates/embedded.ts';
import type { Chain } from '../../src/rpc/types.ts';
import { eventually } from '../eventually.ts';
import { Home } from '../execution/home.ts';
import { configRequest, launchRequest, swapRequest } from '../execution/requests.ts';
import { keyNamed } from '../policy/world.ts';

/** Unknown program called by a refused plan. */
export const STRANGE_PROGRAM = keyNamed('strange program').address;

export interface RecordedHome {
  /** Home folder for `--home`. */
  readonly folder: string;
  readonly home: Home;
  readonly plans: {
    /** Landed and final fee share config. */
    readonly landed: string;
    /** Landed and final swap. */
    readonly swapped: string;
    /** Refused config that calls a strange program. */
    readonly refused: string;
    /** Launch with an open approval request. */
    readonly openPlan: string;
    /** Config that was not submitted. */
    readonly waiting: string;
  };
  /** Policy of all decisions, and an alternative with lower trade limits and free launches. */
  readonly policyFile: string;
  readonly otherPolicyFile: string;
  /** Writes a file next to the policies; returns its path. */
  write(name: string, content: unknown): string;
  /** Signs one more config, loses the RPC's answer, and stops. Returns its plan. */
  leaveInDoubt(): Promise<string>;
  close(): Promise<void>;
}

const asking = (file: PolicyFile): PolicyFile => ({
  ...file,
  id: 'recorded',
  rules: file.rules.map((rule) =>
    rule.operation === 'launch' ? { ...rule, effect: 'require_approval' as const } : rule,
  ),
});

const lossy = (chain: Chain): Chain => ({
  ...chain,
  send: async () => ({ outcome: 'unclear', reason: 'lost' }),
});

export async function recordedHome(): Promise<RecordedHome> {
  const home = await Home.start({ policy: asking });
  const { sandbox } = home;
  const build = async (endpoint: Parameters<Home['build']>[0], fields: Readonly<Record<string, unknown>>) => {
    const { plan } = await home.build(endpoint, fields);
    if (plan === null) throw new Error(`${endpoint} gave no plan`);
    return plan.planId;
  };
  const landed = await build('feeShareConfig', await configRequest(home, 3));
  await home.submit(landed);
  const swapped = await build('tradeSwap', await swapRequest(home));
  await home.submit(swapped);

  const honest = sandbox.service.compile;
  sandbox.service.compile = (draft) =>
    compileDraft(
      {
        ...draft,
        instructions: [
          ...draft.instructions,
          {
            programAddress: STRANGE_PROGRAM,
            accounts: [{ address: home.wallet, signer: true, writable: true }],
            data: Uint8Array.from([9, 8, 7, 6, 5, 4, 3, 2, 1]),
          },
        ],
      },
      sandbox.service.onchain.lifetime(),
    );
  const refused = await build('feeShareConfig', await configRequest(home, 1));
  sandbox.service.compile = honest;
  await home.submit(refused);

  const questionPlan = await build('dammLaunch', await launchRequest(home));
  await home.submit(questionPlan);
  const waiting = await build('feeShareConfig', await configRequest(home, 2));
  await home.plans.idle();

  const files = mkdtempSync(join(tmpdir(), 'recorded-'));
  const write = (name: string, content: unknown): string => {
    const path = join(files, name);
    writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    return path;
  };
  const file = asking(embeddedPolicy({ wallet: home.wallet, network: sandbox.genesisHash }));
  const other: PolicyFile = {
    ...file,
    limits: [
      { id: 'sol-step', asset: 'SOL', window: 'transaction', max: '50000000', why: 'smaller steps' },
      ...file.limits.filter((limit) => limit.id !== 'sol-tx'),
    ],
    rules: file.rules.map((rule) =>
      rule.operation === 'launch' ? { ...rule, effect: 'allow' as const } : rule,
    ),
  };
  return {
    folder: dirname(home.file),
    home,
    plans: { landed, swapped, refused, openPlan: questionPlan, waiting },
    policyFile: write('policy.json', file),
    otherPolicyFile: write('other.json', other),
    write,
    leaveInDoubt: async () => {
      const silent = home.again({ policy: asking, chain: lossy });
      const { plan } = await silent.build('feeShareConfig', await configRequest(silent, 1));
      const planId = plan?.planId ?? '';
      void silent.submit(planId).catch(() => undefined);
      await eventually(async () => {
        const [row] = await silent.ledger.rows('journal', { planId });
        if (row?.state !== 'sent') throw new Error('not sent yet');
      });
      await silent.close();
      return planId;
    },
    close: async () => {
      await home.close();
      await sandbox.close();
    },
  };
}
