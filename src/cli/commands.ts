/** Subcommands in help order and groups. Each is loaded when called. */
import { loadSandbox } from '../runtime/backends/embedded.ts';
import type { Command } from './command.ts';

export interface CommandSpec {
  readonly group: 'First' | 'Keys' | 'Policy' | 'Questions' | 'Records' | 'Home';
  /** Its arguments, as shown in the help. */
  readonly usage?: string;
  readonly what: string;
  /** Maximum number of words after the command. */
  readonly words: number;
  /** Options besides the global ones. */
  readonly takes: readonly string[];
  readonly load: () => Promise<Command>;
}

const SERVICE = ['profile', 'root-url', 'rpc-url'];

export const COMMANDS: Readonly<Record<string, CommandSpec>> = {
  demo: {
    group: 'First',
    what: 'launches, fee splits, swaps and claims in a temporary sandbox',
    words: 0,
    takes: ['json', 'attacks'],
    load: async () => {
      const { runAttacks, runDemo } = await loadSandbox();
      return async ({ options, script }) => {
        const run = options.attacks === true ? runAttacks : runDemo;
        return run({
          json: options.json === true,
          command: script,
          out: process.stdout,
          now: () => performance.now(),
        });
      };
    },
  },
  sandbox: {
    group: 'First',
    what: 'the service and its chain on loopback, without a server',
    words: 0,
    takes: ['json', 'port', 'profile', 'seed', 'hostile', 'programs'],
    load: async () => (await import('./sandbox.ts')).sandboxCommand,
  },
  init: {
    group: 'First',
    what: 'sets up service, wallet, policy, owner key and client',
    words: 0,
    takes: [...SERVICE, 'yes', 'wallet', 'policy', 'template', 'secret-store'],
    load: async () => (await import('./init/init.ts')).initCommand,
  },
  setup: {
    group: 'First',
    usage: '[CLIENT…]',
    what: 'configures Claude Desktop, Claude Code, Cursor and VS Code',
    words: 4,
    takes: [...SERVICE, 'write', 'policy', 'wallet', 'toolsets', 'read-only', 'secret-store'],
    load: async () => (await import('./setup/setup.ts')).setupCommand,
  },
  doctor: {
    group: 'First',
    what: 'checks the configuration, the keys and the connected services',
    words: 0,
    takes: [...SERVICE, 'policy', 'secret-store', 'json'],
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
  settings: {
    group: 'First',
    usage: '[NAME [VALUE]]',
    what: 'reads or changes the settings of this home',
    words: 2,
    takes: ['json'],
    load: async () => (await import('./setup/settings.ts')).settingsCommand,
  },
  status: {
    group: 'First',
    what: 'the state of this home and the next step',
    words: 0,
    takes: ['policy'],
    load: async () => (await import('./setup/status.ts')).statusCommand,
  },
  wallet: {
    group: 'Keys',
    usage: 'create [LABEL] | import FILE [LABEL] | list | show | label | default | remove | empty ADDRESS',
    what: 'manages the wallets of this home; `empty` sends all funds of one to an address',
    words: 3,
    takes: [...SERVICE, 'wallet', 'yes', 'json', 'secret-store'],
    load: async () => (await import('./keys/wallet.ts')).walletCommand,
  },
  login: {
    group: 'Keys',
    usage: '[FILE] | signature | token [FILE]',
    what: 'exchanges a login token for an API key',
    words: 2,
    takes: [...SERVICE, 'wallet', 'secret-store'],
    load: async () => (await import('./keys/login.ts')).loginCommand,
  },
  owner: {
    group: 'Keys',
    usage: 'create | show',
    what: 'the key that signs your approvals',
    words: 1,
    takes: ['secret-store'],
    load: async () => (await import('./keys/owner.ts')).ownerCommand,
  },
  secrets: {
    group: 'Keys',
    usage: 'migrate keychain | file',
    what: 'moves secrets to another store',
    words: 2,
    takes: ['json'],
    load: async () => (await import('./keys/secrets.ts')).secretsCommand,
  },
  policy: {
    group: 'Policy',
    usage: 'init | check | explain | test | diff | accept | schema',
    what: 'the signing policy',
    words: 3,
    takes: ['template', 'wallet', 'out', 'profile', 'rpc-url', 'policy', 'limit', 'json', 'secret-store'],
    load: async () => (await import('./policy/policy.ts')).policyCommand,
  },
  limits: {
    group: 'Policy',
    what: 'use, remainder and next release of every limit',
    words: 0,
    takes: ['policy', 'wallet', 'json', 'secret-store'],
    load: async () => (await import('./money/limits.ts')).limitsCommand,
  },
  principals: {
    group: 'Policy',
    usage: 'check FILE | accept FILE',
    what: 'the agents that a server over HTTP serves',
    words: 2,
    takes: ['secret-store'],
    load: async () => (await import('./http/principals.ts')).principalsCommand,
  },
  pending: {
    group: 'Questions',
    usage: '[ID]',
    what: 'open questions, or the outcome of one question',
    words: 1,
    takes: ['json', 'policy'],
    load: async () => (await import('./approvals/pending.ts')).pendingCommand,
  },
  approve: {
    group: 'Questions',
    usage: 'ID [again N [total AMOUNT] [worse PERCENT]]',
    what: 'shows one question and approves it; also N similar plans',
    words: 7,
    takes: ['yes', 'until', 'policy', 'secret-store'],
    load: async () => (await import('./approvals/approve.ts')).approveCommand,
  },
  deny: {
    group: 'Questions',
    usage: 'ID',
    what: 'denies a question, with --reason TEXT for the agent; or ends a grant',
    words: 1,
    takes: ['reason', 'yes', 'policy', 'secret-store'],
    load: async () => (await import('./approvals/deny.ts')).denyCommand,
  },
  open: {
    group: 'Questions',
    what: 'reopens the approval page of the running server',
    words: 0,
    takes: [],
    load: async () => (await import('./approvals/open.ts')).openCommand,
  },
  notify: {
    group: 'Questions',
    what: 'sends a test message to each webhook',
    words: 0,
    takes: [],
    load: async () => (await import('./approvals/notify.ts')).notifyCommand,
  },
  freeze: {
    group: 'Questions',
    what: 'stops all signing at once',
    words: 0,
    takes: [],
    load: async () => (await import('./approvals/freeze.ts')).freezeCommand,
  },
  unfreeze: {
    group: 'Questions',
    usage: '[PRINCIPAL]',
    what: 'lifts freezes, with the owner key',
    words: 1,
    takes: ['secret-store'],
    load: async () => (await import('./approvals/unfreeze.ts')).unfreezeCommand,
  },
  plans: {
    group: 'Records',
    usage: '[PLAN]',
    what: 'known facts, doubts and next steps of plans',
    words: 1,
    takes: ['json', 'limit'],
    load: async () => (await import('./records/plans.ts')).plansCommand,
  },
  history: {
    group: 'Records',
    what: 'plans with time, outcome, reason, amounts and fees',
    words: 0,
    takes: ['since', 'until', 'limit', 'policy', 'json'],
    load: async () => (await import('./money/history.ts')).historyCommand,
  },
  balance: {
    group: 'Records',
    what: 'SOL and tokens of each wallet, from your RPC',
    words: 0,
    takes: ['rpc-url', 'wallet', 'policy', 'json', 'secret-store'],
    load: async () => (await import('./money/balance.ts')).balanceCommand,
  },
  export: {
    group: 'Records',
    usage: '[decisions [PRINCIPAL]]',
    what: 'every balance change as CSV or JSON; or decisions, signed by the owner key',
    words: 2,
    takes: ['json', 'since', 'until', 'out', 'secret-store'],
    load: async () => (await import('./money/export.ts')).exportCommand,
  },
  read: {
    group: 'Records',
    usage: 'TEXT | FILE | PLAN',
    what: 'shows the effects of a transaction; signs nothing',
    words: Number.POSITIVE_INFINITY,
    takes: ['rpc-url', 'wallet', 'policy', 'json', 'secret-store'],
    load: async () => (await import('./read/read.ts')).readCommand,
  },
  audit: {
    group: 'Records',
    usage: 'show | verify [FILE [KEY]] | replay',
    what: 'shows, verifies and replays recorded decisions',
    words: Number.POSITIVE_INFINITY,
    takes: ['json', 'limit', 'policy', 'secret-store'],
    load: async () => (await import('./records/audit.ts')).auditCommand,
  },
  backup: {
    group: 'Home',
    usage: '[DIR]',
    what: 'saves this home to a folder; --move ends signing here',
    words: 1,
    takes: ['move', 'policy', 'secret-store'],
    load: async () => (await import('./homes/backup.ts')).backupCommand,
  },
  restore: {
    group: 'Home',
    usage: 'DIR',
    what: 'restores a home from a backup',
    words: 1,
    takes: ['yes', 'rpc-url'],
    load: async () => (await import('./homes/restore.ts')).restoreCommand,
  },
  ledger: {
    group: 'Home',
    usage: 'accept',
    what: 'replaces a lost ledger',
    words: 1,
    takes: ['json', 'rpc-url', 'policy', 'secret-store'],
    load: async () => (await import('./records/ledger.ts')).ledgerCommand,
  },
};
