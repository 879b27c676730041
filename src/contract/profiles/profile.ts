/**
 * What one deployment of the contract does differently on the wire: names, paths, encodings, root URL, constants.
 * Everything else in the project speaks the contract's own names; `mapping.ts` translates both ways.
 */
import type { EndpointName } from '../index.ts';

/** How transaction strings of an answer are written. Declared per endpoint and never guessed (C-WIRE-03). */
export type TransactionEncoding = 'base64' | 'base58';

export type ProfileName = 'contract' | 'bags';

/** contract name → wire name */
export type NameMap = Readonly<Record<string, string>>;

export interface ServiceProfile {
  readonly name: ProfileName;
  /** Only a profile of one known deployment has a root of its own. */
  readonly rootUrl?: string;
  /** Prefix of every path whose base is `api`. */
  readonly basePath: string;
  readonly paths: Readonly<Partial<Record<EndpointName, string>>>;
  /** How a request travels where it differs from the table. */
  readonly sends: Readonly<Partial<Record<EndpointName, 'json'>>>;
  /** Request field names at the top level of the request. */
  readonly requestNames: Readonly<Partial<Record<EndpointName, NameMap>>>;
  /** Answer field names, wherever they occur in the answer. */
  readonly responseNames: Readonly<Partial<Record<EndpointName, NameMap>>>;
  readonly encodings: Readonly<Partial<Record<EndpointName, TransactionEncoding>>>;
  /** A key of the service pays the network fee of the configs it signs, and the wallet refunds it. */
  readonly paysConfigs: boolean;
  /** Endpoints the deployment does not have. */
  readonly unavailable: readonly EndpointName[];
  /** What a 404 means here, where the deployment is known to answer one. */
  readonly notFound: Readonly<Partial<Record<EndpointName, string>>>;
  /** Rules of the deployment beyond the contract: a sentence when the request breaks one. */
  readonly refuse: (endpoint: EndpointName, request: Readonly<Record<string, unknown>>) => string | undefined;
  /** Programs and accounts of the deployment, for policy templates; empty when unknown. */
  readonly addresses: Readonly<Record<string, string>>;
}
