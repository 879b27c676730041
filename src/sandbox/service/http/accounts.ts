/** Users, their API keys and the login tokens the sandbox mints for itself (C-AUTH, C-KEY). */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { ApiKey, ServiceState, User } from '../state.ts';
import { badRequest } from './errors.ts';

/** Active keys one account may have. The contract does not say; this is the sandbox's own number. */
export const MAX_KEYS_PER_USER = 10;
const LOGIN_SECONDS = 365 * 24 * 3600;

/** The user behind a key, or `undefined`. */
export function userOfKey(state: ServiceState, key: string | undefined): User | undefined {
  const apiKey = key === undefined ? undefined : state.apiKeys.get(key);
  if (apiKey === undefined) return undefined;
  apiKey.lastUsedAt = state.now();
  return state.users.get(apiKey.userId);
}

/** Issues a key. Throws 400 at the account's limit. */
export function issueKey(state: ServiceState, userId: string, name: string, secret?: string): ApiKey {
  const held = [...state.apiKeys.values()].filter((key) => key.userId === userId).length;
  if (held >= MAX_KEYS_PER_USER) throw badRequest('You have reached the maximum number of API keys');
  const now = state.now();
  const key: ApiKey = {
    keyId: randomUUID(),
    userId,
    name,
    key: secret ?? `sandbox_${randomBytes(24).toString('base64url')}`,
    status: 'active',
    createdAt: now,
    updatedAt: now,
    lastUsedAt: now,
  };
  state.apiKeys.set(key.key, key);
  return key;
}

/** A login token of a user, HS256. */
export function mintLogin(secret: Uint8Array, user: User, nowMs: number): string {
  const now = Math.floor(nowMs / 1000);
  const head = part({ alg: 'HS256', typ: 'JWT' });
  const body = part({ sub: user.userId, name: user.name, iat: now, exp: now + LOGIN_SECONDS });
  return `${head}.${body}.${signature(secret, `${head}.${body}`)}`;
}

/** The user id a login token names. Throws 400 "Invalid token" unless this sandbox minted it and it is alive. */
export function readLogin(secret: Uint8Array, token: string, nowMs: number): string {
  const [head = '', body = '', given = ''] = token.split('.');
  const expected = Buffer.from(signature(secret, `${head}.${body}`));
  const actual = Buffer.from(given);
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual))
    throw badRequest('Invalid token');
  const claims = readPart(body);
  const { sub, exp } = claims;
  if (readPart(head).alg !== 'HS256' || typeof sub !== 'string' || typeof exp !== 'number') {
    throw badRequest('Invalid token');
  }
  if (exp * 1000 <= nowMs) throw badRequest('Invalid token');
  return sub;
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function readPart(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function signature(secret: Uint8Array, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}
