/**
 * A run that has begun under an approval may be finished under it for a day after its first signature, so that a plan
 * that landed in part is not stuck. What is left after that is asked about again.
 */
import { afterEach, expect, it } from 'vitest';
import { createAnswering } from '../../src/approval/answering.ts';
import { answerCheck } from '../../src/approval/answers.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { Home } from '../landing/home.ts';
import { ended } from '../landing/real.ts';
import { configRequest } from '../landing/requests.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { passphrase, withOwner } from './owner.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const asksAboutConfigs = (file: PolicyFile): PolicyFile => ({
  ...file,
  rules: file.rules.map((rule) =>
    rule.operation === 'config' ? { ...rule, effect: 'require_approval' } : rule,
  ),
});

let home: Home | undefined;
afterEach(async () => {
  if (home !== undefined) await ended(home);
  home = undefined;
});

/** A home whose person has the owner key; the service can be made to fail, and time to pass. */
async function start() {
  const folder = temporaryHome();
  const ownerPublicKey = await withOwner(folder);
  const state = { later: 0, isDown: false };
  const now = () => Date.now() + state.later;
  const started: Home = await Home.start({
    policy: asksAboutConfigs,
    sandbox: { encoding: 'real' },
    clock: (time) => ({ ...time, now: () => time.now() + state.later }),
    deps: {
      mode: 'live',
      answerHolds: answerCheck({ mode: 'live', ownerPublicKey, now }),
      service: {
        call: async (endpoint, fields) => {
          if (state.isDown) throw new Error('the service is down');
          return started.call(endpoint, fields);
        },
      },
    },
  });
  home = started;
  const answering = createAnswering({ home: folder, ledger: started.ledger, ownerPublicKey });
  const yes = async (planId: string) => {
    const [row] = await started.ledger.approvals({ planId });
    const { id = '', envelopeDigest = '' } = row ?? {};
    await answering.approve({ id, envelopeDigest, channel: 'command', passphrase: passphrase() });
  };
  /** A config of forty earners: its lookup table lands, and then the service is down. */
  const begun = async () => {
    const { plan } = await started.build('feeShareConfig', await configRequest(started, 40));
    const planId = plan?.planId ?? '';
    expect(await started.submit(planId)).toMatchObject({ status: 'approval_required' });
    state.isDown = true;
    await yes(planId);
    await expect(started.submit(planId)).rejects.toThrow('the service is down');
    expect(started.signatures).toBeGreaterThan(0);
    await started.landing.idle();
    state.isDown = false;
    return planId;
  };
  return { home: started, state, begun, yes, folder };
}

it('finishes a run that has begun hours after its approval would have expired', async () => {
  const { home, state, begun } = await start();
  const planId = await begun();
  state.later += 23 * HOUR;
  expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
  expect(await home.ledger.approvals({ planId })).toHaveLength(1);
}, 60_000);

it('asks again about what is left a day after the first signature', async () => {
  const { home, state, begun, yes } = await start();
  const planId = await begun();
  const signed = home.signatures;
  state.later += 25 * HOUR;
  expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
  expect(home.signatures).toBe(signed);
  expect(await home.ledger.approvals({ planId })).toHaveLength(2);
  await yes(planId);
  expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
}, 60_000);

it('does not hold longer than it says where nothing was signed in time', async () => {
  const { home, state, yes } = await start();
  const { plan } = await home.build('feeShareConfig', await configRequest(home, 40));
  const planId = plan?.planId ?? '';
  expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
  state.isDown = true;
  await yes(planId);
  state.later += 11 * MINUTE;
  state.isDown = false;
  expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
  expect(home.signatures).toBe(0);
}, 60_000);
