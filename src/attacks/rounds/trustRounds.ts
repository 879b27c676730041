/**
 * Rounds in which something trusted is hostile: the user's own RPC, or a program the policy allows unread (T16, T34,
 * T55, T65, T66).
 */
import type { UnreadProgram } from '../../policy/file/schema.ts';
import { startRpc } from '../../sandbox/rpc/server.ts';
import type { Row, RowHead } from '../row.ts';
import {
  ACCEPTED_SLOT,
  ATTACKS,
  type Attack,
  type AttackTools,
  acceptedProgram,
  lyingChain,
  passingOn,
  unreadProgramOf,
} from '../service/index.ts';
import { landedBy, submitted } from '../world/refusal.ts';
import { whatIf } from '../world/whatIf.ts';
import type { World } from '../world/world.ts';
import { type OwnRound, ownRound } from './agentRounds.ts';
import { buy, landHonestly } from './asks.ts';
import { policyWith, through } from './elsewhere.ts';
import { shownRow } from './round.ts';

const attackOf = (name: string): Attack => {
  const attack = ATTACKS.get(name);
  if (attack === undefined) throw new RangeError(`no attack is called ${name}`);
  return attack;
};

/** Asks for a trade of the service gone bad, through whatever server this world has, and then of the honest one. */
async function playHere(head: RowHead, here: World, name: string): Promise<Row> {
  const { sandbox } = here;
  const { hostile } = sandbox.service;
  const request = await buy(here);
  try {
    hostile.use(name);
    hostile.begin();
    sandbox.advanceSlots(2);
    const built = await request();
    sandbox.advanceSlots(2);
    const refused = await submitted(here, built);
    const shown = await whatIf(here, refused.stages, attackOf(name));
    hostile.use(undefined);
    sandbox.advanceSlots(2);
    const twin = await landedBy(here, await landHonestly(here, request));
    return shownRow(head, refused, shown, twin, { against: twin });
  } finally {
    hostile.use(undefined);
  }
}

/** The user's own RPC lies about a lookup table; a second RPC does not. */
const lyingRpc = ((): OwnRound => {
  const { row, does, takes, code } = attackOf('table-lies');
  return ownRound({ step: 'table-lies', row, does, takes, expectedCode: code }, async (world, head) => {
    const { sandbox } = world;
    const { hostile } = sandbox.service;
    const liar = await startRpc({ chain: lyingChain(sandbox.chain, hostile.tools.lies) });
    try {
      const policy = policyWith(world, ({ simulation }) => ({
        simulation: { required: simulation?.required ?? true, secondRpcAbove: '1000000' },
      }));
      const { world: here } = await through(world, {
        policy,
        rpcUrl: liar.rpcUrl,
        secondRpcUrl: sandbox.rpcUrl,
      });
      return await playHere(head, here, 'table-lies');
    } finally {
      await liar.close();
    }
  });
})();

type AllowedProgram = Pick<UnreadProgram, 'address' | 'deployedSlot'> & Partial<UnreadProgram>;

/** An attack of the service by its name, on a server whose policy lets an unread program stand in the plan. */
function onUnreadProgram(
  name: string,
  head: Pick<RowHead, 'step' | 'expectedCode'> & Partial<Pick<RowHead, 'row'>>,
  program: (tools: AttackTools) => AllowedProgram,
): OwnRound {
  const { row, does, takes } = attackOf(name);
  return ownRound({ row, does, takes, ...head }, async (world, whole) => {
    const allowed: UnreadProgram = {
      binding: 'effects',
      label: 'venue',
      operations: ['swap'],
      // What goes through it is a new account or a transfer, which begin like this.
      instructions: ['00000000', '02000000'],
      atMost: 1,
      ...program(world.sandbox.service.hostile.tools),
    };
    const policy = policyWith(world, ({ programs }) => ({ programs: [...programs, allowed] }));
    return playHere(whole, (await through(world, { policy })).world, name);
  });
}

const hidden = onUnreadProgram(
  'hidden-in-program',
  { step: 'hidden-in-allowed-program', expectedCode: 'UNDECLARED_LOSS' },
  (tools) => ({ address: passingOn(tools) }),
);

const prepared = onUnreadProgram(
  'prepared-account',
  { step: 'prepared-account', expectedCode: 'UNDECLARED_LOSS' },
  (tools) => ({ address: passingOn(tools) }),
);

const rent = onUnreadProgram(
  'rent-by-program',
  { step: 'rent-by-program', expectedCode: 'UNDECLARED_LOSS' },
  (tools) => ({ address: passingOn(tools) }),
);

const replaced = onUnreadProgram(
  'accepted-program-replaced',
  { step: 'accepted-program-replaced', expectedCode: 'PROGRAM_NOT_ALLOWED' },
  (tools) => ({ address: acceptedProgram(tools), deployedSlot: ACCEPTED_SLOT }),
);

/** A program of which the policy names the transfers it passes on, for trades. */
const others = onUnreadProgram(
  'other-unread-instruction',
  { step: 'other-unread-instruction', expectedCode: 'INSTRUCTION_UNKNOWN' },
  (tools) => ({ address: unreadProgramOf(tools) }),
);

/** The same call where the policy names it for claims, and a trade was asked for. */
const elsewhere = onUnreadProgram(
  'hidden-in-program',
  { step: 'named-for-another-operation', expectedCode: 'UNEXPECTED_INSTRUCTION', row: 'T75' },
  (tools) => ({ address: passingOn(tools), operations: ['holding_claim', 'position_claim'] }),
);

/** Calls the policy does name, which reach what the wallet has elsewhere. */
const nonce = onUnreadProgram(
  'unread-nonce',
  { step: 'unread-nonce', expectedCode: 'AUTHORITY_CHANGE' },
  (tools) => ({ address: unreadProgramOf(tools), instructions: ['05000000'] }),
);
const programAway = onUnreadProgram(
  'unread-program-authority',
  { step: 'unread-program-authority', expectedCode: 'AUTHORITY_CHANGE' },
  (tools) => ({ address: unreadProgramOf(tools), instructions: ['04000000'] }),
);
const manager = onUnreadProgram(
  'unread-fee-manager',
  { step: 'unread-fee-manager', expectedCode: 'AUTHORITY_CHANGE' },
  (tools) => ({ address: unreadProgramOf(tools), instructions: ['8d4a11ae7c0baae3'] }),
);

export const TRUST_ROUNDS: readonly OwnRound[] = [
  lyingRpc,
  hidden,
  prepared,
  rent,
  replaced,
  others,
  elsewhere,
  nonce,
  programAway,
  manager,
];
