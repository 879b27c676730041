/** Types of an HTTP request's sender and permissions, shared in this folder. */
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { ToolEffect } from '../../../tools/tool.ts';
import { isRecord } from '../../base/record.ts';
import { listed } from '../catalogue.ts';
import type { CountersignServer } from '../createServer.ts';

/** Token scopes. `read`: changes nothing. `build`: records and plans. `submit`: signs and executes. */
export const SCOPES = ['read', 'build', 'submit'] as const;
export type Scope = (typeof SCOPES)[number];

/** Identity of a principal: an issuer's subject, compared exactly, or a token file. */
export type Identity = { readonly issuer: string; readonly subject: string } | { readonly tokenFile: string };

/** The sender of a request after its token was checked. `why` is for the log: the client gets less detail. */
export type Authenticated =
  | { readonly ok: true; readonly identity: Identity; readonly auth: AuthInfo }
  | { readonly ok: false; readonly status: 401 | 503; readonly why: string };

/** Checks a bearer token. Never rejects. */
export interface Authenticator {
  /**
   * `token` follows `Bearer`; absent if the request has none. `isLocal`: the request names this machine, so it did
   * not come through a proxy.
   */
  check(token: string | undefined, isLocal?: boolean): Promise<Authenticated>;
}

/** A served principal: one agent, or a group of agents with the same permissions. */
export interface Principal {
  readonly name: string;
  readonly server: CountersignServer;
  /** Requests per minute. */
  readonly callsPerMinute: number;
  /** Concurrent requests, without open event streams. */
  readonly callsAtOnce: number;
}

const SCOPE_OF: Readonly<Record<ToolEffect, Scope>> = {
  read: 'read',
  write: 'build',
  build: 'build',
  submit: 'submit',
};

type Message = Readonly<Record<string, unknown>>;

/** Returns the scope a JSON-RPC message needs: that of the called tool, otherwise `read`. */
export function scopeOf(message: Message): Scope {
  const name = toolOf(message);
  const tool = name === undefined ? undefined : listed.find((each) => each.tool.name === name);
  return tool === undefined ? 'read' : SCOPE_OF[tool.effect];
}

/** Returns the name of the catalogue tool a message calls. */
export function toolOf({ method, params }: Message): string | undefined {
  if (method !== 'tools/call' || !isRecord(params)) return undefined;
  return listed.find((each) => each.tool.name === params.name)?.tool.name;
}
