/**
 * The agents of an HTTP server, by identity. Agents can be replaced at run time; unchanged ones keep their sessions.
 */
import { SetupError } from '../../runtime/backends/backend.ts';
import type { PrincipalEntry } from '../../runtime/principals/file.ts';
import type { CountersignServer } from '../../server/createServer.ts';
import type { Authenticator, Identity, Principal } from '../../server/http/caller.ts';
import { createOAuth, type OAuthAuthenticator } from '../../server/http/oauth.ts';
import { createTokenFiles } from '../../server/http/tokenFile.ts';
import { UsageError } from '../options.ts';

/**
 * A principal before its server is created. The single agent of a token file has all wallets, under the home's
 * policy.
 */
export type Entry = Omit<PrincipalEntry, 'wallets' | 'policy'> &
  Partial<Pick<PrincipalEntry, 'wallets' | 'policy'>>;

export interface AgentsParts {
  /** Whether only this machine can reach the server. */
  readonly isLocal: boolean;
  readonly host: string;
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
  readonly serverOf: (entry: Entry) => CountersignServer;
}

export interface Agents {
  /** Checks tokens of the agents served now. */
  readonly authenticator: Authenticator;
  readonly oauth: OAuthAuthenticator | undefined;
  /** Returns the principal of an identity. */
  principalOf(identity: Identity): Principal | undefined;
  /**
   * Replaces the served agents. Returns removed and changed agents.
   * @throws UsageError, SetupError or TokenFileError if an agent cannot be served; nothing has changed then
   */
  serve(entries: readonly Entry[]): readonly Principal[];
}

export function createAgents(parts: AgentsParts): Agents {
  const { issuer, audience, serverOf } = parts;
  const now = (): number => Date.now();
  const oauth =
    issuer === undefined || audience === undefined
      ? undefined
      : createOAuth({ issuer, audience, fetch: (url, init) => fetch(url, init), now });
  let files = createTokenFiles([], now);
  let byIdentity: ReadonlyMap<string, Principal> = new Map();
  /** By their configuration. */
  let agents: ReadonlyMap<string, Principal> = new Map();

  return {
    authenticator: {
      check: async (token, isLocal) => {
        const known = await files.check(token, isLocal);
        return known.ok || oauth === undefined ? known : oauth.check(token);
      },
    },
    oauth,
    principalOf: (identity) => byIdentity.get(identityKey(identity)),
    serve: (entries) => {
      const nextFiles = createTokenFiles(tokenFilesOf(entries, parts), now);
      const next = new Map<string, Principal>();
      const identities = new Map<string, Principal>();
      for (const entry of entries) {
        const key = JSON.stringify(entry);
        const { name, callsPerMinute, callsAtOnce } = entry;
        const agent = agents.get(key) ?? { name, server: serverOf(entry), callsPerMinute, callsAtOnce };
        next.set(key, agent);
        for (const identity of entry.is) identities.set(identityKey(identity), agent);
      }
      const gone = [...agents].filter(([key]) => !next.has(key)).map(([, agent]) => agent);
      files = nextFiles;
      byIdentity = identities;
      agents = next;
      return gone;
    },
  };
}

/** Returns the token files that name principals. Throws for identities the server was not started for. */
function tokenFilesOf(entries: readonly Entry[], { isLocal, host, issuer }: AgentsParts): string[] {
  const is = entries.flatMap((entry) => entry.is);
  if (!isLocal && is.some((each) => 'tokenFile' in each))
    throw new UsageError(
      `Others can reach ${host}, and a token file is for agents on this machine.`,
      'Name the principals by issuer and subject, or leave the setting host out.',
    );
  const stranger = is.find((each) => 'issuer' in each && each.issuer !== issuer);
  if (stranger !== undefined && 'issuer' in stranger)
    throw new SetupError(
      `A principal is named by the issuer ${stranger.issuer}, which the server does not trust.`,
      "Set that address as issuer, and this server's own as audience.",
    );
  return is.flatMap((each) => ('tokenFile' in each ? [each.tokenFile] : []));
}

const identityKey = (identity: Identity): string =>
  'tokenFile' in identity
    ? JSON.stringify([identity.tokenFile])
    : JSON.stringify([identity.issuer, identity.subject]);
