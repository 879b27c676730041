/**
 * Checks of a tool's arguments: what JSON allows and no tool accepts, then the tool's own schema. Every refusal names
 * the argument and never repeats its value (rows B01 to B05, B59).
 */

import type { z } from 'zod';
import { type Named, shownName, withOwnNames } from '../../tools/names.ts';
import type { Tool } from '../../tools/tool.ts';
import { InputError } from '../base/inputError.ts';
import { describeIssues, fieldPath } from '../contract/index.ts';

/** Longest text any argument may be, in code units; every schema is tighter. */
const MAX_TEXT = 16_384;
const FORBIDDEN_NAMES: readonly string[] = ['__proto__', 'constructor', 'prototype'];

const NOTHING_SENT = 'Correct the named arguments; nothing was sent.';

/** The first thing in a value that no tool accepts: `path: what is wrong`. */
function unacceptable(value: unknown, path: (string | number)[]): string | undefined {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return `${fieldPath(path)}: is not a finite number`;
    if (Object.is(value, -0)) return `${fieldPath(path)}: is minus zero`;
  }
  if (typeof value === 'string' && value.length > MAX_TEXT)
    return `${fieldPath(path)}: is longer than ${MAX_TEXT} characters`;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    if (typeof key === 'string' && FORBIDDEN_NAMES.includes(key))
      return `${fieldPath([...path, key])}: is not an accepted name`;
    const found = unacceptable(inner, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The names of a tool's own schema. */
const namesOf = (tool: Tool): string[] => Object.keys(Reflect.get(tool.input, 'shape') ?? {});

/** The same issue under the name the caller used, or would have been shown. */
function asCalled(issue: z.core.$ZodIssue, tool: Tool, given: Named['given']): z.core.$ZodIssue {
  const [first, ...rest] = issue.path;
  if (typeof first !== 'string') return issue;
  return { ...issue, path: [given.get(first) ?? shownName(tool.domain, first, namesOf(tool)), ...rest] };
}

/** Lists the arguments a tool has, in the message about one it does not have. */
function withKnownNames(issues: readonly z.core.$ZodIssue[], tool: Tool): string {
  const own = namesOf(tool);
  const known = own.map((name) => shownName(tool.domain, name, own));
  // The unknown name comes first: it is often the misspelling of the argument reported missing below.
  const ordered = [...issues].sort(
    (a, b) => Number(b.code === 'unrecognized_keys') - Number(a.code === 'unrecognized_keys'),
  );
  const text = describeIssues(
    ordered.map((issue) =>
      issue.code === 'unrecognized_keys'
        ? {
            path: issue.path,
            message: `unknown argument ${issue.keys.map((key) => JSON.stringify(key.slice(0, 64))).join(', ')}`,
          }
        : issue,
    ),
  );
  const unknown = issues.some((issue) => issue.code === 'unrecognized_keys' && issue.path.length === 0);
  if (!unknown) return text;
  return `${text}; ${tool.name} takes ${known.length === 0 ? 'no arguments' : known.join(', ')}`;
}

/**
 * The arguments as the tool takes them.
 * @throws InputError `INVALID_INPUT`, naming each wrong argument
 */
export function parseArguments(tool: Tool, given: Record<string, unknown> | undefined): unknown {
  const found = unacceptable(given ?? {}, []);
  if (found !== undefined) throw new InputError(`The arguments are not valid: ${found}.`, NOTHING_SENT);
  const named = withOwnNames(given ?? {}, namesOf(tool));
  const parsed = tool.input.safeParse(named.values);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => asCalled(issue, tool, named.given));
  throw new InputError(`The arguments are not valid: ${withKnownNames(issues, tool)}.`, NOTHING_SENT);
}
