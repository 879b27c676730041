/** Who sends a request over HTTP, and what that caller may do: the types that the files of this folder share. */
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { ToolEffect } from '../../../tools/tool.ts';
import { isRecord } from '../../base/record.ts';
import { listed } from '../catalogue.ts';
import type { CountersignServer } from '../createServer.ts';

/** What a token may be used for. `read`: whatever changes nothing. `build`: records and plans. `submit`: sign and land. */
export const SCOPES = ['read', 'build', 'submit'] as const;
export type Scope = (typeof SCOPES)[number];

/** What names a principal: a subject of an issuer, compared character by character, or the token of a file. */
export type Identity = { readonly issuer: string; readonly subject: string } | { readonly tokenFile: string };

/** A request's sender, once its token was checked. `why` is for the log: the client is told less. */
export type Authenticated =
  | { readonly ok: true; readonly identity: Identity; readonly auth: AuthInfo }
  | { readonly ok: false; readonly status: 401 | 503; readonly why: string };

/** Checks a bearer token. Never rejects. */
export interface Authenticator {
  /**
   * `token` is what stands after `Bearer`; absent when the request has none. `isLocal`: the request names this machine,
   * so it came through no proxy for others.
   */
  check(token: string | undefined, isLocal?: boolean): Promise<Authenticated>;
}

/** One agent, or a group of agents that may do the same, as it is served. */
export interface Principal {
  readonly name: string;
  readonly server: CountersignServer;
  /** Requests in any minute. */
  readonly callsPerMinute: number;
  /** Requests that are answered at the same time, open event streams not counted. */
  readonly callsAtOnce: number;
}

const SCOPE_OF: Readonly<Record<ToolEffect, Scope>> = {
  read: 'read',
  write: 'build',
  build: 'build',
  submit: 'submit',
};

type Message = Readonly<Record<string, unknown>>;

/** The scope that a JSON-RPC message needs: that of the tool it calls, else `read`. */
export function scopeOf(message: Message): Scope {
  const name = toolOf(message);
  const tool = name === undefined ? undefined : listed.find((each) => each.tool.name === name);
  return tool === undefined ? 'read' : SCOPE_OF[tool.effect];
}

/** The tool of the catalogue that a message calls. */
export function toolOf({ method, params }: Message): string | undefined {
  if (method !== 'tools/call' || !isRecord(params)) return undefined;
  return listed.find((each) => each.tool.name === params.name)?.tool.name;
}
