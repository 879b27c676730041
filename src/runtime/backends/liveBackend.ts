/** The live backend: the user's setup in this home. */
import { profiles } from '../../contract/profiles/index.ts';
import type { Environment } from '../../secrets/home.ts';
import { openWallet } from '../../secrets/keys/wallet.ts';
import type { Redactor } from '../../secrets/redaction/redact.ts';
import { Secret } from '../../secrets/secret.ts';
import { openStore } from '../../secrets/stores/chooseStore.ts';
import { givenJwt } from '../../secrets/stores/envStore.ts';
import { registeringStore } from '../../secrets/stores/registeringStore.ts';
import { type SecretStore, secretNames } from '../../secrets/stores/store.ts';
import { chooseWallet, type HomeWallet, homeWallets } from '../../secrets/wallets/wallets.ts';
import { parseRootUrl } from '../../service/rootUrl.ts';
import type { Address } from '../../transaction/types.ts';
import { noPolicy, policyFromFile } from '../policyFile.ts';
import type { Settings } from '../settings.ts';
import { type Backend, type Own, SetupError, type WalletSigner } from './backend.ts';

/** Validates the configuration; opens nothing. Throws `SetupError` for a missing setting. */
export function openLiveBackend(
  settings: Settings,
  redactor: Redactor,
  acceptedPolicyHash: () => Promise<string | undefined>,
  own: Own = {},
): Backend {
  const profile = profiles[settings.profile];
  const rootUrl = settings.rootUrl ?? profile.rootUrl;
  if (rootUrl === undefined) {
    throw new SetupError(
      'Live mode needs the address of the service.',
      'Pass `--root-url URL` or set COUNTERSIGN_ROOT_URL; `--profile bags` brings its own.',
    );
  }
  if (settings.rpcUrl === undefined) {
    throw new SetupError(
      'Live mode needs an RPC of your own: the service is not trusted to report the state of the chain.',
      'Pass `--rpc-url URL` or set COUNTERSIGN_RPC_URL.',
    );
  }
  const second = hostOf(settings.secondRpcUrl);
  if (second !== undefined && second === hostOf(settings.rpcUrl)) {
    throw new SetupError(
      'The second RPC is on the same server as the first, so it could not disagree.',
      'Set `second-rpc-url` to the RPC of another provider, or leave it out.',
    );
  }
  for (const name of ['COUNTERSIGN_PASSPHRASE', 'COUNTERSIGN_API_KEY', 'COUNTERSIGN_JWT']) {
    const value = settings.env[name];
    if (value !== undefined) redactor.register(value);
  }
  redactor.registerUrl(settings.rpcUrl);
  if (settings.secondRpcUrl !== undefined) redactor.registerUrl(settings.secondRpcUrl);
  const origin = parseRootUrl(rootUrl);
  const store =
    own.secrets ??
    openStore({ home: settings.home, env: settings.env, requested: settings.secretStore, rootUrl: origin });
  const secrets = registeringStore(withGiven(store, origin, settings.env), redactor);
  /** Signers of an embedding program or of the configured module; they replace the store's wallets. */
  let loading: Promise<readonly WalletSigner[]> | undefined;
  const ownSigners = async (): Promise<readonly WalletSigner[] | undefined> => {
    if (own.signer !== undefined) return [own.signer];
    if (settings.signer === undefined) return undefined;
    const path = settings.signer;
    loading ??= import('./signerModule.ts').then(({ loadSigners }) => loadSigners(path));
    return loading;
  };
  const signers = new Map<Address, Promise<WalletSigner>>();
  const registered = new Map<string, Promise<void>>();
  /** Registers a wallet's key with the redactor, once; a failed read is retried next time. */
  const known = (name: string): Promise<void> => {
    const reading =
      registered.get(name) ??
      secrets.get(name).then(
        (secret) => secret?.wipe(),
        () => void registered.delete(name),
      );
    registered.set(name, reading);
    return reading;
  };
  const open = async (address: Address): Promise<WalletSigner> => {
    const mine = (await ownSigners())?.find((each) => each.address === address);
    if (mine !== undefined) return mine;
    const signer = await openWallet(secrets, address);
    if (signer !== undefined) return signer;
    throw new SetupError(
      'The key of this wallet is not in the secret store.',
      'Run `countersign wallet import FILE`, or `countersign wallet create` for a new one.',
    );
  };
  /** Returns all wallets, or only the configured one. */
  const served = (wallets: readonly HomeWallet[]): readonly HomeWallet[] => {
    if (settings.wallet === undefined) return wallets;
    const only = chooseWallet(wallets, settings.wallet);
    return only === undefined ? [] : [{ ...only, isDefault: true }];
  };
  return {
    mode: 'live',
    profile,
    rootUrl: origin,
    rpcUrl: settings.rpcUrl,
    ...(settings.secondRpcUrl === undefined ? {} : { secondRpcUrl: settings.secondRpcUrl }),
    secrets,
    policy:
      own.policy ??
      (settings.policy === undefined ? noPolicy : policyFromFile(settings.policy, acceptedPolicyHash)),
    // The owner accepts a principal's policy with the principals file; an accepted policy of the home is another file.
    policyOf: async (path, pinned) => policyFromFile(path, async () => undefined, pinned),
    wallets: async () => {
      const mine = await ownSigners();
      if (mine !== undefined)
        return served(mine.map(({ address }) => ({ address, isDefault: mine.length === 1 })));
      const wallets = await homeWallets(secrets);
      await Promise.all(wallets.map(({ address }) => known(secretNames.wallet(address))));
      return served(wallets);
    },
    signer: (address) => {
      const known = signers.get(address) ?? open(address);
      signers.set(address, known);
      known.catch(() => signers.delete(address));
      return known;
    },
    shown: {},
    close: async () => {
      for (const each of signers.values()) (await each.catch(() => undefined))?.lock?.();
      secrets.lock();
    },
  };
}

const hostOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;

/**
 * Adds secrets that a client with its own keychain (the bundle's `api_key` and `login_token`) passes in the
 * environment: an API key if `store` has none, and a login token that takes precedence over the stored one. Neither
 * is ever written.
 */
function withGiven(store: SecretStore, rootUrl: string, env: Environment): SecretStore {
  if (store.kind === 'env') return store;
  const key = env.COUNTERSIGN_API_KEY;
  return {
    ...store,
    get: async (name) => {
      const given = name === secretNames.jwt(rootUrl) ? givenJwt(env, Date.now() / 1000) : undefined;
      const secret = given ?? (await store.get(name));
      if (secret !== undefined || !key || name !== secretNames.apiKey(rootUrl)) return secret;
      return Secret.fromText(key);
    },
  };
}
