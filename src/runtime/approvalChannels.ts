/**
 * The approval channels of one running server: the local page, the commands, the client's own dialog, and the check
 * of each answer. Nothing is opened before the first question.
 */
import { hostname } from 'node:os';
import { createAnswering } from '../answering/answering.ts';
import { noteAsker, noteServer } from '../answering/knownOwner.ts';
import { type AnswerCheck, answerCheck } from '../approval/answers.ts';
import { createRunSeal, type RunSeal } from '../approval/runSeal.ts';
import { watchedFreeze } from '../approval/trustedState.ts';
import type { ApprovalChannel } from '../approval/types.ts';
import { systemClock } from '../clock.ts';
import type { ApprovalRow, Freeze, Ledger } from '../ledger/types.ts';
import { createPageChannel } from '../page/channel.ts';
import { explorerProblem } from '../page/history/explorer.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';
import { readApprovalView } from '../presentation/question/readView.ts';
import { factsLines } from '../presentation/question/textLines.ts';
import { ownerPublicKey } from '../secrets/keys/ownerKey.ts';
import { createElicitation, type Elicitation } from '../server/elicitation.ts';
import type { Backend } from './backends/backend.ts';
import { keeperOf } from './backends/checkpointKeeper.ts';
import type { PolicySource } from './policyFile.ts';
import type { Settings } from './settings.ts';
import { createCaller, readWebhooks } from './webhooks/webhooks.ts';

export interface ApprovalChannelParts {
  readonly settings: Settings;
  readonly backend: Backend;
  readonly ledger: Ledger;
  /** Writes one line to standard error. */
  readonly log?: ((line: string) => void) | undefined;
}

/** The tenant that asks: its policy and its part of the ledger. */
export interface Tenant {
  /** The principal's name; absent for the home itself. */
  readonly name?: string | undefined;
  readonly policy: PolicySource;
  readonly ledger: Ledger;
}

export interface OpenChannels {
  readonly channels: readonly ApprovalChannel[];
  readonly answerHolds: AnswerCheck;
  /** Seals that a run has begun under its approval. */
  readonly runBegan: RunSeal['begin'];
  readonly elicitation: Elicitation;
}

export interface ApprovalChannels {
  /** Opens the channels of the home or of one principal: the shared page and commands, and its own dialog. */
  open(tenant: Tenant): OpenChannels;
  /**
   * Returns where a question is answered, for results: the page's plain address, which contains no secret, and the
   * command.
   */
  readonly answerAt: (approvalId: string) => string;
  /** Records in the ledger which owner key this server verifies the answer with. */
  readonly recordVerifier: (approvalId: string) => Promise<void>;
  /** Returns the freeze that applies to a principal, or to the home; it ends only when the owner lifts it. */
  frozen(principal?: string): () => Promise<Freeze | undefined>;
  /** Sets the callback that continues a plan after an approval on the page. */
  onApproved(go: (row: ApprovalRow) => void): void;
  close(): Promise<void>;
}

const NO_OWNER =
  'This server has no owner key, so the approval page and `countersign approve` cannot answer.';
const NO_OWNER_NEXT =
  'The owner runs `countersign owner create` once, sets COUNTERSIGN_OWNER_PUBLIC_KEY if the store is the environment, and restarts the server.';

export function createApprovalChannels({
  settings,
  backend,
  ledger,
  log,
}: ApprovalChannelParts): ApprovalChannels {
  const { home, env } = settings;
  const { mode } = backend;
  const ownerKey = () => ownerPublicKey(backend.secrets);
  const freezing = { mode, ledger, ownerPublicKey: ownerKey };
  const frozenForAll = watchedFreeze(freezing);
  const checkpointKey = async () => (await keeperOf(backend.secrets).vouched()).key?.key;
  let go: (row: ApprovalRow) => void = () => undefined;
  const page = createPageChannel({
    mode,
    home,
    env,
    ledger,
    ownerPublicKey: ownerKey,
    answering: createAnswering({ home, ledger, ownerPublicKey: ownerKey }),
    policy: () => policyOf(backend.policy),
    explorer: explorerOf(settings, log),
    now: systemClock.now,
    onApproved: (row) => go(row),
    ...(log === undefined ? {} : { log }),
  });
  /** The question is in the ledger, where `countersign pending` finds it; the owner key verifies the answer. */
  const command: ApprovalChannel = {
    name: 'command',
    available: page.available,
    ask: async (id) => log?.(`Your approval is needed: countersign approve ${id}`),
  };
  const statementLines = async (id: string): Promise<string[]> => {
    const view = await readApprovalView(ledger, id, await policyOf(backend.policy));
    return view === undefined ? [] : factsLines(view.facts, Number.POSITIVE_INFINITY);
  };
  const caller = createCaller({
    webhooks: readWebhooks(settings.webhook),
    ledger,
    fetch: (url, init) => fetch(url, init),
    clock: systemClock,
    page: page.address,
    says: settings.webhookDetails === true ? statementLines : undefined,
    log,
  });
  /** Adds webhooks to a channel: they notify the owner of the question. */
  const calling = (channel: ApprovalChannel, principal: string | undefined): ApprovalChannel => ({
    ...channel,
    ask: async (id) => {
      await channel.ask(id);
      caller.call(id, principal);
    },
  });
  const server = `${hostname()}:${home}`;
  /** Whether no owner key can answer. Determined once: a new key requires a restart, like a changed store. */
  let lacksOwner = false;
  const noted =
    mode === 'sandbox'
      ? Promise.resolve()
      : ownerKey().then(
          async (key) => {
            lacksOwner = key === undefined;
            if (lacksOwner) log?.(`${NO_OWNER} ${NO_OWNER_NEXT}`);
            await noteServer(ledger, server, key ?? '');
          },
          // A locked store reports itself.
          () => undefined,
        );
  return {
    recordVerifier: (id) => noteAsker(ledger, id, ownerKey),
    frozen: (principal) => {
      const frozenHere = principal === undefined ? undefined : watchedFreeze(freezing, principal);
      return async () => (await frozenForAll()) ?? frozenHere?.();
    },
    open: (tenant) => {
      const elicitation = createElicitation({
        ledger: tenant.ledger,
        policy: () => policyOf(tenant.policy),
        // The page belongs to this machine and home: clients of principals are not sent to it.
        page: async () =>
          tenant.name === undefined && (await page.available()) ? page.address() : undefined,
      });
      const runs = createRunSeal({ ledger: tenant.ledger, key: checkpointKey });
      return {
        runBegan: runs.begin,
        channels: [elicitation.channel, calling(page, tenant.name), calling(command, tenant.name)],
        answerHolds: answerCheck({
          mode,
          ownerPublicKey: ownerKey,
          elicited: elicitation.elicited,
          began: runs.began,
          approvals: (filter) => tenant.ledger.rows('approvals', filter),
          now: systemClock.now,
        }),
        elicitation,
      };
    },
    answerAt: (id) => {
      if (lacksOwner) return `the client's own dialog, if it shows one. ${NO_OWNER} ${NO_OWNER_NEXT}`;
      const address = page.address();
      const at = address === undefined ? 'countersign open' : `${address}, or countersign open`;
      return `the approval page (${at}), or countersign approve ${id}`;
    },
    onApproved: (next) => {
      go = next;
    },
    close: async () => {
      await page.close();
      await noted;
      if (mode !== 'sandbox') await noteServer(ledger, server, undefined);
    },
  };
}

/** Returns the configured explorer; logs an unusable one and leaves it out. */
function explorerOf({ explorer }: Settings, log: ((line: string) => void) | undefined): string | undefined {
  const problem = explorer === undefined ? undefined : explorerProblem(explorer);
  if (problem === undefined) return explorer;
  log?.(`The page has no explorer links: ${problem}.`);
  return 'none';
}

async function policyOf(source: PolicySource): Promise<LoadedPolicy | undefined> {
  const state = await source.current();
  return state.status === 'ok' ? state : undefined;
}
