/** Parses an HTTP request into a validated request of the contract. Unknown fields are a 400 that names the field. */
import type { Context } from 'hono';
import type { z } from 'zod';
import type { EndpointName } from '../../../src/contract/index.ts';
import {
  endpointOf,
  requestFromWire,
  type ServiceProfile,
  sendKind,
} from '../../../src/contract/profiles/index.ts';
import type { ServiceEnv } from '../state.ts';
import { badRequest, ServiceError } from './errors.ts';

const MAX_JSON_BYTES = 1_048_576;
const MAX_FORM_BYTES = 17 * 1_048_576;

/** The validated request of an endpoint. Throws 400 or 413. */
export async function readRequest(
  context: Context<ServiceEnv>,
  profile: ServiceProfile,
  name: EndpointName,
): Promise<unknown> {
  const wire = await wireFields(context, sendKind(profile, name));
  const fields = requestFromWire(profile, name, wire, context.req.param());
  const schema = endpointOf(name).request;
  const inQuery = sendKind(profile, name) === 'query';
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  // Query values are text: convert numerals where the schema expects a number.
  const retried = inQuery ? schema.safeParse(numbersFrom(fields, parsed.error)) : parsed;
  if (retried.success) return retried.data;
  throw badRequest(issueSentence(retried.error));
}

async function wireFields(context: Context<ServiceEnv>, kind: 'query' | 'json' | 'multipart' | 'none') {
  const query = context.req.query();
  if (kind === 'query') return query;
  const stray = Object.keys(query)[0];
  if (stray !== undefined) throw badRequest(`unknown query parameter "${stray.slice(0, 64)}"`);
  if (kind === 'json') return jsonFields(context);
  if (kind === 'multipart') return formFields(context);
  return {};
}

async function jsonFields(context: Context<ServiceEnv>): Promise<Record<string, unknown>> {
  const type = context.req.header('content-type') ?? '';
  if (!/^application\/json\b/i.test(type)) throw badRequest('the body must be application/json');
  const body = await context.req.arrayBuffer();
  if (body.byteLength > MAX_JSON_BYTES) throw new ServiceError(413, 'the body is too large');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw badRequest('the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('the body must be a JSON object');
  }
  const fields: Record<string, unknown> = Object.create(null);
  for (const [key, field] of Object.entries(value)) fields[key] = field;
  return { ...fields };
}

async function formFields(context: Context<ServiceEnv>): Promise<Record<string, unknown>> {
  const type = context.req.header('content-type') ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) throw badRequest('the body must be multipart/form-data');
  const length = Number(context.req.header('content-length') ?? 0);
  if (length > MAX_FORM_BYTES) throw badRequest('Image file must be under 15MB');
  let form: FormData;
  try {
    form = await context.req.formData();
  } catch {
    throw badRequest('the body is not a form');
  }
  const fields: Record<string, unknown> = {};
  for (const [key, value] of form.entries()) {
    if (Object.hasOwn(fields, key)) throw badRequest(`the field "${key.slice(0, 64)}" occurs twice`);
    if (typeof value === 'string') {
      fields[key] = value;
      continue;
    }
    const bytes = new Uint8Array(await value.arrayBuffer());
    if (bytes.length >= 15 * 1_048_576) throw badRequest('Image file must be under 15MB');
    fields[key] = { bytes, type: value.type, name: value.name };
  }
  return fields;
}

function numbersFrom(fields: Record<string, unknown>, error: z.ZodError): Record<string, unknown> {
  const converted = { ...fields };
  for (const issue of error.issues) {
    const [field] = issue.path;
    const value = typeof field === 'string' ? converted[field] : undefined;
    if (issue.path.length === 1 && typeof field === 'string' && typeof value === 'string') {
      if (issue.code === 'invalid_type' && /^-?[0-9]{1,16}(\.[0-9]+)?$/.test(value))
        converted[field] = Number(value);
    }
  }
  return converted;
}

/** Returns the first issue with its field, without values. */
export function issueSentence(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'invalid request';
  const path = issue.path.map(String).join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
