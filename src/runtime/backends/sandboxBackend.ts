/**
 * The embedded sandbox as a backend: its own key, login, funded wallet and policy, discarded when the server ends.
 */

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
  // Confirms the wallet's funding, so that the first read shows it.
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
      throw new SetupError('This is not the wallet of the sandbox.', 'Use the address from get_wallet.');
    },
    shown: { rpcUrl: sandbox.rpcUrl, wsUrl: sandbox.wsUrl },
    close: async () => {
      signer.lock();
      await sandbox.close();
    },
  };
}

/** Returns the embedded service's keys: paying them, or naming them in a launch or swap, requires no question. */
function knownKeys({ service: { keys } }: Sandbox): Readonly<Record<string, string>> {
  return { treasury: keys.treasury.address, launchAuthority: keys.launchAuthority.address };
}

/**
 * Returns the embedded policy, or the rules of the user's file, so that approvals, denials and limits can be tried
 * without money. The file's network and wallets are replaced by those of the embedded chain, and the programs of the
 * sandbox are named as in the embedded policy.
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
  // Errors are reported like those of any policy file: nothing is signed, and the result names the problem.
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

/** Error codes of a chain whose native runtime did not load, and Node's own if the package is missing. */
const NOT_LOADED: readonly unknown[] = ['UNAVAILABLE', 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/** Starts the sandbox, or throws with a hint if its native runtime does not load (F54). */
async function start(options: SandboxOptions): Promise<Sandbox> {
  try {
    const { startSandbox } = await loadSandbox();
    return await startSandbox(options);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && NOT_LOADED.includes(error.code))) throw error;
    throw new SetupError(
      'The sandbox could not start: its Solana runtime did not load on this machine.',
      'Reinstall with optional dependencies (there are builds for Linux and macOS), or use --live: live mode does not need it and can use the service and RPC of a sandbox elsewhere.',
    );
  }
}
