/**
 * From a tool's zod schemas to the JSON Schemas clients see. Every token of the catalogue is paid for by every
 * conversation, so the published form says what a model needs to fill a call in and leaves the fine rules (patterns,
 * long lists, nested descriptions) to the real schema, which checks every call and explains what is wrong.
 */
import { z } from 'zod';

type Schema = { [key: string]: unknown };

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords the published form does without. */
const DROPPED = ['$schema', 'pattern', 'format', 'minLength', 'maxLength', 'minItems', 'maxItems', 'default'];
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
  if (isSchema(out.items)) {
    // What a row of objects holds is told by the description.
    out.items = out.items.type === 'object' ? { type: 'object' } : compactInput(out.items, depth + 1);
  }
  if (depth > 0) delete out.additionalProperties;
  return out;
}

/** The input schema as clients see it. */
export const publishInput = (schema: z.ZodType): Schema =>
  compactInput(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), 0);

/** Fields of plans and stages that only the tools about one plan name; every result that has a plan carries them. */
const PLAN_DETAIL = [
  'format',
  'operation',
  'dependsOn',
  'requiredSigners',
  'feePayer',
  'readiness',
  'repeats',
  'next',
  'note',
  'intentKey',
  'messageSha256',
  'expiresAt',
];

/** The mark of text from outside is the same in every result and documented once. */
const MARK = 'untrusted';

/** Names matter in results, types hardly: a client must never lose a result to a schema that was too sure. */
function compactOutput(schema: Schema, left: readonly string[]): Schema {
  const { type, properties, items } = withoutNull(schema);
  if (isSchema(properties)) {
    const inner = Object.entries(properties)
      .filter(([name]) => !left.includes(name))
      .map(([name, value]) => [name, name === MARK || !isSchema(value) ? {} : compactOutput(value, left)]);
    return inner.length === 0 ? {} : { properties: Object.fromEntries(inner) };
  }
  if (type === 'array' && isSchema(items)) {
    const each = compactOutput(items, left);
    return Object.keys(each).length === 0 ? {} : { items: each };
  }
  return {};
}

/** The output schema as clients see it: the names of a result, `mode` first, and nothing required. */
export function publishOutput(schema: z.ZodType, detail: 'whole' | 'brief'): Schema {
  const whole: Schema = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const { properties } = compactOutput(whole, detail === 'whole' ? [] : PLAN_DETAIL);
  return { type: 'object', properties: { mode: {}, ...(isSchema(properties) ? properties : {}) } };
}
