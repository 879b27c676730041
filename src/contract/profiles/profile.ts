/**
 * Wire differences of a deployment: names, paths, encodings, root URL, constants. All other code uses the contract's names;
 * `mapping.ts` translates.
 */
import type { EndpointName } from '../index.ts';

/** How transaction strings of an answer are written. Declared per endpoint and never guessed (C-WIRE-03). */
export type TransactionEncoding = 'base64' | 'base58';

export type ProfileName = 'contract' | 'bags';

/** contract name → wire name */
export type NameMap = Readonly<Record<string, string>>;

export interface ServiceProfile {
  readonly name: ProfileName;
  /** Root URL of a known deployment. */
  readonly rootUrl?: string;
  /** Prefix of every path whose base is `api`. */
  readonly basePath: string;
  readonly paths: Readonly<Partial<Record<EndpointName, string>>>;
  /** Transports of request fields that differ from the table. */
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
  /** The specific meaning of a 404 on this deployment. */
  readonly notFound: Readonly<Partial<Record<EndpointName, string>>>;
  /** Returns the violated rule of the deployment beyond the contract, if any. */
  readonly refuse: (endpoint: EndpointName, request: Readonly<Record<string, unknown>>) => string | undefined;
  /** Programs and accounts of the deployment, for policy templates; empty when unknown. */
  readonly addresses: Readonly<Record<string, string>>;
}
