/** Ping, keys from a login token, and the wallet-signature login (C-KEY, C-AUTH). */
import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { verifySignature } from '../../../src/base/ed25519.ts';
import type { EndpointRequest } from '../../../src/contract/index.ts';
import { addressBytes } from '../../../src/transaction/base58.ts';
import type { ServiceContext } from '../context.ts';
import { issueKey, readLogin } from '../http/accounts.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest } from '../http/errors.ts';
import type { ApiKey } from '../state.ts';

const CHALLENGE_MS = 300_000;

export const accountHandlers = {
  ping: () => ({ message: 'pong' }),
  createAgentKey: async (service, { token, name }) => {
    const userId = await readLogin(service.loginSecret, token, service.now());
    if (!service.state.users.has(userId)) throw badRequest('Invalid token');
    return { apiKey: wireKey(issueKey(service.state, userId, name)) };
  },
  authInit: (service, { address }) => challengeFor(service, address),
  authCallback: (service, request) => loginWithWallet(service, request),
} satisfies Handlers;

function wireKey({ keyId, userId, name, key, status, createdAt, updatedAt, lastUsedAt }: ApiKey) {
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    status,
    userId,
    name,
    keyId,
    key,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
    lastUsedAt: iso(lastUsedAt),
  };
}

function challengeFor(service: ServiceContext, address: string) {
  const nonce = randomBytes(16).toString('hex');
  const words = `Sandbox login\nWallet: ${address}\nNonce: ${nonce}`;
  const message = bs58.encode(Buffer.from(words));
  service.state.challenges.set(nonce, { address, message, expiresAt: service.now() + CHALLENGE_MS });
  return { message, nonce };
}

function loginWithWallet(service: ServiceContext, request: EndpointRequest<'authCallback'>) {
  const { state } = service;
  const challenge = state.challenges.get(request.nonce);
  state.challenges.delete(request.nonce);
  if (
    challenge === undefined ||
    challenge.address !== request.address ||
    challenge.expiresAt < service.now()
  ) {
    throw badRequest('Invalid nonce');
  }
  const signature = bs58.decodeUnsafe(request.signature);
  const signed = bs58.decode(challenge.message);
  if (signature === undefined || !verifySignature(addressBytes(request.address), signature, signed)) {
    throw badRequest('Invalid signature');
  }
  const userId = `wallet-${request.address}`;
  const isSignup = !state.users.has(userId);
  if (isSignup) state.users.set(userId, { userId, name: request.address });
  const issued = issueKey(state, userId, request.keyName);
  return { apiKey: issued.key, keyId: issued.keyId, isSignup };
}
