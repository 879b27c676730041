/**
 * Sessions of the 2025 revisions: one MCP connection for all requests of a client. A session belongs to the principal
 * that opened it and is unknown to others.
 */
import { randomUUID } from 'node:crypto';
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Principal } from './caller.ts';

/** Maximum number of sessions of a principal; the longest idle one is closed for a new one. */
const MAX_SESSIONS = 64;
/** Idle time in milliseconds after which a session is closed. */
const IDLE_MS = 30 * 60_000;

interface Session {
  readonly principal: Principal;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
}

export interface Sessions {
  /** Returns the transport of a request's session, or of a new one if the request opens it; otherwise `undefined`. */
  transportFor(
    request: Request,
    opens: boolean,
    principal: Principal,
  ): Promise<WebStandardStreamableHTTPServerTransport | undefined>;
  /** Ends the sessions of a principal. */
  forget(principal: Principal): void;
  close(): Promise<void>;
}

/** `passed` returns monotonic milliseconds. `connect` creates the SDK server of a new session. */
export function createSessions(passed: () => number, connect: (principal: Principal) => Server): Sessions {
  /** By id, least recently used first. */
  const sessions = new Map<string, Session>();

  const end = (id: string): void => {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.transport.close().catch(() => undefined);
  };
  const closeIdle = (): void => {
    for (const [id, { usedAt }] of sessions) if (passed() - usedAt > IDLE_MS) end(id);
  };
  const makeRoom = (principal: Principal): void => {
    const own = [...sessions].filter(([, session]) => session.principal === principal);
    for (const [id] of own.slice(0, Math.max(0, own.length - MAX_SESSIONS + 1))) end(id);
  };

  const open = async (principal: Principal): Promise<WebStandardStreamableHTTPServerTransport> => {
    makeRoom(principal);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, { principal, transport, usedAt: passed() }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await connect(principal).connect(transport);
    return transport;
  };

  return {
    transportFor: async (request, opens, principal) => {
      closeIdle();
      const id = request.headers.get('mcp-session-id');
      if (id === null) return opens ? open(principal) : undefined;
      const session = sessions.get(id);
      if (session?.principal !== principal) return undefined;
      session.usedAt = passed();
      sessions.delete(id);
      sessions.set(id, session);
      return session.transport;
    },
    forget: (principal) => {
      for (const [id, session] of sessions) if (session.principal === principal) end(id);
    },
    close: async () => {
      for (const id of [...sessions.keys()]) end(id);
    },
  };
}
