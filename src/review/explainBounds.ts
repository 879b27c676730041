/** The policy page's sections on bounds: how much may leave, and how transactions are checked. */

import { decimal, listWords, several, solWords } from '../base/format.ts';
import { operationsWords } from '../plan/operationNames.ts';
import type { Policy, ProgramEntry, UnsupportedProgram } from '../policy/file/schema.ts';
import { instructionName } from '../programs/read.ts';
import { PROGRAM_NAMES } from '../transaction/programs.ts';
import { limitAmountWords, limitWords, tokenWords } from './policyFormat.ts';

/** A statement of a section, with its details. */
export interface Statement {
  readonly text: string;
  readonly more?: readonly string[];
}

export interface Section {
  readonly heading: string;
  /** Sentences before the statements. */
  readonly lead?: string;
  readonly statements: readonly Statement[];
}

/** Returns the section on limits, fees and permitted tokens. */
export function leaving(policy: Policy): Section {
  const { incorporations, limits, tokens, transaction } = policy;
  const assets = limits.flatMap((limit) => ('asset' in limit ? [limit.asset] : []));
  const uncovered = assets.includes('any')
    ? []
    : [
        assets.length === 0
          ? 'No limit names any asset, so nothing can leave, not even a network fee: assets without a limit are refused.'
          : assets.every((asset) => asset === 'SOL')
            ? 'No token but SOL may leave: an asset without a limit is refused, or asked about when a swap sells it.'
            : 'No other token may leave: an asset without a limit is refused, or asked about when a swap sells it.',
      ];
  return {
    heading: 'How much, and how often',
    lead:
      'Everything counts: amounts sent, network fees, account deposits, tips and the fees of the service. SOL and ' +
      'wrapped SOL are one. An amount is taken from a limit before anything is signed, and comes back only when it ' +
      'is certain that the transaction never happened.' +
      (limits.some((limit) => 'count' in limit)
        ? ' A job is one thing the agent was asked to do, however many transactions it takes.'
        : ''),
    statements: [
      ...limits.map((limit) => ({
        text: limitWords(limit),
        ...(limit.why === undefined ? {} : { more: [`Why: ${limit.why} (limit ${limit.id}).`] }),
      })),
      ...uncovered.map((text) => ({ text })),
      {
        text: `The network fee of one transaction may be at most ${solWords(BigInt(transaction.maxFeeLamports))}. A key of the service that pays it may be refunded at most ${solWords(BigInt(transaction.maxServiceRefundLamports))}.`,
      },
      {
        text:
          transaction.guards !== 'off'
            ? `A transaction that only the wallet signs fails on chain unless the wallet ends with what was promised.${transaction.guards === 'required' ? ' Amounts that the chain does not enforce require approval.' : ''}`
            : 'No transaction gets instructions that make it fail on chain unless the wallet ends with what was promised.',
      },
      { text: incorporationWords(incorporations) },
      tokens.mints === undefined
        ? {
            text: 'Any token may be traded or received, except one that gives another key a power named below.',
          }
        : {
            text: 'Only these may be traded, launched against or received:',
            more: tokens.mints.map(tokenWords),
          },
      powers(tokens.extensions.deny),
    ],
  };
}

const POWERS: Readonly<Record<string, string>> = {
  permanentDelegate: 'another key may take it out of any wallet',
  confidentialTransfer: 'its amounts can be hidden',
  confidentialMintBurn: 'its supply can be hidden',
  transferHook: 'a program of its issuer decides about every transfer',
  pausable: 'another key may stop all transfers',
  defaultAccountState: 'it arrives frozen',
  nonTransferable: 'it can never be passed on',
  transferFeeConfig: 'part of every transfer is kept as a fee',
  mintCloseAuthority: 'another key may close it',
  interestBearingConfig: 'its displayed amount grows by itself',
};

function powers(denied: readonly string[]): Statement {
  if (denied.length === 0) {
    return {
      text: 'No power over a token is refused by this file, except unknown ones.',
    };
  }
  return {
    text: 'A token is refused if, by its own rules,',
    more: [
      ...denied.map((name) => `${POWERS[name] ?? 'it has this feature'} (${name})`),
      'it has an unknown feature',
    ],
  };
}

/** Formats a program as label or name, and address. */
const programWords = ({ address, label }: ProgramEntry): string =>
  `${label ?? PROGRAM_NAMES[address] ?? 'unnamed'} (${address})`;

/** Describes a policy entry for unsupported instructions: instructions, operations, maximum number and code. */
export function unsupportedProgramWords(entry: UnsupportedProgram): string {
  const { address, operations, instructions, atMost, deployedSlot, reader } = entry;
  const off = reader === undefined ? '' : ', although supported: its reader is disabled';
  const code = deployedSlot === undefined ? off : `, only the code deployed in slot ${deployedSlot}${off}`;
  if (operations.length === 0 || instructions.length === 0)
    return `${programWords(entry)}: nothing yet${code}`;
  const called = instructions.map((begin) => {
    const name = instructionName(address, Buffer.from(begin, 'hex'));
    return name === undefined ? begin : `${name} (${begin})`;
  });
  const jobs = operations.map((operation) => operationsWords(operation));
  return (
    `${programWords(entry)}: ${listWords(called)}, at most ${several(atMost, 'time')} in a transaction, for ` +
    `${listWords(jobs)}${code}`
  );
}

/** Formats a supported program, with the slot of its code if the file names one. */
const readProgramWords = (entry: ProgramEntry): string =>
  entry.deployedSlot === undefined
    ? programWords(entry)
    : `${programWords(entry)}; if its code is not that of slot ${entry.deployedSlot}, you are asked`;

const PLAYED =
  'A plan of several transactions, or with an unsupported instruction, is rehearsed on a copy of the chain before its first signature, and not started if it fails there.';
const REHEARSALS = {
  require: `${PLAYED} If that is not possible, you are asked about unsupported instructions.`,
  when_possible: `${PLAYED} If that is not possible, it continues without.`,
  off: 'No plan is rehearsed on a copy of the chain before its first signature.',
} as const;

/** Returns the section on how transactions are checked. */
export function checking(policy: Policy): Section {
  const { programs, simulation, transaction } = policy;
  const exact = programs.flatMap((entry) => (entry.binding === 'exact' ? [readProgramWords(entry)] : []));
  const effects = programs.flatMap((entry) =>
    entry.binding === 'effects' ? [unsupportedProgramWords(entry)] : [],
  );
  const above = simulation.secondRpcAbove;
  return {
    heading: 'How it is checked',
    lead:
      'The bytes of every transaction are read here, compared with what the agent asked for, and decided on again ' +
      'right before they are signed. Statements of the service about them are not trusted.',
    statements: [
      {
        text: simulation.required
          ? 'Each is simulated on your own RPC first, and refused if it would take more or bring less than it says.'
          : 'A transaction may be signed although it could not be simulated first.',
      },
      { text: REHEARSALS[policy.rehearsal] },
      ...(above === undefined
        ? []
        : [
            {
              text: `If more than ${limitAmountWords(BigInt(above), 'SOL')} would leave, a second RPC must agree.`,
            },
          ]),
      ...(exact.length === 0
        ? []
        : [
            {
              text: 'Only these programs may be used, and each of their instructions is decoded:',
              more: exact,
            },
          ]),
      ...(effects.length === 0
        ? []
        : [
            {
              text:
                'These unsupported instructions may be used; their effects are judged by simulating the ' +
                'transaction, which is weaker, so with real money you are asked each time. Every other instruction of ' +
                'these programs is refused:',
              more: effects,
            },
          ]),
      {
        text:
          `Accepted transaction formats: ${listWords(transaction.formats)}; at most ` +
          `${decimal(BigInt(transaction.maxComputeUnits))} compute units.`,
      },
    ],
  };
}

const incorporationWords = (tokens: Policy['incorporations']): string => {
  if (tokens.includes('any')) return 'The incorporation of any token may be started, which cannot be undone.';
  if (tokens.length === 0) return 'No incorporation is started until you add its token to `incorporations`.';
  return `The incorporation of these tokens may be started, which cannot be undone: ${tokens.join(', ')}.`;
};
