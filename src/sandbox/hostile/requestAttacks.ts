/** Attacks that answer another question than the one asked: the plan is in order, only not the caller's. */
import type { Attack, Fields } from './types.ts';

const CONFIGS = ['feeShareConfig', 'updateFeeShareConfig'] as const;

export const REQUEST_ATTACKS: Readonly<Record<string, Attack>> = {
  'swap-claimer': {
    row: 'T64',
    plays: 'service',
    does: 'replaces the last claimer of the split by the attacker',
    takes: 'a claimer’s share of all fees',
    code: 'REQUEST_MISMATCH',
    endpoints: CONFIGS,
    request: (request, { attacker }) => {
      const claimers = Array.isArray(request.claimersArray) ? request.claimersArray : [];
      return { ...request, claimersArray: [...claimers.slice(0, -1), attacker.address] };
    },
  },
  'other-admin': {
    row: 'T63',
    plays: 'service',
    does: 'installs the attacker as the manager of the config',
    takes: 'the right to say who earns',
    code: 'REQUEST_MISMATCH',
    endpoints: ['feeShareConfig'],
    request: (request, { attacker }) => ({ ...request, admin: attacker.address }),
  },
  'v1-asked-v0-given': {
    row: 'T50',
    plays: 'service',
    does: 'answers v0 bytes where v1 was asked for, and calls them v1',
    takes: 'nothing; what was reviewed is not what is signed',
    code: 'FORMAT_MISMATCH',
    endpoints: CONFIGS,
    request: (request) => ({ ...request, transactionFormat: 'v0' }),
    answer: (answer, asked) => claimFormat(answer, asked),
  },
};

/** Says of every stage that it has the format that was asked for. */
function claimFormat(answer: unknown, asked: Fields): unknown {
  if (Array.isArray(answer)) return answer.map((each) => claimFormat(each, asked));
  if (typeof answer !== 'object' || answer === null) return answer;
  const entries = Object.entries(answer).map(([key, value]): [string, unknown] =>
    key === 'format' ? [key, asked.transactionFormat ?? value] : [key, claimFormat(value, asked)],
  );
  return Object.fromEntries(entries);
}
