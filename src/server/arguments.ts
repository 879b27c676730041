/**
 * Validates a tool's arguments: values JSON permits but no tool accepts, then the tool's own schema. Errors name the
 * argument and never quote its value (rows B01 to B05, B59).
 */

import type { z } from 'zod';
import { type Named, shownName, withOwnNames } from '../../tools/names.ts';
import type { Tool } from '../../tools/tool.ts';
import { InputError } from '../base/inputError.ts';
import { describeIssues, fieldPath } from '../contract/index.ts';

/** Maximum length of any text argument, in code units; every schema is stricter. */
const MAX_TEXT = 16_384;
const FORBIDDEN_NAMES: readonly string[] = ['__proto__', 'constructor', 'prototype'];

const NOTHING_SENT = 'Correct the named arguments; nothing was sent.';

/** Returns the first value no tool accepts, as `path: problem`. */
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

/** Returns the argument names of a tool's schema. */
const namesOf = (tool: Tool): string[] => Object.keys(Reflect.get(tool.input, 'shape') ?? {});

/** Returns the issue under the name the caller used or would be shown. */
function asCalled(issue: z.core.$ZodIssue, tool: Tool, given: Named['given']): z.core.$ZodIssue {
  const [first, ...rest] = issue.path;
  if (typeof first !== 'string') return issue;
  return { ...issue, path: [given.get(first) ?? shownName(tool.domain, first, namesOf(tool)), ...rest] };
}

/** Adds the tool's argument names to the message about an unknown one. */
function withKnownNames(issues: readonly z.core.$ZodIssue[], tool: Tool): string {
  const own = namesOf(tool);
  const known = own.map((name) => shownName(tool.domain, name, own));
  // Unknown names come first: they are often misspellings of an argument reported missing below.
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
 * Parses the arguments for the tool.
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
