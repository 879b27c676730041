/**
 * Multi-round-trip tools of the conformance suite (revision 2026-07-28): each has steps of questions, and ends when all
 * are answered. State that passes through the client is sealed like the state of approvals.
 */
import { randomBytes } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  type ServerContext,
} from '@modelcontextprotocol/server';

const INVALID_PARAMS = -32602;

/** Questions by the name of their answers. */
type Questions = Readonly<Record<string, InputRequest>>;

interface Rounds {
  readonly steps: readonly Questions[];
  /** Requires valid state of our own to continue. */
  readonly sealed?: boolean;
  readonly done: (answers: Readonly<Record<string, unknown>>) => string;
}

const form = (message: string, field: string, type: 'string' | 'boolean' = 'string'): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [field]: type === 'boolean' ? { type } : { type } },
      required: [field],
    },
  });
const sample = (text: string, maxTokens: number): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens });

const NAME = form('What is your name?', 'name');

const TOOLS: Readonly<Record<string, Rounds>> = {
  test_input_required_result_elicitation: {
    steps: [{ user_name: NAME }],
    done: ({ user_name }) => `Hello, ${textIn(user_name)}!`,
  },
  test_input_required_result_sampling: {
    steps: [{ capital_question: sample('What is the capital of France?', 100) }],
    done: ({ capital_question }) => JSON.stringify(capital_question),
  },
  test_input_required_result_list_roots: {
    steps: [{ client_roots: inputRequired.listRoots() }],
    done: ({ client_roots }) => JSON.stringify(client_roots),
  },
  test_input_required_result_request_state: {
    steps: [{ confirm: form('Please confirm', 'ok', 'boolean') }],
    sealed: true,
    done: () => 'state-ok',
  },
  test_input_required_result_tampered_state: {
    steps: [{ confirm: form('Please confirm', 'ok', 'boolean') }],
    sealed: true,
    done: () => 'state-ok',
  },
  test_input_required_result_multiple_inputs: {
    steps: [
      {
        user_name: NAME,
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
    ],
    sealed: true,
    done: (answers) => JSON.stringify(answers),
  },
  test_input_required_result_multi_round: {
    steps: [
      { step1: form('Step 1: What is your name?', 'name') },
      { step2: form('Step 2: What is your favorite color?', 'color') },
    ],
    sealed: true,
    done: ({ step2 }) => `Done: ${textIn(step2)}`,
  },
  test_streaming_elicitation: { steps: [{ user_name: NAME }], done: () => 'done' },
  test_missing_capability: { steps: [{ text: sample('Say hello', 10) }], done: () => 'done' },
};

export const ROUND_TOOLS: readonly string[] = [
  ...Object.keys(TOOLS),
  'test_input_required_result_capabilities',
];
export const ROUND_PROMPT = 'test_input_required_result_prompt';

const CONTEXT: Rounds = {
  steps: [{ user_context: form('What context should the prompt use?', 'context') }],
  done: ({ user_context }) => `Use this context: ${textIn(user_context)}`,
};

/** Returns the first text in an answer's form. */
function textIn(answer: unknown): string {
  const content =
    typeof answer === 'object' && answer !== null && 'content' in answer ? answer.content : undefined;
  return String(Object.values(Object(content))[0] ?? '');
}

const codec = createRequestStateCodec<{ step: number }>({ key: randomBytes(32), ttlSeconds: 600 });

/** Performs one turn of such a tool. Returns a question or the final text. */
export async function takeTurn(name: string, context: ServerContext): Promise<InputRequiredResult | string> {
  if (name === 'test_input_required_result_capabilities') return requestSupportedInputs(context);
  const rounds = name === ROUND_PROMPT ? CONTEXT : TOOLS[name];
  if (rounds === undefined) throw new ProtocolError(INVALID_PARAMS, `no such tool: ${name}`);
  const { inputResponses } = context.mcpReq;
  const step = inputResponses === undefined ? 0 : await stepOf(rounds, context);
  const answers: Readonly<Record<string, unknown>> = inputResponses ?? {};
  const inputRequests = rounds.steps[step] ?? {};
  const answered =
    inputResponses !== undefined &&
    Object.keys(inputRequests).every((key) => typeof answers[key] === 'object' && answers[key] !== null);
  const next = answered ? step + 1 : step;
  const questions = rounds.steps[next];
  if (questions === undefined) return rounds.done(answers);
  return inputRequired({
    inputRequests: { ...questions },
    ...(rounds.sealed === true ? { requestState: await codec.mint({ step: next }, context) } : {}),
  });
}

/** Returns the step named by the state. Throws for foreign state, or missing state where it is required. */
async function stepOf({ sealed }: Rounds, context: ServerContext): Promise<number> {
  if (sealed !== true) return 0;
  const state = context.mcpReq.requestState<unknown>();
  try {
    return (await codec.verify(String(state), context)).step;
  } catch {
    throw new ProtocolError(INVALID_PARAMS, 'The request state is not one of ours.');
  }
}

function requestSupportedInputs({ mcpReq }: ServerContext): InputRequiredResult | string {
  if (mcpReq.inputResponses !== undefined) return 'done';
  const can: unknown = Reflect.get(mcpReq.envelope ?? {}, CLIENT_CAPABILITIES_META_KEY);
  const has = (name: string): boolean => typeof can === 'object' && can !== null && name in can;
  return inputRequired({
    inputRequests: {
      ...(has('sampling') ? { greeting: sample('Generate a greeting', 50) } : {}),
      ...(has('elicitation') ? { user_name: NAME } : {}),
      ...(has('roots') ? { client_roots: inputRequired.listRoots() } : {}),
    },
  });
}
