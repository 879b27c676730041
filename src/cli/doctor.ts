/** `countersign doctor`: what is configured, which secret store really works, and what it would talk to. */
import { existsSync } from 'node:fs';
import { createChain } from '../chain/chain.ts';
import { profiles } from '../contract/profiles/index.ts';
import { parsePolicy } from '../policy/file.ts';
import { openStore, readStoreRecord } from '../secrets/chooseStore.ts';
import { ownerKeyPath } from '../secrets/ownerKey.ts';
import { secretNames } from '../secrets/store.ts';
import { displayUrl } from '../secrets/urlSecrets.ts';
import { type Command, type CommandInput, textOption } from './command.ts';
import { readPolicyFile } from './runtime/policyFile.ts';
import { profileOption } from './sandbox.ts';
import { walletNames } from './wallet.ts';

interface Finding {
  what: string;
  ok: boolean;
  detail: string;
  /** The command that mends it. */
  next?: string;
}

export const doctorCommand: Command = async (input) => {
  const { options, terminal } = input;
  const mode = options.live === true || input.env.COUNTERSIGN_MODE === 'live' ? 'live' : 'sandbox';
  const findings = mode === 'sandbox' ? await sandboxFindings(input) : await liveFindings(input);
  if (options.json === true) {
    terminal.print(JSON.stringify({ mode, home: input.home, findings }));
  } else {
    terminal.print(`mode  ${mode}`);
    terminal.print(`home  ${input.home}${existsSync(input.home) ? '' : ' (nothing there yet)'}`);
    for (const { what, ok, detail, next } of findings) {
      terminal.print(`${ok ? 'ok   ' : 'MISS '} ${what.padEnd(14)} ${detail}`);
      if (next !== undefined) terminal.print(`      ${' '.repeat(14)} → ${next}`);
    }
  }
  return findings.every((finding) => finding.ok) ? 0 : 1;
};

async function sandboxFindings(input: CommandInput): Promise<Finding[]> {
  try {
    const { startSandbox } = await import('../sandbox/index.ts');
    const sandbox = await startSandbox({ profile: profileOption(input.options) });
    await sandbox.close();
    return [{ what: 'sandbox', ok: true, detail: 'starts; brings its own key, wallet, policy and chain' }];
  } catch (error) {
    return [
      {
        what: 'sandbox',
        ok: false,
        detail: 'does not start: its Solana runtime did not load on this machine',
        next: `use --live, or Linux or macOS on x64 or arm64 (${error instanceof Error ? error.name : 'error'})`,
      },
    ];
  }
}

async function liveFindings(input: CommandInput): Promise<Finding[]> {
  const { options } = input;
  const profile = profiles[profileOption(options)];
  const rootUrl = textOption(options, 'root-url') ?? profile.rootUrl;
  const rpcUrl = textOption(options, 'rpc-url');
  return [
    rootUrl === undefined
      ? {
          what: 'service',
          ok: false,
          detail: 'no address',
          next: 'pass --root-url or set COUNTERSIGN_ROOT_URL',
        }
      : { what: 'service', ok: true, detail: `${displayUrl(rootUrl)} (profile ${profile.name})` },
    await chainFinding(rpcUrl),
    ...(await storeFindings(input, rootUrl)),
    await policyFinding(textOption(options, 'policy')),
    existsSync(ownerKeyPath(input.home))
      ? { what: 'owner key', ok: true, detail: 'there; approvals by page and command work' }
      : {
          what: 'owner key',
          ok: false,
          detail:
            'none: the page and the command cannot say yes, and an accepted policy change needs a restart',
          next: 'countersign owner create',
        },
  ];
}

async function chainFinding(rpcUrl: string | undefined): Promise<Finding> {
  if (rpcUrl === undefined) {
    return {
      what: 'chain',
      ok: false,
      detail: 'no RPC of your own',
      next: 'pass --rpc-url or set COUNTERSIGN_RPC_URL',
    };
  }
  try {
    const chain = createChain({ rpcUrl, fetch: (url, init) => fetch(url, init), timeoutMs: 5_000 });
    return { what: 'chain', ok: true, detail: `${displayUrl(rpcUrl)}, genesis ${await chain.genesisHash()}` };
  } catch {
    return {
      what: 'chain',
      ok: false,
      detail: `${displayUrl(rpcUrl)} does not answer`,
      next: 'check the RPC address',
    };
  }
}

async function storeFindings(input: CommandInput, rootUrl: string | undefined): Promise<Finding[]> {
  const { home, env, options } = input;
  const requested = textOption(options, 'secret-store') ?? env.COUNTERSIGN_SECRET_STORE;
  if (readStoreRecord(home) === undefined && requested !== 'env') {
    return [{ what: 'secret store', ok: false, detail: 'not chosen yet', next: 'countersign wallet create' }];
  }
  const store = openStore({ home, env, requested, rootUrl });
  const status = await store.status();
  const findings: Finding[] = [
    { what: 'secret store', ok: status.ok, detail: `${status.kind}: ${status.detail}` },
  ];
  if (!status.ok) return findings;
  const names = await store.list();
  const [wallet] = await walletNames(store);
  findings.push(
    wallet === undefined
      ? { what: 'wallet', ok: false, detail: 'none', next: 'countersign wallet create' }
      : { what: 'wallet', ok: true, detail: wallet },
  );
  const hasKey = rootUrl !== undefined && names.includes(secretNames.apiKey(rootUrl));
  findings.push(
    hasKey
      ? { what: 'API key', ok: true, detail: 'stored for this service' }
      : { what: 'API key', ok: false, detail: 'none for this service', next: 'countersign login' },
  );
  store.lock();
  return findings;
}

async function policyFinding(path: string | undefined): Promise<Finding> {
  if (path === undefined) {
    return {
      what: 'policy',
      ok: false,
      detail: 'none: nothing can be signed',
      next: 'countersign policy init',
    };
  }
  const file = await readPolicyFile(path);
  if ('problem' in file) return { what: 'policy', ok: false, detail: file.problem };
  const parsed = parsePolicy(file.text);
  if ('errors' in parsed) {
    return {
      what: 'policy',
      ok: false,
      detail: `${parsed.errors.length} errors`,
      next: `countersign policy check ${path}`,
    };
  }
  return { what: 'policy', ok: true, detail: `${parsed.policy.id}, hash ${parsed.hash.slice(0, 16)}…` };
}
