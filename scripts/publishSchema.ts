/**
 * Converts a tool's zod schemas to the JSON Schemas that clients see. Every conversation pays for every token of the
 * catalogue, so the published form has what a model needs to fill in a call; the real schema has the other rules (patterns,
 * long lists, nested descriptions), checks every call and explains errors.
 */
import { z } from 'zod';
import { shownName } from '../tools/names.ts';
import type { Tool } from '../tools/tool.ts';

type Schema = { [key: string]: unknown };

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords that are omitted from the published form. */
const DROPPED = ['$schema', 'pattern', 'format', 'minLength', 'minItems', 'default'];
/** Maximum JSON length of a published enum; longer ones are omitted in favour of their description. */
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
  // Descriptions of lists of objects state that all fields are required.
  if (depth > 1) delete out.required;
  return out;
}

/** Returns the published input schema, without aliases. */
export const publishInput = ({ input, domain }: Pick<Tool, 'input' | 'domain'>): Schema =>
  withShownNames(compactInput(inputSchema(input), 0), domain);

/** Returns the complete JSON Schema of a tool's input. */
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

/** Fields of `plan` in every result that has one, documented once under `submit_plan`. */
const PLAN_NAMES = ['planId', 'status', 'next', 'changes', 'cost', 'approval', 'decision', 'stages'];

/** Fields of all results, listed once in the tool reference. */
const OF_ALL = ['mode', 'untrusted', 'contractViolations', 'nextOffset'];

/**
 * Returns the published output schema: field names, none of them required, so that clients reject no result because of an
 * overly strict schema. The fields of a plan are documented once, by `detail`.
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
