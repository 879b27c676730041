/**
 * Every single change of a recorded stage: one operand, one instruction more or fewer, one field of the request, answer
 * or quote. The decision on each is formatted for review.
 */
import type { Decision, DecisionInputs } from '../../../src/policy/decide/types.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { TransactionError } from '../../../src/transaction/errors.ts';
import type { Instruction } from '../../programs/stock.ts';
import { labelOf } from '../label.ts';
import {
  ATTACKER,
  decide,
  encoded,
  instructionsOf,
  policyFor,
  rewritten,
  stage,
  VENUE,
  WALLET,
} from './stages.ts';

/** Fields of an answer the policy uses; no other can matter. */
const READ: readonly string[] = [
  'configKey',
  'feeShareConfig',
  'feeShareAuthority',
  'launch',
  'feeMint',
  'feeSide',
  'feeLamports',
];

/** One change, and the resulting inputs. */
export interface Change {
  readonly label: string;
  readonly inputs: () => DecisionInputs;
}

/** Maximum number of changed instructions of one kind. */
const ALIKE = 2;

/** Maximum number of other values tried for one field of a request or answer. */
const MAX_WORDS = 2;

/** Returns every change of a stage. */
export function changesOf(name: string): Change[] {
  const seen = stage(name);
  return [...changedBytes(seen), ...changedWords(seen)];
}

function changedBytes(seen: DecisionInputs): Change[] {
  const list = instructionsOf(seen);
  const met = new Map<string, number>();
  return list.flatMap((instruction, at) => {
    const times = (met.get(instruction.kind) ?? 0) + 1;
    met.set(instruction.kind, times);
    const last = list.findLastIndex(({ kind }) => kind === instruction.kind) === at;
    if (times >= ALIKE && !last) return [];
    const name = `#${at} ${instruction.kind}`;
    const change = (
      label: string,
      to: (one: EncodedInstruction) => readonly EncodedInstruction[],
    ): Change => ({
      label: `${name}${label}`,
      inputs: () => rewritten(seen, (all) => all.flatMap((one, i) => (i === at ? to(one) : [one]))),
    });
    return [
      change(' left out', () => []),
      change(' twice', (one) => [one, one]),
      ...operands(instruction).map(([label, changed]) => change(label, () => [changed()])),
    ];
  });
}

/** Changes each operand of an instruction. */
function operands(instruction: Instruction): [string, () => EncodedInstruction][] {
  if (instruction.kind === 'unknown') return [];
  const { accounts, rest, args } = instruction;
  const changed = (change: object) => encoded({ ...instruction, ...change } as Instruction);
  const others = (address: string) => [ATTACKER, WALLET].filter((each) => each !== address);
  const roles = Object.entries(accounts).flatMap(([role, use]) =>
    use === undefined
      ? []
      : others(use.address).map((address): [string, () => EncodedInstruction] => [
          `, ${role} is ${worded(address)}`,
          () => changed({ accounts: { ...accounts, [role]: { ...use, address } } }),
        ]),
  );
  const more = rest.flatMap((use, i) =>
    others(use.address).map((address): [string, () => EncodedInstruction] => [
      `, account ${i} of the rest is ${worded(address)}`,
      () => changed({ rest: rest.with(i, { ...use, address }) }),
    ]),
  );
  const values = Object.entries(args).flatMap(([arg, value]) =>
    otherValues(value).map((other): [string, () => EncodedInstruction] => [
      `, ${arg} is ${worded(other)}`,
      () => changed({ args: { ...args, [arg]: other } }),
    ]),
  );
  return [...roles, ...more, ...values];
}

/** Returns other values of the same type. */
export function otherValues(value: unknown): unknown[] {
  if (typeof value === 'bigint') return value === 0n ? [1n] : [value + 1n, value - 1n];
  if (typeof value === 'number') return [value + 1];
  if (typeof value === 'boolean') return [!value];
  if (value === null) return [ATTACKER];
  if (Array.isArray(value)) return value.length > 1 ? [value.slice(1), value.toReversed()] : [[]];
  if (typeof value === 'object')
    return Object.entries(value).flatMap(([k, v]) => otherValues(v).map((o) => ({ ...value, [k]: o })));
  if (typeof value !== 'string') return [];
  if (/^[0-9]+$/.test(value)) return otherValues(BigInt(value)).map(String);
  if (value.length >= 32 && value.length <= 44 && /^[1-9A-HJ-NP-Za-km-z]+$/.test(value))
    return [ATTACKER, WALLET].filter((each) => each !== value);
  return [`${value}x`];
}

function changedWords(seen: DecisionInputs): Change[] {
  const { request, answer } = seen.plan;
  const fields = (
    name: string,
    given: Readonly<Record<string, unknown>>,
    put: (fields: Record<string, unknown>) => DecisionInputs,
    keys = Object.keys(given),
  ) =>
    keys.flatMap((key) => [
      {
        label: `${name} without ${key}`,
        inputs: () => put(Object.fromEntries(Object.entries(given).filter(([k]) => k !== key))),
      },
      ...otherValues(given[key])
        .slice(0, MAX_WORDS)
        .map((other) => ({
          label: `${name}.${key} is ${worded(other)}`,
          inputs: () => put({ ...given, [key]: other }),
        })),
    ]);
  const plan = (change: object): DecisionInputs => ({ ...seen, plan: { ...seen.plan, ...change } });
  const { quote } = seen;
  return [
    ...fields('request', request, (changed) => plan({ request: changed })),
    ...fields(
      'answer',
      answer,
      (changed) => plan({ answer: changed }),
      Object.keys(answer).filter((key) => READ.includes(key)),
    ),
    ...(quote === undefined
      ? []
      : [
          ...fields('quote', quote.quote, (changed) => ({ ...seen, quote: { ...quote, quote: changed } })),
          ...fields('asked', quote.request, (changed) => ({
            ...seen,
            quote: { ...quote, request: changed },
          })),
        ]),
  ];
}

const NAMES: Readonly<Record<string, string>> = {
  [WALLET]: 'WALLET',
  [ATTACKER]: 'ATTACKER',
  [VENUE]: 'VENUE',
};
const ADDRESS = /\b[1-9A-HJ-NP-Za-km-z]{43,44}\b/g;

/** Replaces addresses by their name or first characters. */
export const shortened = (text: string) =>
  text.replace(ADDRESS, (address) => NAMES[address] ?? `${address.slice(0, 6)}…`);

export function worded(value: unknown): string {
  const text =
    typeof value === 'string'
      ? value
      : JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each));
  const short = shortened(text);
  return short.length > 100 ? `${short.slice(0, 60)}… of ${short.length}` : short;
}

/** Formats a decision: its effect and possible movements, then every failed check in order. */
export function summaryOf(decision: Decision): string {
  const shown = decision.checks.filter(({ ok }) => !ok);
  const lines = shown.map((check) => {
    const { code, observed, allowed, class: kind } = check;
    const seen = [observed, allowed === undefined ? undefined : `allowed ${allowed}`].filter(
      (each) => each !== undefined,
    );
    const as = kind === undefined ? '' : `, ${kind}`;
    return `    ${code}${as}: ${labelOf(check)}${seen.length > 0 ? ` (${seen.join('; ')})` : ''}`;
  });
  return shortened(
    [decision.effect === 'allow' ? `allow: ${moved(decision)}` : decision.effect, ...lines].join('\n'),
  );
}

/**
 * Formats a decision by codes: the possible movements of an allowed stage, or the refusal's reason codes in order of
 * precedence. Used in approved files, so that rewording a check changes none of them.
 */
export const codesOf = (decision: Decision): string =>
  shortened(
    decision.effect === 'allow'
      ? `allow: ${moved(decision)}`
      : `${decision.effect}: ${decision.reasonCodes.join(' ')}`,
  );

/** Formats the possible movements of an allowed stage, with recipients. */
function moved({ changes, recipients, binding }: Decision): string {
  const amounts = changes.map(({ asset, out, in: least }) => `-${out} +${least} of ${asset}`);
  const roles = recipients.slice(0, 4).map(({ address, role }) => `${role} ${address}`);
  const more = recipients.length > 4 ? [`${recipients.length - 4} more`] : [];
  return [...amounts, ...roles, ...more, binding].join(', ');
}

/** Returns every encodable change of a stage with its decision. */
export function sweep(
  name: string,
  changes: readonly Change[] = changesOf(name),
): { readonly label: string; readonly decision: Decision }[] {
  return changes.flatMap(({ label, inputs }) => {
    const changed = written(inputs);
    return changed === undefined ? [] : [{ label, decision: decide(changed, policyFor(name)) }];
  });
}

/** Applies a change to the inputs. Returns `undefined` if it does not fit into a transaction or a number. */
export function written(inputs: () => DecisionInputs): DecisionInputs | undefined {
  try {
    return inputs();
  } catch (error) {
    if (error instanceof TransactionError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The swept stages: one for each code path of the policy. */
export const SWEPT: readonly string[] = [
  'config v0',
  'config with an unsupported program',
  'manager update to fewer',
  'custody table',
  'custody table closed',
  'custody launch',
  'direct launch',
  'bare curve launch',
  'swap of SOL',
  'swap of USDC',
  'swap for a taxed token',
  'position claim',
  'deployer claim',
  'curve config',
  'payment of SOL',
  'payment of USDC, new account',
  'payment of USDC',
];

/**
 * Returns the outcome of every change of a stage. Allowed changes are listed by name, with their movements if these
 * differ from the honest stage; refusals are counted by reason codes.
 */
export function approvedText(
  name: string,
  changes: readonly Change[] = changesOf(name),
  unchanged: 'named' | 'counted' = 'named',
): string {
  const honest = codesOf(decide(stage(name), policyFor(name)));
  const allowed = new Map<string, Map<string, string[]>>();
  const refused = new Map<string, number>();
  for (const { label, decision } of sweep(name, changes)) {
    const outcome = codesOf(decision);
    if (decision.effect === 'deny') {
      refused.set(outcome, (refused.get(outcome) ?? 0) + 1);
      continue;
    }
    const parts = allowed.get(outcome) ?? new Map<string, string[]>();
    allowed.set(outcome, parts);
    const [, part = label, change = ''] = /^(#\d+ [\w.]+|\w+)[,. ]+(.*)$/.exec(label) ?? [];
    parts.set(part, [...(parts.get(part) ?? []), change]);
  }
  const lines = [...allowed].map(([outcome, parts]) => {
    if (outcome === honest && unchanged === 'counted')
      return `  the same: ${[...parts.values()].flat().length} changes\n`;
    const names = [...parts].map(([part, changes]) => `${part}: ${changes.join('; ')}`);
    return `  ${outcome === honest ? 'the same' : outcome} <- ${names.join(' | ')}\n`;
  });
  const counts = [...refused].map(([outcome, times]) => `${times} ${outcome.replace('deny: ', '')}`);
  return `${name}: ${honest}\n${lines.join('')}${counts.length > 0 ? `  deny: ${counts.join(', ')}\n` : ''}`;
}

/** The outcomes of the changes of several stages, one after another. */
export const approvedTexts = (
  names: readonly string[],
  changes: (name: string) => readonly Change[] = changesOf,
  unchanged: 'named' | 'counted' = 'named',
): string => names.map((name) => approvedText(name, changes(name), unchanged)).join('\n');
