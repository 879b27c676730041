/** `countersign doctor`: what is configured, which secret store really works, and what it would talk to. */
import { existsSync } from 'node:fs';
import { several } from '../base/words.ts';
import { systemClock, withDeadline } from '../clock.ts';
import { profiles, type ServiceProfile } from '../contract/profiles/index.ts';
import { readMoved } from '../ledger/backup/movedFile.ts';
import { LedgerError } from '../ledger/errors.ts';
import { markFile } from '../ledger/mark/markFile.ts';
import { TORN_TAIL } from '../ledger/sqlite/database.ts';
import { requireRoom } from '../ledger/sqlite/place.ts';
import { openLedger } from '../ledger/sqlite/sqlite.ts';
import { parsePolicy } from '../policy/file/file.ts';
import { sol } from '../presentation/history/changes.ts';
import { createChain } from '../rpc/chain.ts';
import type { Chain } from '../rpc/types.ts';
import { mayHold } from '../runtime/ledgerPlace.ts';
import { readPolicyFile } from '../runtime/policyFile.ts';
import { SecretError } from '../secrets/errors.ts';
import { ownerKeyPath } from '../secrets/keys/ownerKey.ts';
import { displayUrl } from '../secrets/redaction/urlSecrets.ts';
import { openStore, readStoreRecord } from '../secrets/stores/chooseStore.ts';
import { secretNames } from '../secrets/stores/store.ts';
import { isAddress } from '../transaction/addresses.ts';
import { type Command, type CommandInput, textOption } from './command.ts';
import { otherCopyFindings } from './homes/otherCopy.ts';
import { balanceOf, ENOUGH } from './init/funding.ts';
import { keylessClient } from './keys/keylessClient.ts';
import { walletNames } from './keys/wallet.ts';
import { widthOf, wrap } from './layout.ts';
import { placeOf } from './records/place.ts';
import { profileOption } from './sandbox.ts';

interface Finding {
  what: string;
  ok: boolean;
  detail: string;
  /** The command that fixes it. */
  next?: string;
}

export const doctorCommand: Command = async (input) => {
  const { options, terminal } = input;
  const mode = options.live === true || input.env.COUNTERSIGN_MODE === 'live' ? 'live' : 'sandbox';
  const findings = mode === 'sandbox' ? await sandboxFindings(input) : await liveFindings(input);
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
    terminal.tell('All is set: start your client, and ask it for `get_status` of Countersign.');
  return green ? 0 : 1;
};

async function sandboxFindings(input: CommandInput): Promise<Finding[]> {
  try {
    const { startSandbox } = await import('../attacks/sandbox.ts');
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
  const chain = await chainFinding(rpcUrl);
  const store = await storeFindings(input, rootUrl).catch(unreadableStore);
  return [
    await serviceFinding(profile, rootUrl),
    chain.finding,
    ...store.findings,
    ...(await moneyFindings(chain.chain, store.wallet)),
    await ledgerFinding(input),
    ...(await otherCopyFindings(input.home, rpcUrl)),
    await policyFinding(textOption(options, 'policy'), chain.genesis, store.wallet),
    ownerFinding(input.home, store.ownerKnown),
  ];
}

async function serviceFinding(profile: ServiceProfile, rootUrl: string | undefined): Promise<Finding> {
  if (rootUrl === undefined) {
    return {
      what: 'service',
      ok: false,
      detail: 'no address',
      next: 'pass --root-url or set COUNTERSIGN_ROOT_URL',
    };
  }
  try {
    const service = keylessClient(profile, rootUrl);
    await withDeadline({ clock: systemClock, ms: 5_000 }, (signal) => service.call('ping', {}, { signal }));
    return { what: 'service', ok: true, detail: `${displayUrl(rootUrl)} answers (profile ${profile.name})` };
  } catch {
    return {
      what: 'service',
      ok: false,
      detail: `${displayUrl(rootUrl)} does not answer (profile ${profile.name})`,
      next: 'check the address of the service and the network',
    };
  }
}

/** Whether the ledger can be signed under, and whether a crash ever cut its last write off (F44, F45, F46). */
async function ledgerFinding(input: CommandInput): Promise<Finding> {
  const what = 'ledger';
  const { home } = input;
  const place = placeOf(input);
  const ledger = openLedger({ ...place, clock: systemClock });
  try {
    const isNew = !mayHold(place) && readMoved(home) === undefined && !existsSync(markFile(home));
    if (isNew) {
      requireRoom(home);
      return { what, ok: true, detail: 'nothing recorded yet' };
    }
    await ledger.probe();
    const torn = Number(await ledger.note(TORN_TAIL));
    const told =
      torn > 0 ? `; a write was cut off before ${new Date(torn).toISOString()} and never counted` : '';
    return { what, ok: true, detail: `whole${told}` };
  } catch (error) {
    if (!(error instanceof LedgerError || error instanceof SecretError)) throw error;
    return {
      what,
      ok: false,
      detail: `${error.code}: ${error.message}`,
      next: (error instanceof LedgerError ? REMEDY[error.code] : undefined) ?? error.hint,
    };
  } finally {
    await ledger.close().catch(() => undefined);
  }
}

const REMEDY: Partial<Record<LedgerError['code'], string>> = {
  LEDGER_CORRUPT: 'restore ledger.db from a backup; nothing is signed until then',
};

/** `known`: whether the secret store has the public half of the key; `undefined` when the store did not open. */
function ownerFinding(home: string, known: boolean | undefined): Finding {
  if (!existsSync(ownerKeyPath(home))) {
    return {
      what: 'owner key',
      ok: false,
      detail: 'none: the page and the command cannot approve, and an accepted policy change needs a restart',
      next: 'countersign owner create',
    };
  }
  if (known === false) {
    return {
      what: 'owner key',
      ok: false,
      detail: 'there, but the secret store does not know its public half: its approvals do not count',
      next: 'set COUNTERSIGN_OWNER_PUBLIC_KEY (environment store), or make a new one',
    };
  }
  return { what: 'owner key', ok: true, detail: 'there; approvals by page and command work' };
}

/** Whether the wallet can pay for a first plan; nothing where wallet or chain are missing, which is said already. */
async function moneyFindings(chain: Chain | undefined, wallet: string | undefined): Promise<Finding[]> {
  if (chain === undefined || wallet === undefined) return [];
  const what = 'money';
  try {
    const lamports = await balanceOf(chain, wallet);
    if (lamports >= ENOUGH) return [{ what, ok: true, detail: `the wallet has ${sol(lamports)}` }];
    const detail = `the wallet has ${sol(lamports)}; a first plan with its fees and deposits may need ${sol(ENOUGH)}`;
    return [
      {
        what,
        ok: false,
        detail,
        next: `send SOL to ${wallet}; on a test chain \`countersign init\` asks its faucet`,
      },
    ];
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    return [
      {
        what,
        ok: false,
        detail: `the RPC does not tell what the wallet has: ${why}`,
        next: 'check the RPC address',
      },
    ];
  }
}

async function chainFinding(
  rpcUrl: string | undefined,
): Promise<{ finding: Finding; genesis?: string; chain?: Chain }> {
  if (rpcUrl === undefined) {
    const finding = {
      what: 'chain',
      ok: false,
      detail: 'no RPC of your own',
      next: 'pass --rpc-url or set COUNTERSIGN_RPC_URL',
    };
    return { finding };
  }
  try {
    const chain = createChain({ rpcUrl, fetch: (url, init) => fetch(url, init), timeoutMs: 5_000 });
    const genesis = await chain.genesisHash();
    return {
      genesis,
      chain,
      finding: { what: 'chain', ok: true, detail: `${displayUrl(rpcUrl)}, genesis ${genesis}` },
    };
  } catch {
    const detail = `${displayUrl(rpcUrl)} does not answer`;
    return { finding: { what: 'chain', ok: false, detail, next: 'check the RPC address' } };
  }
}

/** A home whose store cannot even be looked for. */
function unreadableStore(error: unknown): StoreFindings {
  if (!(error instanceof SecretError)) throw error;
  const { message, hint } = error;
  return { findings: [{ what: 'secret store', ok: false, detail: message, next: hint }] };
}

interface StoreFindings {
  readonly findings: readonly Finding[];
  readonly wallet?: string | undefined;
  readonly ownerKnown?: boolean;
}

async function storeFindings(input: CommandInput, rootUrl: string | undefined): Promise<StoreFindings> {
  const { home, env, options } = input;
  const requested = textOption(options, 'secret-store') ?? env.COUNTERSIGN_SECRET_STORE;
  if (readStoreRecord(home) === undefined && requested !== 'env') {
    const what = 'secret store';
    return { findings: [{ what, ok: false, detail: 'not chosen yet', next: 'countersign wallet create' }] };
  }
  const store = openStore({ home, env, requested, rootUrl });
  const status = await store.status();
  const findings: Finding[] = [
    { what: 'secret store', ok: status.ok, detail: `${status.kind}: ${status.detail}` },
  ];
  if (!status.ok) return { findings };
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
  return { findings, wallet, ownerKnown: names.includes(secretNames.ownerPublicKey) };
}

/** A policy for another chain or another wallet denies everything. */
async function policyFinding(
  path: string | undefined,
  genesis: string | undefined,
  wallet: string | undefined,
): Promise<Finding> {
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
      detail: several(parsed.errors.length, 'error'),
      next: `countersign policy check ${path}`,
    };
  }
  const { network, wallets } = parsed.policy;
  if (genesis !== undefined && isAddress(network) && network !== genesis) {
    return {
      what: 'policy',
      ok: false,
      detail: `is for another network (${network})`,
      next: 'countersign policy init, with the RPC you use',
    };
  }
  if (wallet !== undefined && wallets.every(({ address }) => address !== wallet)) {
    return {
      what: 'policy',
      ok: false,
      detail: `does not name the wallet ${wallet}`,
      next: `add it under "wallets" in ${path}`,
    };
  }
  return { what: 'policy', ok: true, detail: `${parsed.policy.id}, hash ${parsed.hash.slice(0, 16)}…` };
}
