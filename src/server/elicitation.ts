/**
 * Asks a person through the client's own dialog (MCP elicitation), in both protocol eras: a handler returns
 * `input_required`, newer clients call again with the response, and the SDK does the same round for older ones.
 *
 * Response and state come back through the client, so neither is trusted by itself: the state is sealed by this
 * process, names one question, and contains a nonce that is stored here and used once. A first call that already
 * carries an "accept" and a replayed, forged or stale state lead to a new question.
 *
 * A client that can open URLs (URL elicitation) gets the approval page's plain address, once per question. Its
 * response only says whether the address was opened and is ignored.
 */
import { randomBytes } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { closedBy } from '../answering/closedQuestion.ts';
import type { ApprovalChannel } from '../approval/types.ts';
import { timeWords } from '../base/format.ts';
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import { operationWords } from '../plan/operationNames.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';
import { readApprovalView } from '../presentation/question/readView.ts';
import { approvalLines } from '../presentation/question/textLines.ts';
import type { ApprovalView } from '../presentation/question/view.ts';

/** Name of the question in a result's input requests. */
const QUESTION = 'approval';
/** Name of a request to open the page. Responses with this name are ignored. */
const PAGE = 'page';
const STATE_SECONDS = 600;
/** Maximum number of pending questions; the oldest is dropped and asked again. */
const MAX_NONCES = 256;

/** Content of the sealed state. */
interface Sealed {
  readonly approvalId: string;
  readonly approvalDigest: string;
  readonly planId: string;
  readonly nonce: string;
}

/** The client's side of one call. */
export interface ElicitingClient {
  /** Whether the client declared form support. */
  readonly canElicit: boolean;
  /** Whether the client declared URL support. */
  readonly opensUrls: boolean;
  /** Received from the client: the sealed state, or anything else. */
  readonly requestState: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  readonly context: ServerContext;
}

export interface ElicitationParts {
  readonly ledger: Ledger;
  /** The policy in force, for channels and names of limits and rules. */
  readonly policy: () => Promise<LoadedPolicy | undefined>;
  /** Whether launches may be asked about through the client. Default false: some clients answer automatically. */
  readonly launches?: boolean;
  /**
   * Returns the plain address of the approval page, which contains no secret; `undefined` if there is no usable page.
   */
  readonly page?: () => Promise<string | undefined>;
}

/** Asks a person in an embedding program, given the question's lines and the view. */
export type Decide = (
  lines: readonly string[],
  view: ApprovalView,
) => Promise<'approved' | 'denied' | 'set_aside'>;

/** The result of reading a response: unusable, answered, or set aside. */
export type Taken = 'none' | 'approved' | 'denied' | 'set_aside';

export interface Elicitation {
  /** The channel for the runner: available during calls of a client that supports elicitation. */
  readonly channel: ApprovalChannel;
  /** Returns whether this process received the approval of this row. Records of other processes do not count. */
  elicited(row: ApprovalRow): boolean;
  /**
   * Runs `submit` with the questions about a plan: first accepts an answer from the client, then submits, then asks
   * about the open question. Returns the result of `submit`, or a question instead.
   */
  around<R>(
    client: ElicitingClient,
    planId: string,
    submit: () => Promise<R>,
  ): Promise<R | InputRequiredResult>;
  /** For embedding programs: submits, asks, and submits again after an approval. */
  within<R>(decide: Decide, planId: string, submit: () => Promise<R>): Promise<R>;
}

/** Creates the elicitation of a process; key and nonces live as long as the process. */
export function createElicitation(parts: ElicitationParts): Elicitation {
  const { ledger } = parts;
  const codec = createRequestStateCodec<Sealed>({
    key: randomBytes(32),
    ttlSeconds: STATE_SECONDS,
    bind: (context) => context.mcpReq.method,
  });
  const nonces = new Map<string, Sealed>();
  const yes = new Map<string, string>();
  /** Questions whose page a client was asked to open. */
  const sentToPage = new Set<string>();
  let asking = 0;

  /** Returns the question of an unused state. */
  async function redeem(client: ElicitingClient, planId: string): Promise<Sealed | undefined> {
    if (client.requestState === undefined) return undefined;
    let sealed: Sealed;
    try {
      sealed = await codec.verify(client.requestState, client.context);
    } catch {
      return undefined;
    }
    const kept = nonces.get(sealed.nonce);
    // The nonce is used up by any answer, so that a second one is refused.
    nonces.delete(sealed.nonce);
    const same =
      kept !== undefined &&
      kept.planId === planId &&
      kept.planId === sealed.planId &&
      kept.approvalId === sealed.approvalId &&
      kept.approvalDigest === sealed.approvalDigest;
    return same ? kept : undefined;
  }

  async function take(client: ElicitingClient, planId: string): Promise<Taken> {
    const sealed = await redeem(client, planId);
    const answer = answerOf(client.inputResponses?.[QUESTION]);
    if (sealed === undefined || answer === 'none' || answer === 'set_aside') {
      return sealed === undefined ? 'none' : answer;
    }
    return (await record(sealed, answer)) ? answer : 'none';
  }

  /** Records the answer to a question as it was shown. Returns `false` if it is no longer open here. */
  async function record(
    { approvalId: id, approvalDigest, planId }: Omit<Sealed, 'nonce'>,
    answer: 'approved' | 'denied',
  ): Promise<boolean> {
    if (!(await offered(planId))) return false;
    const [row] = await ledger.rows('approvals', { id });
    // Answered elsewhere or expired: the runner reads the row instead.
    if (row?.state !== 'pending' || row.approvalDigest !== approvalDigest) return false;
    if ((await closedBy(ledger, row)) !== undefined) return false;
    await ledger.answerApproval(id, { state: answer, channel: 'elicitation' });
    if (answer === 'approved') yes.set(id, approvalDigest);
    return true;
  }

  /** Returns whether the policy permits asking about this plan here. */
  async function offered(planId: string): Promise<boolean> {
    const policy = await parts.policy();
    if (policy === undefined || !policy.policy.approval.channels.includes('elicitation')) return false;
    const plan = (await ledger.rows('plans', { planId }))[0];
    return plan !== undefined && (plan.operation !== 'launch' || parts.launches === true);
  }

  /** Returns the open question about a plan that may be asked here. */
  async function open(planId: string): Promise<{ row: ApprovalRow; view: ApprovalView } | undefined> {
    if (!(await offered(planId))) return undefined;
    const [row] = await ledger.rows('approvals', { planId, state: 'pending' });
    if (row !== undefined && (await closedBy(ledger, row)) !== undefined) return undefined;
    const view = row && (await readApprovalView(ledger, row.id, await parts.policy()));
    return row === undefined || view === undefined ? undefined : { row, view };
  }

  /**
   * Has the client show the page's address if the policy lists the page; also for launches, which are answered there.
   */
  async function askAtPage(
    client: ElicitingClient,
    planId: string,
  ): Promise<InputRequiredResult | undefined> {
    if (!client.opensUrls) return undefined;
    const policy = await parts.policy();
    const [row] = await ledger.rows('approvals', { planId, state: 'pending' });
    if (policy?.policy.approval.channels.includes('page') !== true || row === undefined) return undefined;
    if (sentToPage.has(row.id) || (await closedBy(ledger, row)) !== undefined) return undefined;
    const [url, plan] = [await parts.page?.(), (await ledger.rows('plans', { planId }))[0]];
    if (url === undefined || plan === undefined) return undefined;
    sentToPage.add(row.id);
    const [oldest] = sentToPage;
    if (sentToPage.size > MAX_NONCES && oldest !== undefined) sentToPage.delete(oldest);
    const message = `${operationWords(plan.operation)}: Countersign needs your answer until ${timeWords(row.expiresAt)}. The address opens the approval page in your browser; opening it approves nothing.`;
    return inputRequired({ inputRequests: { [PAGE]: inputRequired.elicitUrl({ message, url }) } });
  }

  async function ask(client: ElicitingClient, planId: string): Promise<InputRequiredResult | undefined> {
    const question = client.canElicit ? await open(planId) : undefined;
    if (question === undefined) return askAtPage(client, planId);
    const { row, view } = question;
    const nonce = randomBytes(16).toString('hex');
    const sealed = { approvalId: row.id, approvalDigest: row.approvalDigest, planId, nonce };
    nonces.set(nonce, sealed);
    const [oldest] = nonces.keys();
    if (nonces.size > MAX_NONCES && oldest !== undefined) nonces.delete(oldest);
    return inputRequired({
      requestState: await codec.mint(sealed, client.context),
      inputRequests: {
        [QUESTION]: inputRequired.elicit({
          message: approvalLines(view, await ledger.time()).join('\n'),
          requestedSchema: {
            type: 'object',
            properties: {
              // "deny" is first and there is no default: a client that answers automatically denies.
              decision: { type: 'string', title: 'Your decision', enum: ['deny', 'approve'] },
            },
            required: ['decision'],
          },
        }),
      },
    });
  }

  return {
    channel: {
      name: 'elicitation',
      available: async () => asking > 0,
      // The submitting call asks as soon as its result is known.
      ask: async () => undefined,
    },
    elicited: (row) => yes.get(row.id) === row.approvalDigest,
    around: async (client, planId, submit) => {
      const taken = await take(client, planId);
      asking += client.canElicit ? 1 : 0;
      try {
        const result = await submit();
        return (taken === 'set_aside' ? undefined : await ask(client, planId)) ?? result;
      } finally {
        asking -= client.canElicit ? 1 : 0;
      }
    },
    within: async (decide, planId, submit) => {
      asking += 1;
      try {
        const result = await submit();
        const question = await open(planId);
        if (question === undefined) return result;
        const { row, view } = question;
        const answer = await decide(approvalLines(view, await ledger.time()), view);
        const shown = { approvalId: row.id, approvalDigest: row.approvalDigest, planId };
        return answer === 'set_aside' || !(await record(shown, answer)) ? result : await submit();
      } finally {
        asking -= 1;
      }
    },
  };
}

/**
 * Returns the answer in a response. Only "accept" with "approve" in the form approves, and only "accept" with "deny"
 * denies: some clients decline or cancel questions no person saw, so that only sets the question aside.
 */
function answerOf(response: unknown): Taken {
  if (typeof response !== 'object' || response === null || !('action' in response)) return 'none';
  if (response.action === 'decline' || response.action === 'cancel') return 'set_aside';
  if (response.action !== 'accept') return 'none';
  const content = 'content' in response ? response.content : undefined;
  if (typeof content !== 'object' || content === null || !('decision' in content)) return 'none';
  if (content.decision === 'approve') return 'approved';
  return content.decision === 'deny' ? 'denied' : 'none';
}

/**
 * Returns the client's side of a call from the SDK's context; `declared` are the capabilities from its
 * initialization.
 */
export function elicitingClient(
  context: ServerContext,
  declared: ClientCapabilities | undefined,
): ElicitingClient {
  const { envelope, inputResponses } = context.mcpReq;
  const state = context.mcpReq.requestState<unknown>();
  const elicitation = elicitationOf(Reflect.get(envelope ?? {}, CLIENT_CAPABILITIES_META_KEY) ?? declared);
  return {
    canElicit: showsForms(elicitation),
    opensUrls: elicitation !== undefined && 'url' in elicitation,
    requestState: typeof state === 'string' ? state : undefined,
    inputResponses,
    context,
  };
}

/** Returns the elicitation capability a client declared. */
function elicitationOf(capabilities: unknown): object | undefined {
  if (typeof capabilities !== 'object' || capabilities === null || !('elicitation' in capabilities))
    return undefined;
  const { elicitation } = capabilities;
  return typeof elicitation === 'object' && elicitation !== null ? elicitation : undefined;
}

/** An empty elicitation capability means forms, for compatibility with older revisions. */
const showsForms = (elicitation: object | undefined): boolean =>
  elicitation !== undefined && ('form' in elicitation || !('url' in elicitation));
