/** `countersign doctor`: checks the configuration, the secret store, and the connected services. */
import { existsSync } from 'node:fs';
import { several } from '../../base/format.ts';
import { systemClock, withDeadline } from '../../clock.ts';
import { profiles, type ServiceProfile } from '../../contract/profiles/index.ts';
import { type LoadedPolicy, parsePolicy } from '../../policy/file/file.ts';
import { createChain } from '../../rpc/chain.ts';
import type { Chain } from '../../rpc/types.ts';
import { loadSandbox } from '../../runtime/backends/embedded.ts';
import { readPolicyFile } from '../../runtime/policyFile.ts';
import { SecretError } from '../../secrets/errors.ts';
import { ownerKeyPath } from '../../secrets/keys/ownerKey.ts';
import { displayUrl } from '../../secrets/redaction/urlSecrets.ts';
import { secretNames } from '../../secrets/stores/store.ts';
import { type HomeWallet, walletWords } from '../../secrets/wallets/wallets.ts';
import { isAddress } from '../../transaction/base58.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { otherCopyFindings } from '../homes/otherCopy.ts';
import { keylessClient } from '../keys/keylessClient.ts';
import { storeOf } from '../keys/owner.ts';
import { hasStore } from '../keys/wallets/named.ts';
import { widthOf, wrap } from '../layout.ts';
import { profileOption } from '../sandbox.ts';
import { bad, type Finding, good } from './finding.ts';
import { nodeFinding } from './node.ts';
import { principalsFinding } from './principals.ts';
import { recordOf, rehearsalFindings } from './record.ts';
import { type SeenWallet, seeWallets, walletFindings } from './wallets.ts';

export const doctorCommand: Command = async (input) => {
  const { options, terminal } = input;
  const mode = options.live === true || input.env.COUNTERSIGN_MODE === 'live' ? 'live' : 'sandbox';
  const findings = [
    nodeFinding(process.version),
    ...(mode === 'sandbox' ? await sandboxFindings(input) : await liveFindings(input)),
  ];
  if (options.json === true) {
    terminal.print(JSON.stringify({ mode, home: input.home, findings }));
  } else {
    const columns = widthOf(terminal.columns);
    const home = `${input.home}${existsSync(input.home) ? '' : ' (nothing there yet)'}`;
    const lines = [...wrap(mode, columns, 'mode  '), ...wrap(home, columns, 'home  ')];
    for (const { what, ok, detail, next } of findings) {
      lines.push(...wrap(detail, columns, `${ok ? 'ok   ' : 'MISS '} ${what.padEnd(14)} `));
      if (next !== undefined) lines.push(...wrap(next, columns, `      ${' '.repeat(14)} → `));
    }
    for (const line of lines) terminal.print(line);
  }
  const green = findings.every((finding) => finding.ok);
  if (green && mode === 'live')
    terminal.tell('Next: start your client, and ask it for `get_status` of Countersign.');
  return green ? 0 : 1;
};

async function sandboxFindings(input: CommandInput): Promise<Finding[]> {
  try {
    const { startSandbox } = await loadSandbox();
    const sandbox = await startSandbox({ profile: profileOption(input.options) });
    await sandbox.close();
    return [good('sandbox', 'starts; brings its own key, wallet, policy and chain')];
  } catch (error) {
    return [
      bad(
        'sandbox',
        'does not start: its Solana runtime did not load on this machine',
        `use --live, or Linux or macOS on x64 or arm64 (${error instanceof Error ? error.name : 'error'})`,
      ),
    ];
  }
}

async function liveFindings(input: CommandInput): Promise<Finding[]> {
  const { options, home } = input;
  const profile = profiles[profileOption(options)];
  const rootUrl = textOption(options, 'root-url') ?? profile.rootUrl;
  const rpcUrl = textOption(options, 'rpc-url');
  const chain = await chainFinding(rpcUrl);
  const store = await storeFindings(input, rootUrl).catch(unreadableStore);
  const { wallets } = store;
  const [path, file] = [textOption(options, 'policy'), textOption(options, 'principals')];
  const policy = path === undefined ? undefined : await policyIn(path);
  const record = await recordOf(input);
  try {
    const { ledger } = record;
    return [
      await serviceFinding(profile, rootUrl),
      chain.finding,
      ...store.findings,
      ...(await walletFindings(wallets ?? [], chain.chain)),
      record.finding,
      ...(await rehearsalFindings(ledger)),
      ...(await otherCopyFindings(home, rpcUrl)),
      // Principals have their own policies.
      ...(file !== undefined && path === undefined
        ? []
        : [policyFinding(path, policy, chain.genesis, wallets)]),
      ...(file === undefined ? [] : [await principalsFinding(file, wallets)]),
      ownerFinding(home, store.ownerKnown),
    ];
  } finally {
    await record.ledger?.close().catch(() => undefined);
  }
}

async function serviceFinding(profile: ServiceProfile, rootUrl: string | undefined): Promise<Finding> {
  if (rootUrl === undefined) {
    return bad('service', 'no address', 'pass --root-url or set COUNTERSIGN_ROOT_URL');
  }
  try {
    const service = keylessClient(profile, rootUrl);
    await withDeadline({ clock: systemClock, ms: 5_000 }, (signal) => service.call('ping', {}, { signal }));
    return good('service', `${displayUrl(rootUrl)} answers (profile ${profile.name})`);
  } catch {
    return bad(
      'service',
      `${displayUrl(rootUrl)} does not answer (profile ${profile.name})`,
      'check the address of the service and the network',
    );
  }
}

/**
 * Checks the owner key. `known`: whether the secret store has its public key; `undefined` if the store did not open.
 */
function ownerFinding(home: string, known: boolean | undefined): Finding {
  if (!existsSync(ownerKeyPath(home))) {
    return bad(
      'owner key',
      'none: the page and the command cannot approve, and an accepted policy change needs a restart',
      'countersign owner create',
    );
  }
  if (known === false) {
    return bad(
      'owner key',
      'exists, but the secret store lacks its public key: its approvals are not valid',
      'set COUNTERSIGN_OWNER_PUBLIC_KEY (environment store), or make a new one',
    );
  }
  return good('owner key', 'exists; approvals by page and command work');
}

async function chainFinding(
  rpcUrl: string | undefined,
): Promise<{ finding: Finding; genesis?: string; chain?: Chain }> {
  if (rpcUrl === undefined) {
    const finding = bad('chain', 'no RPC of your own', 'pass --rpc-url or set COUNTERSIGN_RPC_URL');
    return { finding };
  }
  try {
    const chain = createChain({ rpcUrl, timeoutMs: 5_000 });
    const genesis = await chain.genesisHash();
    return {
      genesis,
      chain,
      finding: good('chain', `${displayUrl(rpcUrl)}, genesis ${genesis}`),
    };
  } catch {
    const detail = `${displayUrl(rpcUrl)} does not answer`;
    return { finding: bad('chain', detail, 'check the RPC address') };
  }
}

/** Returns the finding for a store that cannot be opened. */
function unreadableStore(error: unknown): StoreFindings {
  if (!(error instanceof SecretError)) throw error;
  const { message, hint } = error;
  return { findings: [bad('secret store', message, hint)] };
}

interface StoreFindings {
  readonly findings: readonly Finding[];
  /** Absent if the store did not open. */
  readonly wallets?: readonly SeenWallet[];
  readonly ownerKnown?: boolean;
}

async function storeFindings(input: CommandInput, rootUrl: string | undefined): Promise<StoreFindings> {
  if (!hasStore(input))
    return { findings: [bad('secret store', 'not chosen yet', 'countersign wallet create')] };
  const store = storeOf({ ...input, options: { ...input.options, 'root-url': rootUrl } }, false);
  const status = await store.status();
  const findings: Finding[] = [
    { what: 'secret store', ok: status.ok, detail: `${status.kind}: ${status.detail}` },
  ];
  if (!status.ok) return { findings };
  const names = await store.list();
  const wallets = await seeWallets(store);
  if (wallets.length === 0) findings.push(bad('wallet', 'none', 'countersign wallet create'));
  const hasKey = rootUrl !== undefined && names.includes(secretNames.apiKey(rootUrl));
  findings.push(
    hasKey
      ? good('API key', 'stored for this service')
      : bad('API key', 'none for this service', 'countersign login'),
  );
  if (input.store === undefined) store.lock();
  return { findings, wallets, ownerKnown: names.includes(secretNames.ownerPublicKey) };
}

interface PolicyRead {
  readonly loaded?: LoadedPolicy;
  /** Why it is unusable, and the next step. */
  readonly problem?: Pick<Finding, 'detail' | 'next'>;
}

async function policyIn(path: string): Promise<PolicyRead> {
  const file = await readPolicyFile(path);
  if ('problem' in file) return { problem: { detail: file.problem } };
  const parsed = parsePolicy(file.text);
  if (!('errors' in parsed)) return { loaded: parsed };
  const next = `countersign policy check ${path}`;
  return { problem: { detail: several(parsed.errors.length, 'error'), next } };
}

/** Checks a policy: one for another chain, or without a wallet of this home, denies everything. */
function policyFinding(
  path: string | undefined,
  read: PolicyRead | undefined,
  genesis: string | undefined,
  here: readonly HomeWallet[] = [],
): Finding {
  const what = 'policy';
  if (path === undefined) return bad(what, 'none: nothing can be signed', 'countersign policy init');
  if (read?.loaded === undefined) return { what, ok: false, detail: '', ...read?.problem };
  const { policy, hash } = read.loaded;
  const { network, wallets } = policy;
  if (genesis !== undefined && isAddress(network) && network !== genesis) {
    return bad(
      'policy',
      `is for another network (${network})`,
      'countersign policy init, with the RPC you use',
    );
  }
  const unnamed = here.filter(({ address }) => wallets.every((each) => each.address !== address));
  const names = unnamed.map(walletWords).join(', ');
  if (here.length > 0 && unnamed.length === here.length) {
    return bad('policy', `names no wallet of this home: ${names}`, `add it under "wallets" in ${path}`);
  }
  const without = unnamed.length === 0 ? '' : `; it does not name ${names}`;
  return good(what, `${policy.id}, hash ${hash.slice(0, 16)}…${without}`);
}
