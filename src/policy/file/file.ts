/**
 * Parses a policy file into a policy, or into errors with positions. Pure; the code that opens the file checks its owner
 * and permissions.
 */
import type { z } from 'zod';
import { jsonDigest } from '../../base/canonicalJson.ts';
import { type JsonDocument, JsonError, readJson } from '../../base/strictJson.ts';
import { PROGRAM_NAMES } from '../../transaction/programs.ts';
import { DENIED_PROGRAMS, STOCK_PROGRAMS } from '../decide/checks/deniedPrograms.ts';
import { PolicyIndex } from '../decide/policyIndex.ts';
import { isPublicNetwork } from './networks.ts';
import { type Policy, policySchema, type Rule, type UnsupportedProgram } from './schema.ts';

/** Maximum length of a policy file, in characters. */
const MAX_TEXT = 512 * 1024;

/** A validated policy with its index. */
export interface LoadedPolicy {
  readonly policy: Policy;
  readonly index: PolicyIndex;
  /** Lower-case hex SHA-256 of the file's canonical JSON; recorded in every decision. */
  readonly hash: string;
}

/** An error in a policy file. Line and column start at 1. */
export interface PolicyError {
  readonly line: number;
  readonly column: number;
  /** Path of the value, such as `rules[2].effect`; empty for the whole file. */
  readonly path: string;
  readonly message: string;
}

/** Parses a policy file. Returns the policy, or all its errors. */
export function parsePolicy(text: string): LoadedPolicy | { readonly errors: readonly PolicyError[] } {
  if (text.length > MAX_TEXT) return { errors: [whole('The file is larger than 512 KiB.')] };
  let document: JsonDocument;
  try {
    document = readJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { errors: [{ ...error.position, path: '', message: `${error.message}.` }] };
  }
  const parsed = policySchema.safeParse(document.value);
  const problems = parsed.success ? crossCheck(parsed.data) : parsed.error.issues.flatMap(fromIssue);
  if (problems.length > 0 || !parsed.success) {
    return {
      errors: problems.map(({ path, message }) => ({ ...document.at(path), path: pathText(path), message })),
    };
  }
  return {
    policy: parsed.data,
    hash: policyHash(document.value),
    index: new PolicyIndex(parsed.data),
  };
}

/** Returns the lower-case hex SHA-256 of a policy file's canonical JSON, independent of whitespace and key order. */
export function policyHash(file: unknown): string {
  return jsonDigest(file);
}

interface Problem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const whole = (message: string): PolicyError => ({ line: 1, column: 1, path: '', message });

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i > 0 ? '.' : ''}${String(key)}`))
    .join('');
}

/** Converts a schema issue into problems. For a union, uses the branch with the fewest problems. */
function fromIssue(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...issue.path, key], message: 'Unknown key.' }));
  }
  if (issue.code === 'invalid_union') {
    const branches = issue.errors.map((branch) =>
      branch.flatMap((inner) => fromIssue({ ...inner, path: [...issue.path, ...inner.path] })),
    );
    branches.sort((a, b) => a.length - b.length);
    if (branches[0] !== undefined && branches[0].length > 0) return branches[0];
  }
  return [{ path: issue.path, message: `${issue.message}.` }];
}

/** Checks what the schema cannot express: duplicates, contradictions and settings that can never apply. */
function crossCheck(policy: Policy): Problem[] {
  const first = policy.wallets.length;
  const named = (i: number): PropertyKey[] => (i < first ? ['wallets', i] : ['addressBook', i - first]);
  return [
    ...unique(policy.wallets, 'address', (i) => ['wallets', i], 'This address'),
    ...unique([...policy.wallets, ...policy.addressBook], 'label', named, 'This label'),
    ...unique(policy.addressBook, 'address', (i) => ['addressBook', i], 'This address'),
    ...repeatedPrograms(policy),
    ...unique(policy.limits, 'id', (i) => ['limits', i], 'This id'),
    ...unique(policy.rules, 'id', (i) => ['rules', i], 'This id'),
    ...policy.programs.flatMap((entry, index) => checkProgram(entry, index, policy)),
    ...policy.limits.flatMap(checkLimit),
    ...policy.rules.flatMap((rule, index) => checkRule(rule, index, policy)),
    ...checkSimulation(policy),
  ];
}

/** Reports entries with a duplicate member. Labels are compared without case. */
const unique = <K extends string>(
  entries: readonly Readonly<Record<K, string>>[],
  key: K,
  at: (index: number) => PropertyKey[],
  what: string,
): Problem[] =>
  repeated(
    entries.map((entry) => (key === 'label' ? entry[key].toLowerCase() : entry[key])),
    (i) => [...at(i), key],
    what,
  );

function repeated(values: readonly string[], at: (index: number) => PropertyKey[], what: string): Problem[] {
  return values.flatMap((value, index) =>
    values.indexOf(value) < index ? [{ path: at(index), message: `${what} is already used above.` }] : [],
  );
}

/**
 * Reports repeated programs. Only unsupported programs may have several entries, such as one per operation, which must
 * agree in `reader` and `deployedSlot`.
 */
function repeatedPrograms({ programs }: Policy): Problem[] {
  return programs.flatMap((entry, index): Problem[] => {
    const before = programs.slice(0, index).find(({ address }) => address === entry.address);
    if (before === undefined) return [];
    const path = ['programs', index];
    if (before.binding === 'exact' || entry.binding === 'exact') {
      return [{ path: [...path, 'address'], message: 'This program is already used above.' }];
    }
    if (before.reader !== entry.reader)
      return [{ path: [...path, 'reader'], message: 'This program has another "reader" above.' }];
    if (before.deployedSlot === entry.deployedSlot) return [];
    return [
      {
        path: [...path, entry.deployedSlot === undefined ? 'address' : 'deployedSlot'],
        message: 'This program has another "deployedSlot" above.',
      },
    ];
  });
}

/** Reports programs that can never be allowed, and stock programs with binding `effects`. */
function checkProgram(entry: Policy['programs'][number], index: number, { network }: Policy): Problem[] {
  const path = ['programs', index];
  const name = PROGRAM_NAMES[entry.address];
  if (DENIED_PROGRAMS.has(entry.address)) {
    return [{ path: [...path, 'address'], message: `${name ?? 'This program'} can never be allowed.` }];
  }
  if (entry.binding === 'exact') {
    const path = ['programs', index, 'deployedSlot'];
    return entry.deployedSlot === undefined || !STOCK_PROGRAMS.has(entry.address)
      ? []
      : [
          {
            path,
            message: `${name ?? 'This program'} is part of the chain and cannot have a "deployedSlot".`,
          },
        ];
  }
  if (STOCK_PROGRAMS.has(entry.address)) {
    return [{ path: [...path, 'binding'], message: `${name ?? 'This program'} is supported; use "exact".` }];
  }
  return [
    ...repeated(entry.operations, (i) => [...path, 'operations', i], 'This operation'),
    ...repeated(entry.instructions, (i) => [...path, 'instructions', i], 'This instruction'),
    ...(isPublicNetwork(network) && allowsAnything(entry) && entry.deployedSlot === undefined
      ? [
          {
            path,
            message:
              'On a public network this entry needs "deployedSlot", the slot in which the code was deployed.',
          },
        ]
      : []),
  ];
}

/** Whether an entry allows at least one instruction. */
const allowsAnything = ({ operations, instructions }: UnsupportedProgram): boolean =>
  operations.length > 0 && instructions.length > 0;

function checkLimit(limit: Policy['limits'][number], index: number): Problem[] {
  if ('asset' in limit && limit.asset === 'any' && limit.window !== 'transaction') {
    return [
      {
        path: ['limits', index, 'asset'],
        message:
          'A limit for "any" token must be per transaction: amounts of different tokens cannot be added over time.',
      },
    ];
  }
  return [];
}

/** Keys of a deny rule. Other conditions are refused because their effect on a denial is easily misread. */
const ON_A_DENIAL = ['id', 'operation', 'effect', 'why', 'hours'];
const NOT_ZERO = 'This must not be 0.';

function checkRule(rule: Rule, index: number, { network }: Policy): Problem[] {
  const { from, to } = rule.hours ?? {};
  const firstBuys = rule.operation === 'launch' ? (rule.maxFirstBuyValue ?? []) : [];
  const rates = rule.operation === 'swap' ? (rule.minRates ?? []) : [];
  const isUnsupportedAllowed =
    'unsupported' in rule && rule.unsupported !== undefined && rule.effect === 'allow';
  const wrong = (isWrong: boolean, path: readonly PropertyKey[], message: string): Problem[] =>
    isWrong ? [{ path: ['rules', index, ...path], message }] : [];
  return [
    ...wrong(
      isUnsupportedAllowed && isPublicNetwork(network),
      ['unsupported'],
      'On a public network every unsupported instruction needs an approval.',
    ),
    ...wrong(from !== undefined && from === to, ['hours'], '"from" and "to" must differ.'),
    ...(rule.effect === 'deny' ? Object.keys(rule) : []).flatMap((key) =>
      wrong(!ON_A_DENIAL.includes(key), [key], 'A deny rule cannot have this condition.'),
    ),
    ...firstBuys.flatMap(({ max }, i) => wrong(max === '0', ['maxFirstBuyValue', i, 'max'], NOT_ZERO)),
    ...rates.flatMap(({ perInput, input, output }, i) => [
      ...wrong(perInput === '0', ['minRates', i, 'perInput'], NOT_ZERO),
      ...wrong(input === output, ['minRates', i, 'output'], 'This must differ from "input".'),
    ]),
  ];
}

/** Requires simulation if unsupported programs are allowed, because only a simulation shows their effects. */
function checkSimulation(policy: Policy): Problem[] {
  const opaque = policy.programs.some((entry) => entry.binding === 'effects');
  if (policy.simulation.required || !opaque) return [];
  return [
    {
      path: ['simulation', 'required'],
      message: 'This must be true while a program is allowed with binding "effects".',
    },
  ];
}
