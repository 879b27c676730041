/**
 * T190: an attacker's program that is harmless if it detects an early clock, a missing account or a copy of the chain,
 * and otherwise takes a SOL. Its rehearsal looks harmless; the decision equals the one without a rehearsal.
 */
import { LiteSVM } from 'litesvm';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { SandboxChain } from '../../sandbox/chain/chain.ts';
import { deploy } from '../../sandbox/programs/deploy.ts';
import { compiledProgram } from '../../sandbox/programs/standIns.ts';
import { compileDraft, type Draft } from '../../sandbox/service/build/compile.ts';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import type { Rehearse } from '../../src/rehearsal/rehearse.ts';
import type { RehearsalFact } from '../../src/rpc/types.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { SYSTEM_PROGRAM, SYSVAR_CLOCK } from '../../src/transaction/programs.ts';
import { Home } from '../execution/home.ts';
import { ended } from '../execution/real.ts';
import { swapRequest } from '../execution/requests.ts';
import { unsupportedProgram } from '../policy/people.ts';
import { testKey } from '../transaction/keys.ts';
import { played } from './failures.ts';
import { rehearsalOf } from './scene.ts';

const PROGRAM = testKey('two faces').address;
const ATTACKER = testKey('attacker').address;
const PLACE = testKey('a place').address;
const SOL = 1_000_000_000n;

interface Face {
  /** Kind of the condition, its argument, and the inspected account. */
  readonly kind: number;
  readonly word: (slot: number) => bigint;
  readonly sees: string;
  /** Chain change before execution that triggers the malicious behaviour. */
  readonly turns?: (chain: SandboxChain) => void;
  /** Whether the simulation shows that behaviour, too. */
  readonly isSimulated?: true;
}

const FACES: Readonly<Record<string, Face>> = {
  'an early clock': {
    ...{ kind: 0, word: (slot) => BigInt(slot + 50), sees: SYSVAR_CLOCK },
    turns: (chain) => chain.advanceSlots(60),
  },
  'a missing account': {
    ...{ kind: 1, word: () => 0n, sees: PLACE },
    turns: (chain) => void chain.airdrop(PLACE, SOL),
  },
  // The rehearsal's newest blockhash is the runtime's own.
  'a copy of the chain': {
    ...{ kind: 2, sees: 'SysvarS1otHashes111111111111111111111111111', isSimulated: true },
    word: () => Buffer.from(addressBytes(new LiteSVM().latestBlockhash())).readBigUInt64LE(),
  },
};

/** Adds a call of the program, which hides a transfer of these lamports, to a draft. */
function withCall(draft: Draft, wallet: string, { kind, word, sees }: Face, slot: number, lamports: bigint) {
  const { accounts, data } = systemTransfer(wallet, ATTACKER, lamports);
  const head = Buffer.alloc(9);
  head.writeUInt8(kind, 0);
  head.writeBigUInt64LE(word(slot), 1);
  const read = (address: string) => ({ address, signer: false, writable: false });
  const call = {
    programAddress: PROGRAM,
    accounts: [read(sees), read(SYSTEM_PROGRAM), ...accounts],
    data: new Uint8Array([...head, ...data]),
  };
  return { ...draft, instructions: [...draft.instructions, call] };
}

type Effect = 'allow' | 'require_approval';
interface Options {
  readonly effect: Effect;
  readonly isRehearsed: boolean;
  /** Lamports of the hidden transfer. */
  readonly lamports?: bigint;
}

/** Builds a swap with the added call, and submits it on a home whose policy admits the program. */
async function submitted(home: Home, face: Face, { effect, isRehearsed, lamports = SOL }: Options) {
  const { service, chain } = home.sandbox;
  let fact: RehearsalFact | undefined;
  const rehearse: Rehearse = async (plan, own) => {
    fact = await rehearsalOf(home)(plan, own);
    return fact;
  };
  const on = home.again({
    policy: (file) => ({
      ...file,
      rules: file.rules.map((rule) => (rule.operation === 'swap' ? { ...rule, effect } : rule)),
      programs: [
        ...file.programs,
        unsupportedProgram(PROGRAM, {
          label: 'venue',
          operations: ['swap'],
          instructions: ['00', '01', '02'],
        }),
      ],
    }),
    ...(isRehearsed ? { deps: { rehearse } } : {}),
  });
  onTestFinished(() => on.close());
  const honest = service.compile;
  service.compile = (draft) =>
    compileDraft(withCall(draft, home.wallet, face, chain.slot, lamports), service.onchain.lifetime());
  const { plan } = await on.build('tradeSwap', await swapRequest(on));
  service.compile = honest;
  const planId = plan?.planId ?? '';
  const shown = await on.submit(planId);
  const decided = { status: shown.status, codes: shown.decision.reasonCodes, signatures: on.signatures };
  return { on, planId, fact, decided, approval: shown.approval?.id ?? '' };
}

/** Returns the SOL spent by the wallet in a rehearsal. */
const spentIn = (fact: RehearsalFact | undefined): bigint =>
  fact?.status === 'done'
    ? -BigInt(fact.stages[0]?.changes.find(({ asset }) => asset === 'SOL')?.by ?? 0)
    : -1n;

describe.each(Object.entries(FACES))('T190 a program that detects %s', (_, face) => {
  let home: Home;
  beforeEach(async () => {
    home = await Home.start();
    onTestFinished(() => ended(home));
    deploy(home.sandbox.chain, PROGRAM, compiledProgram('twoFaced'));
    home.sandbox.chain.airdrop(ATTACKER, SOL);
    home.sandbox.advanceSlots(3);
  });

  test('is decided as without its rehearsal, which shows no loss', async () => {
    const effects: readonly Effect[] = ['require_approval', 'allow'];
    for (const effect of effects) {
      const [one, other] = [
        await submitted(home, face, { effect, isRehearsed: true }),
        await submitted(home, face, { effect, isRehearsed: false }),
      ];
      expect(spentIn(one.fact)).toBeGreaterThan(0n);
      expect(spentIn(one.fact)).toBeLessThan(SOL);
      expect(one.decided).toEqual(other.decided);
      if (effect === 'require_approval') expect(one.decided).toMatchObject({ signatures: 0 });
      if (face.isSimulated) expect(one.decided).toMatchObject({ status: 'denied', signatures: 0 });
    }
  });

  test('behaves differently on chain, where the same transaction takes the SOL', async () => {
    const { on, planId } = await submitted(home, face, { effect: 'require_approval', isRehearsed: true });
    const plan = (await on.ledger.planRows(planId))?.plan;
    if (plan === undefined) throw new Error('no plan');
    face.turns?.(home.sandbox.chain);
    const { isDone, after } = played(home, plan);
    expect(isDone).toBe(true);
    expect(after.get(ATTACKER)?.lamports).toBe(2n * SOL);
  });

  test('allows its honest twin: the same call that takes nothing', async () => {
    const { on, planId, decided, approval } = await submitted(home, face, {
      ...{ effect: 'require_approval', isRehearsed: true, lamports: 0n },
    });
    expect(decided).toMatchObject({ status: 'approval_required', codes: ['APPROVAL_REQUIRED'] });
    await on.ledger.answerApproval(approval, { state: 'approved', channel: 'page' });
    expect(await on.submit(planId)).toMatchObject({ status: 'complete' });
    expect(home.sandbox.chain.getAccount(ATTACKER)?.lamports).toBe(SOL);
  });
});
