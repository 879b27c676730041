/**
 * Rounds with a hostile trusted party: the user's RPC, or an unsupported program that the policy allows (T16, T34, T55, T65,
 * T66).
 */
import type { UnsupportedProgram } from '../../../src/policy/file/schema.ts';
import { startRpc } from '../../rpc/server.ts';
import type { RowHead } from '../row.ts';
import {
  ACCEPTED_SLOT,
  type AttackTools,
  acceptedProgram,
  lyingChain,
  passingOn,
  unsupportedProgramOf,
} from '../service/index.ts';
import { type OwnRound, ownRound } from './agentRounds.ts';
import { buy } from './asks.ts';
import { policyWith, through } from './elsewhere.ts';
import { attackOf, playRoundIn } from './round.ts';

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
      return await playRoundIn(here, head, { attack: 'table-lies', ask: buy });
    } finally {
      await liar.close();
    }
  });
})();

type AllowedProgram = Pick<UnsupportedProgram, 'address' | 'deployedSlot'> & Partial<UnsupportedProgram>;

const relay = (tools: AttackTools): AllowedProgram => ({ address: passingOn(tools) });

/**
 * Service attacks on servers whose policy admits an unsupported program: attack, expected code, program, and the name or row
 * where the round's differ from the attack's.
 */
const ON_UNSUPPORTED_PROGRAMS: readonly (readonly [
  attack: string,
  expectedCode: string,
  program: (tools: AttackTools) => AllowedProgram,
  head?: Partial<Pick<RowHead, 'step' | 'row'>>,
])[] = [
  ['hidden-in-program', 'UNDECLARED_LOSS', relay, { step: 'hidden-in-allowed-program' }],
  ['prepared-account', 'UNDECLARED_LOSS', relay],
  ['rent-by-program', 'UNDECLARED_LOSS', relay],
  [
    'accepted-program-replaced',
    'PROGRAM_NOT_ALLOWED',
    (tools) => ({ address: acceptedProgram(tools), deployedSlot: ACCEPTED_SLOT }),
  ],
  // The policy names the transfers it passes on, for trades.
  [
    'other-unsupported-instruction',
    'INSTRUCTION_UNKNOWN',
    (tools) => ({ address: unsupportedProgramOf(tools) }),
  ],
  // The same call where the policy names it for claims, and a trade was asked for.
  [
    'hidden-in-program',
    'UNEXPECTED_INSTRUCTION',
    (tools) => ({ ...relay(tools), operations: ['holding_claim', 'position_claim'] }),
    { step: 'named-for-another-operation', row: 'T75' },
  ],
  // Calls the policy does name, which reach what the wallet has elsewhere.
  ...(
    [
      ['unsupported-nonce', '05000000'],
      ['unsupported-program-authority', '04000000'],
      ['unsupported-fee-manager', '8d4a11ae7c0baae3'],
    ] as const
  ).map(
    ([attack, begin]) =>
      [
        attack,
        'AUTHORITY_CHANGE',
        (tools: AttackTools) => ({ address: unsupportedProgramOf(tools), instructions: [begin] }),
      ] as const,
  ),
];

const onUnsupportedPrograms = ON_UNSUPPORTED_PROGRAMS.map(([name, expectedCode, program, head]): OwnRound => {
  const { row, does, takes } = attackOf(name);
  return ownRound({ step: name, row, does, takes, expectedCode, ...head }, async (world, whole) => {
    const allowed: UnsupportedProgram = {
      binding: 'effects',
      label: 'venue',
      operations: ['swap'],
      // What goes through it is a new account or a transfer, which begin like this.
      instructions: ['00000000', '02000000'],
      atMost: 1,
      ...program(world.sandbox.service.hostile.tools),
    };
    const policy = policyWith(world, ({ programs }) => ({ programs: [...programs, allowed] }));
    return playRoundIn((await through(world, { policy })).world, whole, { attack: name, ask: buy });
  });
});

/** Attacks of the service that these rounds play. */
export const PLAYED_HERE = ['table-lies', ...ON_UNSUPPORTED_PROGRAMS.map(([attack]) => attack)];

export const TRUST_ROUNDS: readonly OwnRound[] = [lyingRpc, ...onUnsupportedPrograms];
