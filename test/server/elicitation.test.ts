/** Approval through the client's own dialog: an honest one lands once; every manipulation is asked again. */
import { Client, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { afterAll, describe, expect, it } from 'vitest';
import { answerable } from '../../src/server/stdio/messages.ts';
import { Asking, type AskingOptions, BareClient } from './elicited.ts';

let asking: Asking;
/** One environment per set of options; its cases build separate plans in it. */
const worlds = new Map<string, Asking>();
afterAll(async () => {
  for (const world of worlds.values()) await world.close();
});
const start = async (options: AskingOptions = {}) => {
  const key = JSON.stringify(options);
  asking = worlds.get(key) ?? (await Asking.start(options));
  worlds.set(key, asking);
  asking.home.signatures = 0;
};
const bare = () => new BareClient(asking.connect()).start();

const accept = (decision: unknown = 'approve') => ({ approval: { action: 'accept', content: { decision } } });
/** Returns the plan's status in a result, or that it asks a question. */
const outcome = (result: Record<string, unknown>): unknown =>
  result.resultType === 'input_required'
    ? 'asked'
    : (Reflect.get(Reflect.get(Object(result.structuredContent), 'plan') ?? {}, 'status') ?? result);
const stateOf = (result: Record<string, unknown>): string => String(result.requestState);

describe.each([
  ['2025', {}],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
] as const)('a client of %s with elicitation', (_, options) => {
  async function client(answer: unknown) {
    await start();
    const shown: string[] = [];
    const connected = new Client(
      { name: 'test', version: '1' },
      { ...options, capabilities: { elicitation: { form: {} } } },
    );
    connected.setRequestHandler('elicitation/create', (request) => {
      shown.push(request.params.message);
      return answer as { action: 'accept' };
    });
    await connected.connect(asking.connect());
    const submit = async (planId: string) => {
      const { structuredContent } = await connected.callTool({ name: 'submit_plan', arguments: { planId } });
      return Reflect.get(Object(structuredContent), 'plan');
    };
    return { shown, submit };
  }

  it('shows the consequences, returns an approval, and the plan executes', async () => {
    const { shown, submit } = await client({ action: 'accept', content: { decision: 'approve' } });
    const planId = await asking.plan();
    expect(await submit(planId)).toMatchObject({ status: 'complete' });
    expect(shown).toHaveLength(1);
    expect(shown[0]).toMatch(
      /Set up who shares the fees \(sandbox\)[\s\S]*at most [\d.]+ SOL[\s\S]*Who earns[\s\S]*hash/,
    );
    expect(await asking.row(planId)).toMatchObject({ state: 'approved', channel: 'elicitation' });
    const row = await asking.row(planId);
    const signed = await asking.home.ledger.rows('signedStages', { planId });
    expect(signed.map(({ stageId }) => stageId)).toEqual(row?.stages);
  });

  it('returns "deny", and nothing is signed', async () => {
    const { submit } = await client({ action: 'accept', content: { decision: 'deny' } });
    const planId = await asking.plan();
    const plan = await submit(planId);
    expect(plan).toMatchObject({ status: 'denied_by_owner', decision: { effect: 'deny' } });
    // After the denial, no other field mentions a pending approval.
    expect(JSON.stringify(plan)).not.toMatch(/require_approval|can approve/);
    expect(await asking.row(planId)).toMatchObject({ state: 'denied', channel: 'elicitation' });
    expect(asking.home.signatures).toBe(0);
  });

  // Some clients decline questions without showing them.
  it.each(['decline', 'cancel'])(
    '%s: the question stays open and is not asked again in the same call',
    async (action) => {
      const { shown, submit } = await client({ action });
      const planId = await asking.plan();
      expect(await submit(planId)).toMatchObject({ status: 'approval_required' });
      expect(shown).toHaveLength(1);
      expect((await asking.row(planId))?.state).toBe('pending');
      expect(asking.home.signatures).toBe(0);
    },
  );
});

describe('an elicitation answer that the server did not request', () => {
  it('on a first call is ignored: the owner is asked', async () => {
    await start();
    const planId = await asking.plan();
    const client = await bare();
    expect(outcome(await client.submit(planId, { inputResponses: accept() }))).toBe('asked');
    expect(outcome(await client.submit(planId, { inputResponses: accept() }))).toBe('asked');
    expect((await asking.row(planId))?.state).toBe('pending');
    expect(asking.home.signatures).toBe(0);
  });

  it('with a forged, truncated or foreign state is ignored', async () => {
    await start();
    const planId = await asking.plan();
    const client = await bare();
    const real = stateOf(await client.submit(planId));
    const [version = '', body = '', mac = ''] = real.split('.');
    const opened: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
    const forgedBody = Buffer.from(JSON.stringify({ ...Object(opened), exp: 9_999_999_999 })).toString(
      'base64url',
    );
    const forged = [
      '',
      'x',
      real.slice(0, -2),
      `${version}.${forgedBody}.${mac}`,
      `${version}.${body}.${'A'.repeat(43)}`,
    ];
    for (const requestState of forged)
      expect(outcome(await client.submit(planId, { inputResponses: accept(), requestState }))).toBe('asked');
    expect((await asking.row(planId))?.state).toBe('pending');
    expect(asking.home.signatures).toBe(0);
  });

  it('with a state of another process is ignored', async () => {
    await start();
    const first = asking;
    const planId = await first.plan();
    const client = await bare();
    const other = await Asking.start();
    try {
      const otherPlan = await other.plan();
      const foreign = stateOf(await (await new BareClient(other.connect()).start()).submit(otherPlan));
      const result = await client.submit(planId, { inputResponses: accept(), requestState: foreign });
      expect(outcome(result)).toBe('asked');
    } finally {
      await other.close();
    }
    expect((await first.row(planId))?.state).toBe('pending');
  });

  it('with the state of another plan is ignored, for either', async () => {
    await start();
    const [one, two] = [await asking.plan(), await asking.plan()];
    const client = await bare();
    const requestState = stateOf(await client.submit(one));
    expect(outcome(await client.submit(two, { inputResponses: accept(), requestState }))).toBe('asked');
    expect(outcome(await client.submit(one, { inputResponses: accept(), requestState }))).toBe('asked');
    expect([(await asking.row(one))?.state, (await asking.row(two))?.state]).toEqual(['pending', 'pending']);
  });

  it('with a used state is ignored: one state, one answer', async () => {
    await start();
    const planId = await asking.plan();
    const client = await bare();
    const requestState = stateOf(await client.submit(planId));
    const aside = { approval: { action: 'cancel' } };
    expect(outcome(await client.submit(planId, { inputResponses: aside, requestState }))).toBe(
      'approval_required',
    );
    expect(outcome(await client.submit(planId, { inputResponses: accept(), requestState }))).toBe('asked');
    expect((await asking.row(planId))?.state).toBe('pending');
    expect(asking.home.signatures).toBe(0);
  });

  it.each([
    ['another word', accept('yes')],
    ['another type', accept(true)],
    ['no decision', { approval: { action: 'accept' } }],
    ['another name', { confirm: { action: 'accept', content: { decision: 'approve' } } }],
    ['another action', { approval: { action: 'approve', content: { decision: 'approve' } } }],
  ])('in %s is not an approval', async (_, inputResponses) => {
    await start();
    const planId = await asking.plan();
    const client = await bare();
    const requestState = stateOf(await client.submit(planId));
    const result = await client.submit(planId, { inputResponses, requestState });
    expect(outcome(result)).toBe('asked');
    expect((await asking.row(planId))?.state).toBe('pending');
    expect(asking.home.signatures).toBe(0);
  });

  it('in the arguments is refused by name', async () => {
    await start();
    const planId = await asking.plan();
    const client = await bare();
    const sent = { arguments: { planId, approved: true, confirmed: true } };
    expect(await client.submit(planId, sent)).toMatchObject({
      isError: true,
      structuredContent: { code: 'INVALID_INPUT', message: expect.stringContaining('approved') },
    });
  });
});

describe('an honest answer', () => {
  it('executes the plan with the state it was requested with', async () => {
    await start();
    const planId = await asking.plan();
    const client = await bare();
    const requestState = stateOf(await client.submit(planId));
    expect(outcome(await client.submit(planId, { inputResponses: accept(), requestState }))).toBe('complete');
  });

  it('is ignored once the question was denied elsewhere', async () => {
    await start();
    const planId = await asking.plan();
    const client = await bare();
    const requestState = stateOf(await client.submit(planId));
    const row = await asking.row(planId);
    await asking.home.ledger.answerApproval(row?.id ?? '', { state: 'denied', channel: 'command' });
    expect(outcome(await client.submit(planId, { inputResponses: accept(), requestState }))).toBe(
      'denied_by_owner',
    );
    expect(asking.home.signatures).toBe(0);
  });

  it('does not count for a row that another process marked as elicited', async () => {
    await start();
    const planId = await asking.plan();
    const client = await bare();
    await client.submit(planId);
    const row = await asking.row(planId);
    await asking.home.ledger.answerApproval(row?.id ?? '', { state: 'approved', channel: 'elicitation' });
    expect(outcome(await client.submit(planId))).toBe('asked');
    expect((await asking.row(planId))?.id).not.toBe(row?.id);
    expect(asking.home.signatures).toBe(0);
  });
});

describe('without elicitation', () => {
  it('a policy that does not list it is not overruled by an answer', async () => {
    await start({ channels: ['page', 'command'] });
    const planId = await asking.plan();
    const client = await bare();
    expect(outcome(await client.submit(planId, { inputResponses: accept() }))).toBe('approval_required');
    expect((await asking.row(planId))?.state).toBe('pending');
  });

  it('a client without forms receives approval_required', async () => {
    await start();
    const planId = await asking.plan();
    expect(outcome(await (await bare()).submit(planId, {}, false))).toBe('approval_required');
  });

  it('a launch is not asked about by elicitation, unless configured', async () => {
    await start();
    const planId = await asking.plan('launch');
    const client = await bare();
    expect(outcome(await client.submit(planId, { inputResponses: accept() }))).toBe('approval_required');
    await start({ launches: true });
    const other = await asking.plan('launch');
    expect(outcome(await (await bare()).submit(other))).toBe('asked');
  });
});

describe.each([
  ['2025', {}],
  ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
] as const)('a client of %s that can open addresses', (_, options) => {
  const PAGE = 'http://127.0.0.1:4711/';

  async function client(
    answer: unknown,
    declared: { form?: Record<string, never>; url?: Record<string, never> } = { url: {} },
    more: AskingOptions = {},
  ) {
    await start({ channels: ['page'], page: PAGE, ...more });
    const shown: Record<string, unknown>[] = [];
    const connected = new Client(
      { name: 'test', version: '1' },
      { ...options, capabilities: { elicitation: declared } },
    );
    connected.setRequestHandler('elicitation/create', (request) => {
      shown.push({ ...request.params });
      return answer as { action: 'accept' };
    });
    await connected.connect(asking.connect());
    const submit = async (planId: string) => {
      const { structuredContent } = await connected.callTool({ name: 'submit_plan', arguments: { planId } });
      return Reflect.get(Object(structuredContent), 'plan');
    };
    return { shown, submit };
  }

  it.each([
    ['reports that it opened the address', { action: 'accept' }],
    ['includes an approval', { action: 'accept', content: { decision: 'approve' } }],
    ['includes a denial', { action: 'accept', content: { decision: 'deny' } }],
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
  ])('receives the page once for %s, which answers nothing (T88)', async (_name, answer) => {
    const { shown, submit } = await client(answer);
    const planId = await asking.plan('launch');
    expect(await submit(planId)).toMatchObject({
      status: 'approval_required',
      approval: { state: 'pending', where: expect.any(String) },
    });
    expect(shown).toMatchObject([{ mode: 'url', url: PAGE }]);
    expect(String(shown[0]?.message)).toMatch(
      /^Launch a token: .* until \d{4}.*opening it approves nothing\.$/,
    );
    expect(await submit(planId)).toMatchObject({ status: 'approval_required' });
    expect(shown).toHaveLength(1);
    expect((await asking.row(planId))?.state).toBe('pending');
    expect(asking.home.signatures).toBe(0);
  });

  it('receives nothing if the policy does not list the page, or no page accepts answers', async () => {
    const other = await client({ action: 'accept' }, { url: {} }, { channels: ['command'] });
    expect(await other.submit(await asking.plan())).toMatchObject({ status: 'approval_required' });
    expect(other.shown).toEqual([]);
    await start({ channels: ['page'] });
    const none = await bare();
    expect(outcome(await none.submit(await asking.plan()))).toBe('approval_required');
  });

  it('and forms receives the form if the policy lists it, and the page for a launch', async () => {
    const { shown, submit } = await client(
      { action: 'decline' },
      { form: {}, url: {} },
      { channels: ['elicitation', 'page'] },
    );
    await submit(await asking.plan());
    await submit(await asking.plan('launch'));
    expect(shown.map(({ mode }) => mode ?? 'form')).toEqual(['form', 'url']);
  });
});

describe('a client of 2025 with a malformed elicitation result', () => {
  const malformed: [string, unknown][] = [
    ['no object', 'yes'],
    ['an empty object', {}],
    ['an unknown action', { action: 'maybe' }],
    ['content that is no object', { action: 'accept', content: 'approve' }],
  ];
  it.each(malformed)('%s: the call is answered, and nothing is signed', async (_name, result) => {
    await start();
    const planId = await asking.plan();
    const transport = asking.connect();
    const answered = new Promise<unknown>((resolve) => {
      transport.onmessage = (message) => {
        if ('method' in message && message.method === 'elicitation/create' && 'id' in message) {
          // As forwarded by stdio and HTTP.
          const given = answerable({ jsonrpc: '2.0', id: message.id, result });
          void transport.send(given as JSONRPCMessage);
        } else if ('id' in message && message.id === 2) resolve(message);
      };
    });
    await transport.start();
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: { form: {} } },
      clientInfo: { name: 'raw', version: '1' },
    };
    await transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize });
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const params = { name: 'submit_plan', arguments: { planId, waitSeconds: 5 } };
    await transport.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
    expect(await answered).toMatchObject({ id: 2 });
    expect((await asking.row(planId))?.state).toBe('pending');
    expect(asking.home.signatures).toBe(0);
  });
});
