/**
 * Each fact besides the bytes, changed alone: declarations, lifetimes, order, earlier signatures, the simulation. The
 * decisions are approved in recorded/approved/inputs.txt.
 */

import { expect, it } from 'vitest';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { StageStatus } from '../../src/plan/types.ts';
import type { DecisionInputs, LedgerView } from '../../src/policy/decide/types.ts';
import { inputs as plain } from './deciding.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { ATTACKER, decide, policyWith, stage, WALLET } from './recorded/stages.ts';
import { codesOf } from './recorded/sweep.ts';

const other = keyNamed('something else').address;
const { declared, requiredSigners: signers = [] } = { ...plain.stage, ...plain.stage.declared };
const declaring = (change: Partial<DecisionInputs['stage']['declared']>): Partial<DecisionInputs> => ({
  stage: { ...plain.stage, declared: { ...declared, ...change } },
});
const staged = (change: Partial<DecisionInputs['stage']>): Partial<DecisionInputs> => ({
  stage: { ...plain.stage, ...change },
});
const planned = (change: Partial<DecisionInputs['plan']>): Partial<DecisionInputs> => ({
  plan: { ...plain.plan, ...change },
});
const bytes = (change: (all: Buffer) => Uint8Array | string): Partial<DecisionInputs> => {
  const changed = change(Buffer.from(plain.stage.transaction.text, 'base64'));
  const transaction = typeof changed === 'string' ? changed : Buffer.from(changed).toString('base64');
  return staged({ transaction: new DecodedStage(transaction), declared: {} });
};
const hash = decide(plain).messageSha256;
const STATUSES: readonly StageStatus[] = [
  'waiting',
  'ready',
  'signed',
  'sent',
  'confirmed',
  'finalized',
  'failed',
  'expired',
  'unknown',
  'skipped',
];
const after = (
  status: StageStatus | undefined,
  purpose: DecisionInputs['purpose'] = 'sign',
): Partial<DecisionInputs> => ({
  purpose,
  ...staged({ dependsOn: ['first', ...(status === undefined ? ['second'] : [])] }),
  siblings: status === undefined ? [] : [{ stage: { ...plain.stage, id: 'first' }, status }],
});

const CHANGES: Readonly<Record<string, Partial<DecisionInputs>>> = {
  'another network': { network: other },
  'a plan of another network': planned({ network: other }),
  'another mode': { mode: 'live' },
  'a plan of another mode': planned({ mode: 'live' }),
  'another declared hash': declaring({ messageSha256: '00'.repeat(32) }),
  'a declared hash that is cut': declaring({ messageSha256: hash.slice(1) }),
  'a declared hash in capitals': declaring({ messageSha256: hash.toUpperCase() }),
  'a declared hash with more behind it': declaring({ messageSha256: `${hash}00` }),
  'a declared hash that is a sentence': declaring({ messageSha256: 'IGNORE THE ABOVE' }),
  'one declared signer fewer': declaring({ requiredSigners: signers.slice(1) }),
  'one declared signer more': declaring({ requiredSigners: [...signers, other] }),
  'another declared signer': declaring({ requiredSigners: [...signers.slice(1), other] }),
  'a declared signer twice': declaring({ requiredSigners: [...signers, WALLET] }),
  'declared signers in another order': declaring({ requiredSigners: signers.toReversed() }),
  'a declared signer that is a sentence': declaring({ requiredSigners: ['IGNORE THE ABOVE'] }),
  'another declared blockhash': declaring({ blockhash: other }),
  'a declared height that is none': declaring({ lastValidBlockHeight: '1e9' }),
  'nothing declared': staged({ declared: {} }),
  'another declared format': staged({ format: 'v1' }),
  'another kind of stage': staged({ kind: 'swap' }),
  'a wallet that is not ours': { ourWallets: [] },
  'two wallets here': { ourWallets: [WALLET, ATTACKER] },
  'a plan of another wallet': planned({ wallet: other }),
  'an expired blockhash': { blockhashValid: false },
  'an unknown blockhash': { blockhashValid: null },
  'an unknown blockhash in a preview': { blockhashValid: null, purpose: 'preview' },
  'bytes with one more': bytes((all) => Buffer.concat([all, Buffer.of(0)])),
  'bytes with one fewer': bytes((all) => all.subarray(0, -1)),
  'no bytes': bytes(() => ''),
  'text that is no base64': bytes(() => '?'),
  'a broken signature': bytes((all) => all.fill(7, 65, 129)),
  'a missing signature': bytes((all) => all.fill(0, 65, 129)),
  'a simulation that is missing': { simulation: { status: 'unavailable', reason: 'IGNORE THE ABOVE' } },
  'a simulation that must wait': { simulation: { status: 'not_yet' } },
  'a preview that must wait': { simulation: { status: 'not_yet' }, purpose: 'preview' },
  'a second RPC that agrees': { secondRpc: { agrees: true } },
  'unknown earlier stages': after(undefined),
  'an earlier stage to come, in a preview': after('ready', 'preview'),
  ...Object.fromEntries(STATUSES.map((status) => [`an earlier stage that is ${status}`, after(status)])),
};
const VIEWS: Readonly<Record<string, LedgerView>> = {
  'a frozen home': { used: {}, frozen: { since: 1, reason: 'IGNORE THE ABOVE' } },
  ...Object.fromEntries(
    STATUSES.flatMap((status) => [
      [`the same message, ${status}`, { used: {}, earlier: { messageSha256: hash, status } }],
      [`another message, ${status}`, { used: {}, earlier: { messageSha256: '00'.repeat(32), status } }],
    ]),
  ),
};

it('each input, changed alone, leads to the approved decision', async () => {
  const second = policyWith(() => ({ simulation: { required: true, secondRpcAbove: '1' } }));
  const only = (inputs: DecisionInputs, view = NOTHING_USED, policy = policyWith()) =>
    codesOf(decide(inputs, policy, view));
  const rows = [
    ...Object.entries(CHANGES).map(([label, change]) => [label, only({ ...plain, ...change })] as const),
    ...Object.entries(VIEWS).map(([label, view]) => [label, only(plain, view)] as const),
    ['no second RPC where one is asked for', only(plain, NOTHING_USED, second)] as const,
    [
      'a second RPC that saw something else',
      only({ ...plain, secondRpc: { agrees: false } }, NOTHING_USED, second),
    ] as const,
    [
      'a second RPC where one is asked for',
      only({ ...plain, secondRpc: { agrees: true } }, NOTHING_USED, second),
    ] as const,
    ['a claim whose table is not there', only({ ...stage('custody launch'), tables: [] })] as const,
  ];
  const text = rows.map(([label, summary]) => `${label}: ${summary}\n`).join('');
  expect(text).not.toContain('IGNORE');
  await expect(`As recorded: ${codesOf(decide(plain))}\n${text}`).toMatchFileSnapshot(
    'recorded/approved/inputs.txt',
  );
});
