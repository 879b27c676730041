/**
 * Translates requests and answers between the contract's names and a deployment's wire names: the client uses `requestToWire`
 * and `responseFromWire`, the sandbox service the other two. Pure.
 */
import type { Endpoint } from '../endpoint.ts';
import { type EndpointName, endpoints } from '../index.ts';
import type { NameMap, ServiceProfile, TransactionEncoding } from './profile.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A table row with widened schemas, for code over all endpoints. */
export const endpointOf = (name: EndpointName): Endpoint => endpoints[name];

const flip = (names: NameMap): NameMap =>
  Object.fromEntries(Object.entries(names).map(([own, wire]) => [wire, own]));

/**
 * Renames keys. A field that already has the new name is kept, for deployments that have changed to the contract's name.
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

/** Returns the request in wire names, without nulls (C-WIRE-08) and path fields. */
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

/** Returns the request in the contract's names from the wire's and the path's fields. */
export function requestFromWire(
  profile: ServiceProfile,
  name: EndpointName,
  wire: Fields,
  path: Fields = {},
): Record<string, unknown> {
  return { ...rename(wire, flip(profile.requestNames[name] ?? {})), ...path };
}

/** Returns the answer in the contract's names. */
export function responseFromWire(profile: ServiceProfile, name: EndpointName, payload: unknown): unknown {
  const names = profile.responseNames[name];
  return names === undefined ? payload : renameDeep(payload, flip(names));
}

/** Returns the answer in wire names. */
export function responseToWire(profile: ServiceProfile, name: EndpointName, payload: unknown): unknown {
  const names = profile.responseNames[name];
  return names === undefined ? payload : renameDeep(payload, names);
}

/** Returns the transaction encoding of an endpoint on this deployment; `undefined` if it returns no transactions. */
export function transactionEncoding(
  profile: ServiceProfile,
  name: EndpointName,
): TransactionEncoding | undefined {
  return profile.encodings[name] ?? endpointOf(name).transactions?.encoding;
}

/** Returns how this deployment sends a request's fields. */
export function sendKind(profile: ServiceProfile, name: EndpointName): Endpoint['send'] {
  return profile.sends[name] ?? endpointOf(name).send;
}

/** Returns the path below the root with placeholders, such as `/api/v1/incorporate/…/{tokenAddress}`. */
export function pathTemplate(profile: ServiceProfile, name: EndpointName): string {
  const endpoint = endpointOf(name);
  return `${endpoint.base === 'api' ? profile.basePath : ''}${profile.paths[name] ?? endpoint.path}`;
}

/** Returns the path below the root of a request, with percent-encoded fields (B57). */
export function pathOf(profile: ServiceProfile, name: EndpointName, request: Fields): string {
  return pathTemplate(profile, name).replace(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(String(request[field] ?? '')),
  );
}
