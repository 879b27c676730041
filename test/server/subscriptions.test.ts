/** Clients hear of a change to what they subscribed to, in both eras of the protocol, and of nothing else. */
import { execFileSync } from 'node:child_process';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { ResourceName, ToolHost } from '../../src/server/host.ts';
import { createServer } from '../../src/server/index.ts';
import { createWatch } from '../../src/server/resources/watch.ts';
import { eventually } from '../eventually.ts';
import { world } from '../tools/world.ts';
import { COMMAND, environment, object, type Spawned, spawnServer } from './spawned.ts';

const POLICY = 'policy://current';
const STAGE = 'plan://plan-1/stages/config-1';
const CHANGED = 'notifications/resources/updated';

/** What every request of a 2026-07-28 client carries. */
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1' },
};

/** Time that passes when the test says so. */
function handClock() {
  const sleeping: { resolve: () => void; ms: number }[] = [];
  const clock: Clock = {
    now: () => 0,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        sleeping.push({ resolve, ms });
        signal?.addEventListener('abort', () => {
          sleeping.splice(
            sleeping.findIndex((each) => each.resolve === resolve),
            1,
          );
          reject(signal.reason);
        });
      }),
  };
  return {
    clock,
    sleepers: () => sleeping.length,
    /** Lets the next look happen and ends when it has: the looker sleeps again. */
    pass: async () => {
      await eventually(() => expect(sleeping).toHaveLength(1));
      sleeping.shift()?.resolve();
      await eventually(() => expect(sleeping).toHaveLength(1));
    },
  };
}

/** A server whose resources hold what the test says, and how often it was opened. */
async function serverOf(holds: Record<string, string>) {
  const { context } = await world([]);
  const hand = handClock();
  let opened = 0;
  let broken = false;
  const standing = async (name: ResourceName): Promise<string> => {
    const text = holds[name.kind === 'policy' ? POLICY : `plan://${name.planId}/stages/${name.stageId}`];
    if (broken || text === undefined)
      throw Object.assign(new Error('There is none.'), { code: 'NOT_FOUND', hint: 'List them.' });
    return text;
  };
  const host: ToolHost = {
    context: () => context,
    redact: (value) => value,
    stop: async () => undefined,
    standing,
  };
  const server = createServer({
    version: '0.0.0',
    mode: 'sandbox',
    clock: hand.clock,
    log: () => undefined,
    openHost: async () => {
      opened += 1;
      return host;
    },
  });
  return {
    ...hand,
    server,
    opened: () => opened,
    breakDown: (now: boolean) => {
      broken = now;
    },
  };
}

/** A 2025 client and the URIs it was told about. */
async function client(server: ReturnType<typeof createServer>) {
  const connection = server.connection();
  const one = new Client({ name: 'test', version: '1' });
  const told: string[] = [];
  one.setNotificationHandler(CHANGED, ({ params }) => void told.push(params.uri));
  const [here, there] = InMemoryTransport.createLinkedPair();
  await connection.connect(there);
  await one.connect(here);
  onTestFinished(async () => {
    await one.close();
    await connection.close();
  });
  return { one, told };
}

describe('a 2025 client', () => {
  test('is told once of each change to what it subscribed to', async () => {
    const holds = { [POLICY]: 'first', [STAGE]: 'bytes' };
    const { server, pass } = await serverOf(holds);
    const { one, told } = await client(server);
    await one.subscribeResource({ uri: POLICY });
    await pass();
    expect(told).toEqual([]);
    holds[POLICY] = 'second';
    holds[STAGE] = 'other bytes';
    await pass();
    await pass();
    expect(told).toEqual([POLICY]);
  });

  test('hears of a stage whose plan was built again', async () => {
    const holds = { [STAGE]: 'bytes' };
    const { server, pass } = await serverOf(holds);
    const { one, told } = await client(server);
    await one.subscribeResource({ uri: STAGE });
    holds[STAGE] = 'built again';
    await pass();
    expect(told).toEqual([STAGE]);
  });

  test('gets nothing more after it unsubscribed, and the server stops polling', async () => {
    const holds = { [POLICY]: 'first' };
    const { server, pass, sleepers } = await serverOf(holds);
    const { one, told } = await client(server);
    await one.subscribeResource({ uri: POLICY });
    await pass();
    await one.unsubscribeResource({ uri: POLICY });
    expect(sleepers()).toBe(0);
    expect(told).toEqual([]);
  });

  test('that went away leaves nothing running', async () => {
    const { server, pass, sleepers } = await serverOf({ [POLICY]: 'first' });
    const { one } = await client(server);
    await one.subscribeResource({ uri: POLICY });
    await pass();
    await one.close();
    await eventually(() => expect(sleepers()).toBe(0));
  });

  test('does not hear what another subscribed to', async () => {
    const holds = { [POLICY]: 'first', [STAGE]: 'bytes' };
    const { server, pass } = await serverOf(holds);
    const [first, second] = [await client(server), await client(server)];
    await first.one.subscribeResource({ uri: POLICY });
    await second.one.subscribeResource({ uri: STAGE });
    holds[POLICY] = 'second';
    await pass();
    expect([first.told, second.told]).toEqual([[POLICY], []]);
  });

  test('is told why it cannot subscribe to what is not there', async () => {
    const { server, sleepers } = await serverOf({});
    const { one } = await client(server);
    await expect(one.subscribeResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('No such resource');
    await expect(one.subscribeResource({ uri: STAGE })).rejects.toMatchObject({ code: -32602 });
    expect(sleepers()).toBe(0);
  });

  test('may subscribe to a written page, which opens nothing', async () => {
    const { server, opened } = await serverOf({});
    const { one } = await client(server);
    await one.subscribeResource({ uri: 'guide://operating' });
    expect(opened()).toBe(0);
  });

  test('may watch 64 resources and no more', async () => {
    const uris = Array.from({ length: 65 }, (_, index) => `plan://plan-1/stages/stage-${index}`);
    const { server } = await serverOf(Object.fromEntries(uris.map((uri) => [uri, 'bytes'])));
    const { one } = await client(server);
    for (const uri of uris.slice(0, 64)) await one.subscribeResource({ uri });
    await expect(one.subscribeResource({ uri: uris[64] ?? '' })).rejects.toThrow('64');
  });
});

test('what cannot be read for a moment has not changed', async () => {
  const holds = { [POLICY]: 'first' };
  const { server, pass, breakDown } = await serverOf(holds);
  const { one, told } = await client(server);
  await one.subscribeResource({ uri: POLICY });
  breakDown(true);
  await pass();
  breakDown(false);
  await pass();
  expect(told).toEqual([]);
});

describe('a 2026-07-28 client', () => {
  /** The bare end of a connection served as over stdio. */
  function bare(server: ReturnType<typeof createServer>) {
    const [here, there] = InMemoryTransport.createLinkedPair();
    const heard: Record<string, unknown>[] = [];
    here.onmessage = (message) => void heard.push({ ...message });
    const handle = serveStdio((context) => server.connection(context), { transport: there });
    onTestFinished(() => handle.close());
    const send = async (message: Record<string, unknown>): Promise<void> => {
      const whole = { jsonrpc: '2.0' as const, ...message };
      server.overhear(whole);
      await here.send(whole as Parameters<typeof here.send>[0]); // a bare message, as a line would hold it
    };
    const listen = (id: number, uris: readonly string[]) =>
      send({
        id,
        method: 'subscriptions/listen',
        params: { _meta, notifications: { resourceSubscriptions: uris } },
      });
    const told = () => heard.filter(({ method }) => method === CHANGED).map(({ params }) => object(params));
    return { send, listen, told, heard };
  }

  test('is told on each subscription that is about the resource, once', async () => {
    const holds = { [POLICY]: 'first', [STAGE]: 'bytes' };
    const { server, pass } = await serverOf(holds);
    const { listen, told } = bare(server);
    await listen(1, [POLICY]);
    await listen(2, [POLICY, STAGE]);
    await pass();
    holds[POLICY] = 'second';
    await pass();
    expect(
      told().map(({ uri, _meta }) => [uri, object(_meta)['io.modelcontextprotocol/subscriptionId']]),
    ).toEqual([
      [POLICY, 1],
      [POLICY, 2],
    ]);
  });

  test('ends a subscription by cancelling it; the last one ends the looking', async () => {
    const holds = { [POLICY]: 'first', [STAGE]: 'bytes' };
    const { server, pass, sleepers } = await serverOf(holds);
    const { listen, send, told } = bare(server);
    const cancel = (requestId: number) =>
      send({ method: 'notifications/cancelled', params: { requestId, _meta } });
    await listen(1, [POLICY]);
    await listen(2, [STAGE]);
    await pass();
    await cancel(1);
    holds[POLICY] = 'second';
    await pass();
    expect(told()).toEqual([]);
    await cancel(2);
    expect(sleepers()).toBe(0);
  });

  test('is acknowledged, also for what is not there, which is then not watched', async () => {
    const { server, pass } = await serverOf({ [POLICY]: 'first' });
    const { listen, heard } = bare(server);
    await listen(1, ['file:///etc/passwd', POLICY]);
    await pass();
    expect(heard).toMatchObject([{ method: 'notifications/subscriptions/acknowledged' }]);
  });
});

describe('over stdio, with a person at the command line', () => {
  /** A person freezes the server's home. */
  const freeze = (env: Record<string, string>): void => {
    execFileSync(process.execPath, [COMMAND, 'freeze', '--sandbox'], {
      env: environment(env),
      stdio: 'pipe',
    });
  };
  const toldOf = async (server: Spawned): Promise<unknown> =>
    eventually(() => {
      const [first] = server.others.filter(({ method }) => method === CHANGED);
      expect(first).toBeDefined();
      return object(first).params;
    });

  test('a 2025 client hears of a freeze, and then reads it', async () => {
    const { COUNTERSIGN_HOME: home = '' } = environment();
    const server = spawnServer([], { COUNTERSIGN_HOME: home });
    const hello = await server.initialize();
    expect(hello.capabilities).toMatchObject({ resources: { subscribe: true } });
    expect((await server.request('resources/subscribe', { uri: POLICY })).result).toEqual({});
    freeze({ COUNTERSIGN_HOME: home });
    expect(await toldOf(server)).toEqual({ uri: POLICY });
    const policy = await server.request('resources/read', { uri: POLICY });
    expect(JSON.stringify(policy.result)).toContain('A person froze signing');
  });

  test('a 2026-07-28 client hears of it on its subscription', async () => {
    const { COUNTERSIGN_HOME: home = '' } = environment();
    const server = spawnServer([], { COUNTERSIGN_HOME: home });
    const found = object((await server.request('server/discover', { _meta })).result);
    expect(found.capabilities).toMatchObject({ resources: { subscribe: true } });
    const notifications = { resourceSubscriptions: [POLICY] };
    const params = { _meta, notifications };
    server.write(JSON.stringify({ jsonrpc: '2.0', id: 'mine', method: 'subscriptions/listen', params }));
    // The first answer comes once the home is open, and with it what the policy holds is known.
    await server.request('resources/read', { _meta, uri: POLICY });
    freeze({ COUNTERSIGN_HOME: home });
    expect(await toldOf(server)).toMatchObject({
      uri: POLICY,
      _meta: { 'io.modelcontextprotocol/subscriptionId': 'mine' },
    });
  });
});

test('of many subscriptions at once as many are watched as there are places, and each is read once', async () => {
  let reads = 0;
  const host = {
    standing: async () => {
      reads += 1;
      return '';
    },
  };
  const watch = createWatch({
    open: async () => host as unknown as ToolHost,
    changed: () => undefined,
    clock: { now: () => 0, sleep: () => new Promise(() => undefined) },
  });
  const asked = Array.from({ length: 100 }, (_, i) => watch.follow(`plan://p${i}/stages/s`));
  const ends = await Promise.allSettled(asked);
  watch.keep(new Set());
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(64);
  expect(reads).toBe(64);
});
