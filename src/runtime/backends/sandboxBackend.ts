/** The embedded sandbox as a backend: its own key, login, funded wallet and policy, gone when the server ends. */

import { profiles } from '../../contract/profiles/index.ts';
import { parsePolicy } from '../../policy/file/file.ts';
import { embeddedPolicy } from '../../review/templates/embedded.ts';
import { createSigner } from '../../secrets/keys/wallet.ts';
import type { Redactor } from '../../secrets/redaction/redact.ts';
import { Secret } from '../../secrets/secret.ts';
import { registeringStore } from '../../secrets/stores/registeringStore.ts';
import { createMemoryStore, secretNames } from '../../secrets/stores/store.ts';
import { changedPolicy, fixedPolicy, type PolicySource, readPolicyFile } from '../policyFile.ts';
import type { Settings } from '../settings.ts';
import { type Backend, type Own, SetupError } from './backend.ts';
import { loadSandbox, type Sandbox, type SandboxOptions } from './embedded.ts';

/** Starts a sandbox in this process. Live wallets and keys are never opened here (F55). */
export async function openSandboxBackend(
  settings: Settings,
  redactor: Redactor,
  options: SandboxOptions = {},
  own: Own = {},
): Promise<Backend> {
  const { profile, seed, slotMs } = settings;
  const sandbox = await start({
    profile,
    ...(seed === undefined ? {} : { seed }),
    ...(slotMs === undefined ? {} : { slotMs }),
    ...options,
  });
  // What the wallet was given is confirmed before anything is asked: a first look shows it.
  sandbox.advanceSlots(1);
  const { address, secretKey } = sandbox.wallet;
  const secrets = registeringStore(createMemoryStore(), redactor);
  await secrets.set(secretNames.apiKey(sandbox.rootUrl), Secret.fromText(sandbox.apiKey));
  await secrets.set(secretNames.jwt(sandbox.rootUrl), Secret.fromText(sandbox.jwt));
  redactor.register(secretKey);
  const here = { wallet: address, network: sandbox.genesisHash };
  const signer = createSigner(Secret.fromBytes(secretKey));
  return {
    mode: 'sandbox',
    profile: { ...profiles[profile], addresses: { ...profiles[profile].addresses, ...knownKeys(sandbox) } },
    rootUrl: sandbox.rootUrl,
    rpcUrl: sandbox.rpcUrl,
    secrets,
    policy: own.policy ?? (await policyOf(settings.policy, here)),
    policyOf: (path, pinned) => policyOf(path, here, pinned),
    wallets: async () => [{ address, isDefault: true }],
    signer: async (wanted) => {
      if (wanted === address) return signer;
      throw new SetupError(
        'The sandbox has one wallet, and this is not it.',
        'Use the address from get_wallet.',
      );
    },
    shown: { rpcUrl: sandbox.rpcUrl, wsUrl: sandbox.wsUrl },
    close: async () => {
      signer.lock();
      await sandbox.close();
    },
  };
}

/** Keys of the embedded service: what a launch or a swap pays to them, or leaves with them, needs no question. */
function knownKeys({ service: { keys } }: Sandbox): Readonly<Record<string, string>> {
  return { treasury: keys.treasury.address, launchAuthority: keys.launchAuthority.address };
}

/**
 * The embedded policy, or the rules of a person's file, so that approvals, denials and limits can be tried without money.
 * The embedded chain and its wallet are new each time, so the file's network and wallets are replaced by them, and the
 * programs only the sandbox has are named as in the embedded policy.
 */
async function policyOf(
  policy: string | undefined,
  here: { readonly wallet: string; readonly network: string },
  pinned?: string,
): Promise<PolicySource> {
  const embedded = embeddedPolicy(here);
  if (policy === undefined) return fixedPolicy(JSON.stringify(embedded));
  const file = await readPolicyFile(policy);
  if ('problem' in file)
    throw new SetupError(
      `The policy cannot be used: ${file.problem}.`,
      'Correct the file or leave --policy out.',
    );
  const read = parsePolicy(file.text);
  // What is wrong with it is said as of every policy file: nothing is signed, and the result names the problem.
  if ('errors' in read) return fixedPolicy(file.text);
  if (pinned !== undefined && read.hash !== pinned) return changedPolicy(read.hash, pinned);
  const [wallet] = embedded.wallets;
  const label = read.policy.wallets[0]?.label;
  return fixedPolicy(
    JSON.stringify({
      ...read.policy,
      network: here.network,
      wallets: wallet === undefined ? [] : [{ ...wallet, ...(label === undefined ? {} : { label }) }],
      programs: [
        ...read.policy.programs,
        ...embedded.programs.filter(
          ({ address }) => !read.policy.programs.some((each) => each.address === address),
        ),
      ],
    }),
  );
}

/** The code of a chain whose native runtime did not load, and Node's own where the package is not there at all. */
const NOT_LOADED: readonly unknown[] = ['UNAVAILABLE', 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/** Starts the sandbox, or says what to do where its native runtime does not load (F54). */
async function start(options: SandboxOptions): Promise<Sandbox> {
  try {
    const { startSandbox } = await loadSandbox();
    return await startSandbox(options);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && NOT_LOADED.includes(error.code))) throw error;
    throw new SetupError(
      'The sandbox could not start: its Solana runtime did not load on this machine.',
      'Reinstall with optional dependencies (there are builds for Linux and macOS), or use --live: live mode and reads do not need it, and it also takes the service and RPC of a sandbox elsewhere.',
    );
  }
}
