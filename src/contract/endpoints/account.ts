/** Agent keys, login and the ping: docs/contract.md C-KEY-01 … 05, C-AUTH-05 … 07, C-LIMIT-02. */
import { z } from 'zod';
import { LIMITS } from '../constants.ts';
import { reading, writing } from '../endpoint.ts';
import { flags, texts } from '../nullishFields.ts';
import { publicKey, text, wallet } from '../params.ts';

/** Three base64url parts joined by dots (B59, C-KEY-02). The value is secret: messages never repeat it. */
const JWT = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

export const ParamKeyName = text(1, LIMITS.keyName, 'Descriptive name of the key.');

export const ParamJwt = z
  .string()
  .refine((value) => value.length <= LIMITS.jwt && JWT.test(value), {
    error: 'must be a login JWT: three parts of letters, digits, - and _ joined by dots, on one line',
  })
  .describe('Login JWT.');

/** Reads the body of `GET {root}/ping`; only its headers matter (C-LIMIT-02). */
export const ping = reading('/ping', {
  base: 'root',
  keyed: 'try',
  send: 'none',
  request: z.strictObject({}),
  response: z.looseObject({ message: z.string().nullish() }),
  envelope: 'none',
  outsideBudget: true,
});

/** The account of a key. Only `key`, the secret, is guaranteed. */
export const apiKeySchema = z.looseObject({
  key: z.string().min(1),
  ...texts('keyId', 'userId', 'name', 'status', 'createdAt', 'updatedAt', 'lastUsedAt'),
});

export const createAgentKey = writing('/agent/dev/keys/create', {
  keyed: false,
  request: z.strictObject({ token: ParamJwt, name: ParamKeyName }),
  response: z.looseObject({ apiKey: apiKeySchema }),
  secretRequest: ['token'],
  secretResponse: true,
  reconcile:
    'The service may have made a key that was never received. Look at the keys on the developer dashboard and revoke the stray one before asking again.',
});

/** First half of the wallet-signature login: the service names bytes to sign (C-AUTH-06). */
export const authInit = writing('/agent/v2/auth/init', {
  keyed: false,
  request: z.strictObject({ address: wallet('Wallet that signs the challenge.') }),
  response: z.looseObject({ message: z.string(), nonce: z.string() }),
  reconcile: 'Start the login again; an unanswered challenge expires by itself.',
});

/** Second half: the service exchanges the signature for an API key, or requires a second factor (C-AUTH-07). */
export const authCallback = writing('/agent/v2/auth/callback', {
  keyed: false,
  request: z.strictObject({
    signature: z
      .string()
      .regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/, { error: 'must be a base58 Ed25519 signature' }),
    address: publicKey('Wallet that signed.'),
    nonce: text(1, 128, 'Nonce of the challenge.'),
    keyName: ParamKeyName,
  }),
  response: z.looseObject({
    ...texts('apiKey', 'keyId'),
    ...flags('isSignup', 'mfaRequired'),
  }),
  secretRequest: ['signature', 'nonce'],
  secretResponse: true,
  reconcile:
    'The service may have made a key that was never received. Look at the keys on the developer dashboard before logging in again.',
});
