/** Users, API keys and the login tokens of the sandbox (C-AUTH, C-KEY). */
import { randomBytes, randomUUID } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { ApiKey, ServiceState, User } from '../state.ts';
import { badRequest } from './errors.ts';

/** Maximum active keys of an account; the sandbox's own value. */
export const MAX_KEYS_PER_USER = 10;
const LOGIN_SECONDS = 365 * 24 * 3600;

/** Returns the user of a key. */
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
export function mintLogin(secret: Uint8Array, { userId, name }: User, nowMs: number): Promise<string> {
  const now = Math.floor(nowMs / 1000);
  return new SignJWT({ sub: userId, name, iat: now, exp: now + LOGIN_SECONDS })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(secret);
}

/** Returns the user id of a login token. Rejects with 400 unless this sandbox minted it and it has not expired. */
export async function readLogin(secret: Uint8Array, token: string, nowMs: number): Promise<string> {
  const how = { algorithms: ['HS256'], requiredClaims: ['sub', 'exp'], currentDate: new Date(nowMs) };
  const read = await jwtVerify(token, secret, how).catch(() => undefined);
  if (read?.payload.sub === undefined) throw badRequest('Invalid token');
  return read.payload.sub;
}
