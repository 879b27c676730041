/**
 * From a tool's zod schemas to the JSON Schemas clients see. Every token of the catalogue is paid for by every
 * conversation, so the published form says what a model needs to fill a call in and leaves the fine rules (patterns,
 * long lists, nested descriptions) to the real schema, which checks every call and explains what is wrong.
 */
import { z } from 'zod';
import { shownName } from '../tools/names.ts';
import type { Tool } from '../tools/tool.ts';

type Schema = { [key: string]: unknown };

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords the published form does without. */
const DROPPED = ['$schema', 'pattern', 'format', 'minLength', 'minItems', 'default'];
/** An enum longer than this (as JSON) is described by its description alone. */
const LONGEST_ENUM = 60;

/** `X | null` is published as `X`: null means the same as absent everywhere in the contract (B19). */
function withoutNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const others = anyOf.filter(isSchema).filter((each) => each.type !== 'null');
  const [only] = others;
  if (others.length !== 1 || only === undefined) return { ...rest, anyOf: others };
  return { ...withoutNull(only), ...rest };
}

const SAFE = Number.MAX_SAFE_INTEGER;

function compactInput(schema: Schema, depth: number): Schema {
  const out: Schema = {};
  for (const [key, value] of Object.entries(withoutNull(schema))) {
    if (DROPPED.includes(key)) continue;
    if (key === 'description' && depth !== 1) continue;
    if (key === 'enum' && JSON.stringify(value).length > LONGEST_ENUM) continue;
    if (
      (key === 'minimum' && (value === -SAFE || value === 0)) ||
      (key === 'maximum' && Number(value) >= 1_000_000)
    )
      continue;
    out[key] = value;
  }
  if (isSchema(out.properties)) {
    out.properties = Object.fromEntries(
      Object.entries(out.properties).map(([name, inner]) => [
        name,
        compactInput(isSchema(inner) ? inner : {}, depth + 1),
      ]),
    );
  }
  // Rows of objects keep the names of their fields: strict converters refuse or empty an object without properties.
  if (isSchema(out.items)) out.items = compactInput(out.items, depth + 1);
  // Aliases are accepted (`tools/names.ts`), and the server refuses unknown arguments by name. Strict converters need empty
  // objects to be closed.
  if (Object.keys(isSchema(out.properties) ? out.properties : {}).length > 0) delete out.additionalProperties;
  // The description of a list of objects says that their fields are all needed.
  if (depth > 1) delete out.required;
  return out;
}

/** The input schema as clients see it, with the one name for each thing. */
export const publishInput = ({ input, domain }: Pick<Tool, 'input' | 'domain'>): Schema =>
  withShownNames(compactInput(inputSchema(input), 0), domain);

/** A tool's input as a whole JSON Schema. */
export const inputSchema = (input: z.ZodType): Schema =>
  z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });

/** The same schema with the names of its arguments as clients see them. */
export function withShownNames(schema: Schema, domain: string): Schema {
  const { properties, required } = schema;
  if (!isSchema(properties)) return schema;
  const own = Object.keys(properties);
  const shown = (name: string) => shownName(domain, name, own);
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [shown(name), value])),
    ...(Array.isArray(required) ? { required: required.map((name) => shown(String(name))) } : {}),
  };
}

/** What `submit_plan` names of a plan, for all tools: every result that has a plan carries the same. */
const PLAN_NAMES = ['planId', 'status', 'next', 'changes', 'cost', 'approval', 'decision', 'stages'];

/** Fields that results of all kinds have; the tool reference names them once. */
const OF_ALL = ['mode', 'untrusted', 'contractViolations', 'nextOffset'];

/**
 * The output schema as clients see it: the names of a result, and nothing required, so that no result is lost to a schema
 * that was too sure. What is inside a plan is named once, by `detail`.
 */
export function publishOutput(schema: z.ZodType, detail: 'plan' | 'names'): Schema {
  const whole: Schema = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const names = Object.keys(isSchema(whole.properties) ? whole.properties : {});
  const plan = { properties: Object.fromEntries(PLAN_NAMES.map((name) => [name, {}])) };
  return {
    type: 'object',
    properties: Object.fromEntries(
      names
        .filter((name) => !OF_ALL.includes(name))
        .map((name) => [name, detail === 'plan' && name === 'plan' ? plan : {}]),
    ),
  };
}
