// Secrets from environment variables, for containers and CI, if the user chose that. Read-only, except that a new API
// key is stored encrypted in the home. A value with a space or line break is refused without quoting it (B74).

import { SecretError } from '../errors.ts';
import type { Environment } from '../home.ts';
import { checkJwt } from '../jwt.ts';
import { importKeypairFile } from '../keys/keypairFile.ts';
import { type FileIdentity, inspectPrivateFile, sameFile } from '../privateFile.ts';
import { Secret } from '../secret.ts';
import { deleteSealedKey, hasSealedKey, openSealedKey, sealKey } from './sealedKey.ts';
import { checkSecretName, type SecretStore, secretNames } from './store.ts';

const LONGEST_VALUE = 16_384;

/** Printable ASCII without spaces. */
function readValue(env: Environment, variable: string): string | undefined {
  const value = env[variable];
  if (value === undefined || value === '') return undefined;
  if (value.length <= LONGEST_VALUE && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new SecretError(
    'INVALID_SECRET',
    `${variable} contains a space, a line break or another invalid character.`,
    `Set ${variable} again, without spaces or line breaks, and restart \`countersign serve\`.`,
  );
}

/** Returns the login token in COUNTERSIGN_JWT. Throws `INVALID_SECRET`, without the value, if it is malformed. */
export function givenJwt(env: Environment, nowSeconds: number): Secret | undefined {
  const value = readValue(env, 'COUNTERSIGN_JWT');
  if (value === undefined) return undefined;
  const check = checkJwt(value, nowSeconds);
  if (check.ok) return Secret.fromText(value);
  throw new SecretError(
    'INVALID_SECRET',
    `COUNTERSIGN_JWT is not usable. ${check.reason}`,
    'Set COUNTERSIGN_JWT again, or unset it and run `countersign login`.',
  );
}

export interface EnvStoreParameters {
  env: Environment;
  /** Home folder for a new API key, stored encrypted. Without it nothing can be stored. */
  home?: string | undefined;
  /**
   * The service of COUNTERSIGN_API_KEY and COUNTERSIGN_JWT, the only one they are sent to. Default:
   * COUNTERSIGN_ROOT_URL.
   */
  rootUrl?: string | undefined;
  /** Seconds since 1970, for checking JWT expiry. Default: the system clock. */
  nowSeconds?: () => number;
}

/**
 * Creates a store over COUNTERSIGN_API_KEY, COUNTERSIGN_JWT, COUNTERSIGN_WALLET_FILE and
 * COUNTERSIGN_OWNER_PUBLIC_KEY.
 */
export function createEnvStore(parameters: EnvStoreParameters): SecretStore {
  const { env, home } = parameters;
  const nowSeconds = parameters.nowSeconds ?? (() => Date.now() / 1000);
  let walletFile: { path: string; identity: FileIdentity; address: string } | undefined;

  const checkUnchanged = () => {
    if (walletFile === undefined) return;
    if (sameFile(walletFile.identity, inspectPrivateFile(walletFile.path))) return;
    throw new SecretError(
      'KEYSTORE_CHANGED',
      `${walletFile.path} was changed while this process was using it.`,
      'If that was you, restart `countersign serve`; if not, run `countersign freeze` and find out who changed it.',
    );
  };

  const readWallet = (): { address: string; secret: Secret } | undefined => {
    const path = env.COUNTERSIGN_WALLET_FILE;
    if (path === undefined || path === '') return undefined;
    checkUnchanged();
    const { address, secret, identity } = importKeypairFile(path);
    walletFile = { path, identity, address };
    return { address, secret };
  };

  /** Opens the wallet file once; afterwards only the file's identity is checked. */
  const walletAddress = (): string | undefined => {
    if (walletFile !== undefined && walletFile.path === env.COUNTERSIGN_WALLET_FILE) {
      checkUnchanged();
      return walletFile.address;
    }
    const wallet = readWallet();
    wallet?.secret.wipe();
    return wallet?.address;
  };

  /** Returns the name of a service secret, if the environment names the service. */
  const named = (nameOf: (rootUrl: string) => string): string | undefined => {
    const rootUrl = parameters.rootUrl ?? env.COUNTERSIGN_ROOT_URL;
    return rootUrl === undefined || rootUrl === '' ? undefined : nameOf(rootUrl);
  };

  const readApiKey = () => readValue(env, 'COUNTERSIGN_API_KEY');
  const readJwt = () => givenJwt(env, nowSeconds());

  /**
   * Runs `work` with the secrets that can encrypt an API key, the wallet's first, since it outlives the login token.
   */
  const withMaterials = <Result>(work: (materials: readonly Secret[]) => Result): Result => {
    const materials = [readWallet()?.secret, readJwt()].flatMap((each) => each ?? []);
    try {
      return work(materials);
    } finally {
      for (const each of materials) each.wipe();
    }
  };

  const readOnly = () =>
    new SecretError(
      'KEYSTORE_READ_ONLY',
      'Secrets come from the environment here, and nothing can be stored there.',
      'Set the variable where `countersign serve` is started, or run `countersign secrets migrate`.',
    );

  const list = async (): Promise<string[]> => {
    const names: string[] = [];
    const [keyName, jwtName] = [named(secretNames.apiKey), named(secretNames.jwt)];
    const hasKey = (name: string) =>
      readApiKey() !== undefined || (home !== undefined && hasSealedKey(home, name));
    if (keyName !== undefined && hasKey(keyName)) names.push(keyName);
    if (jwtName !== undefined && readJwt() !== undefined) names.push(jwtName);
    if (readValue(env, 'COUNTERSIGN_OWNER_PUBLIC_KEY') !== undefined) names.push(secretNames.ownerPublicKey);
    const address = walletAddress();
    if (address !== undefined) names.push(secretNames.wallet(address));
    return names.sort();
  };

  const get = async (name: string): Promise<Secret | undefined> => {
    checkSecretName(name);
    if (name === named(secretNames.jwt)) return readJwt();
    if (name === secretNames.ownerPublicKey) {
      const value = readValue(env, 'COUNTERSIGN_OWNER_PUBLIC_KEY');
      return value === undefined ? undefined : Secret.fromText(value);
    }
    if (name.startsWith('api-key:')) {
      const value = readApiKey();
      if (value !== undefined && name === named(secretNames.apiKey)) return Secret.fromText(value);
      if (home === undefined || !hasSealedKey(home, name)) return undefined;
      return withMaterials((materials) => openSealedKey(home, name, materials));
    }
    if (!name.startsWith('wallet:')) return undefined;
    const wallet = readWallet();
    if (wallet !== undefined && name === secretNames.wallet(wallet.address)) return wallet.secret;
    wallet?.secret.wipe();
    return undefined;
  };

  /** Stores an API key only, and only if COUNTERSIGN_API_KEY is unset. */
  const set = async (name: string, secret: Secret): Promise<void> => {
    checkSecretName(name);
    if (home === undefined || !name.startsWith('api-key:') || readApiKey() !== undefined) throw readOnly();
    withMaterials((materials) => {
      const [material] = materials;
      if (material === undefined) throw readOnly();
      sealKey(home, name, secret, material);
      const back = openSealedKey(home, name, [material]);
      const isKept = back?.equals(secret) === true;
      back?.wipe();
      if (!isKept) throw readOnly();
    });
  };

  return {
    kind: 'env',
    get,
    set,
    delete: async (name) => {
      checkSecretName(name);
      if (home !== undefined && deleteSealedKey(home, name)) return true;
      throw readOnly();
    },
    list,
    async status() {
      try {
        const names = await list();
        const unbound = env.COUNTERSIGN_API_KEY && named(secretNames.apiKey) === undefined;
        const note = unbound
          ? ' COUNTERSIGN_API_KEY is not used: set COUNTERSIGN_ROOT_URL to name its service.'
          : '';
        return { ok: true, kind: 'env', detail: `Environment: ${names.length} values.${note}` };
      } catch (error) {
        const text = error instanceof SecretError ? `${error.message} ${error.hint}` : 'It cannot be read.';
        return { ok: false, kind: 'env', detail: `Environment: ${text}` };
      }
    },
    checkUnchanged,
    refresh: async () => {},
    lock() {
      walletFile = undefined;
    },
  };
}
