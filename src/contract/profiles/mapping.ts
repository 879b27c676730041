/**
 * Translating requests and answers between the contract's names and a deployment's wire, both ways: the client uses
 * `requestToWire` and `responseFromWire`, the sandbox service the two others. Pure.
 */
import type { Endpoint } from '../endpoint.ts';
import { type EndpointName, endpoints } from '../index.ts';
import type { NameMap, ServiceProfile, TransactionEncoding } from './profile.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A table row with its schemas widened, for code that treats all endpoints alike. */
export const endpointOf = (name: EndpointName): Endpoint => endpoints[name];

const flip = (names: NameMap): NameMap =>
  Object.fromEntries(Object.entries(names).map(([own, wire]) => [wire, own]));

/**
 * Renames keys. Where the new name is already there the field is kept as it is, so that a deployment that has
 * changed over to the contract's name keeps working.
 */
function rename(fields: Fields, names: NameMap): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => {
      const to = Object.hasOwn(names, key) ? names[key] : undefined;
      return [to === undefined || Object.hasOwn(fields, to) ? key : to, value];
    }),
  );
}

function renameDeep(value: unknown, names: NameMap): unknown {
  if (Array.isArray(value)) return value.map((element) => renameDeep(element, names));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([key, field]) => [key, renameDeep(field, names)]);
  return rename(Object.fromEntries(inner), names);
}

/** The request as the wire wants it: wire names, nulls left out (C-WIRE-08), path fields taken out. */
export function requestToWire(
  profile: ServiceProfile,
  name: EndpointName,
  request: Fields,
): Record<string, unknown> {
  const pathParams = endpointOf(name).pathParams ?? [];
  const sent = Object.entries(request).filter(
    ([key, value]) => value !== null && value !== undefined && !pathParams.includes(key),
  );
  return rename(Object.fromEntries(sent), profile.requestNames[name] ?? {});
}

/** The request in the contract's names, from the wire's fields and the path's. */
export function requestFromWire(
  profile: ServiceProfile,
  name: EndpointName,
  wire: Fields,
  path: Fields = {},
): Record<string, unknown> {
  return { ...rename(wire, flip(profile.requestNames[name] ?? {})), ...path };
}

/** The answer's payload in the contract's names. */
export function responseFromWire(profile: ServiceProfile, name: EndpointName, payload: unknown): unknown {
  const names = profile.responseNames[name];
  return names === undefined ? payload : renameDeep(payload, flip(names));
}

/** The answer's payload in the wire's names. */
export function responseToWire(profile: ServiceProfile, name: EndpointName, payload: unknown): unknown {
  const names = profile.responseNames[name];
  return names === undefined ? payload : renameDeep(payload, names);
}

/** How the transactions of an endpoint's answer are encoded on this deployment; `undefined` when it returns none. */
export function transactionEncoding(
  profile: ServiceProfile,
  name: EndpointName,
): TransactionEncoding | undefined {
  return profile.encodings[name] ?? endpointOf(name).transactions?.encoding;
}

/** How a request travels on this deployment. */
export function sendKind(profile: ServiceProfile, name: EndpointName): Endpoint['send'] {
  return profile.sends[name] ?? endpointOf(name).send;
}

/** The path below the root with its placeholders still in it, such as `/api/v1/incorporate/…/{tokenAddress}`. */
export function pathTemplate(profile: ServiceProfile, name: EndpointName): string {
  const endpoint = endpointOf(name);
  return `${endpoint.base === 'api' ? profile.basePath : ''}${profile.paths[name] ?? endpoint.path}`;
}

/** The path below the root for one request; path fields are percent-encoded, never joined raw (B57). */
export function pathOf(profile: ServiceProfile, name: EndpointName, request: Fields): string {
  return pathTemplate(profile, name).replace(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(String(request[field] ?? '')),
  );
}
