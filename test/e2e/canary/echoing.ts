/** Service and RPC proxies to an honest sandbox that echo secrets they receive. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import bs58 from 'bs58';
import { object, type SandboxProcess } from '../harness.ts';

export interface Echoing {
  readonly url: string;
  /** Kind of the next answers: honest with echoes, an error that contains the secret, or not JSON. */
  state: { answer: 'echo' | '401' | '500' | 'garbage' | 'bytes'; asked: string[] };
  close(): void;
}

const bodyOf = (request: IncomingMessage): Promise<Buffer> =>
  new Promise((done) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => done(Buffer.concat(chunks)));
  });

/** Returns the secret in several encodings. */
const coats = (secret: string): Record<string, string> => ({
  plain: secret,
  base64: Buffer.from(secret).toString('base64'),
  hex: Buffer.from(secret).toString('hex'),
  base58: bs58.encode(Buffer.from(secret)),
  url: encodeURIComponent(secret),
});

async function listen(
  handle: (request: IncomingMessage, body: Buffer, state: Echoing['state']) => Promise<[number, string]>,
): Promise<Echoing> {
  const state: Echoing['state'] = { answer: 'echo', asked: [] };
  const server = createServer(async (request, response) => {
    const [status, text] = await handle(request, await bodyOf(request), state);
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address() as AddressInfo; // listening on a port, never a pipe
  return {
    url: `http://127.0.0.1:${address.port}`,
    state,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Starts the service. It returns `apiKey` for any login and accepts no other key. */
export const echoingService = (sandbox: SandboxProcess, apiKey: string): Promise<Echoing> =>
  listen(async (request, body, state) => {
    const path = request.url ?? '';
    state.asked.push(path);
    const sent = String(request.headers['x-api-key'] ?? '');
    const isLogin = path.endsWith('/agent/dev/keys/create');
    const secret = isLogin ? String(object(JSON.parse(body.toString('utf8'))).token) : sent;
    if (state.answer === 'garbage') return [200, `<html>${secret}</html>`];
    if (state.answer === '401' || (sent !== '' && sent !== apiKey)) {
      return [401, JSON.stringify({ success: false, error: `No: ${JSON.stringify(coats(secret))}` })];
    }
    if (state.answer === '500') return [500, JSON.stringify({ success: false, response: `Oh: ${secret}` })];
    if (isLogin) {
      const key = { key: apiKey, keyId: 'id-1', name: `key ${apiKey}`, userId: secret, status: apiKey };
      return [200, JSON.stringify({ success: true, response: { apiKey: key } })];
    }
    const headers: Record<string, string> = { 'content-type': request.headers['content-type'] ?? '' };
    if (sent !== '') headers['x-api-key'] = sandbox.apiKey;
    const answer = await fetch(`${sandbox.rootUrl}${path}`, {
      method: request.method ?? 'GET',
      headers,
      ...(request.method === 'GET' ? {} : { body: new Uint8Array(body) }),
    });
    const envelope = object(await answer.json());
    if (secret === '' || typeof envelope.response !== 'object' || Array.isArray(envelope.response)) {
      return [answer.status, JSON.stringify(envelope)];
    }
    const response = withEcho(object(envelope.response), secret, state.answer === 'bytes');
    return [answer.status, JSON.stringify({ ...envelope, response })];
  });

/** Returns the answer with the secret in unrequested fields and in texts, and `bytes` in each transaction. */
function withEcho(answer: Record<string, unknown>, secret: string, bytes: boolean): Record<string, unknown> {
  const spoil = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(spoil);
    if (typeof value !== 'object' || value === null) return value;
    const inside = Object.entries(value).map(([name, item]) => [
      name,
      bytes && name === 'transaction' && typeof item === 'string'
        ? Buffer.concat([Buffer.from(item, 'base64'), Buffer.from(secret)]).toString('base64')
        : spoil(item),
    ]);
    return { ...Object.fromEntries(inside), echo: coats(secret), [`x-${secret}`]: 1 };
  };
  return object(spoil(answer));
}

/** Starts the RPC. Its errors and simulation logs contain the requested address. */
export const echoingRpc = (sandbox: SandboxProcess): Promise<Echoing> =>
  listen(async (request, body, state) => {
    const path = request.url ?? '';
    state.asked.push(path);
    const { id, method } = object(JSON.parse(body.toString('utf8')));
    if (state.answer === 'garbage') return [200, `<html>${path}</html>`];
    if (state.answer === '401') return [401, JSON.stringify({ error: `bad key ${path}` })];
    if (state.answer === '500') {
      return [200, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_005, message: `no: ${path}` } })];
    }
    const answer = object(
      await (
        await fetch(sandbox.rpcUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: new Uint8Array(body),
        })
      ).json(),
    );
    if (method === 'simulateTransaction') {
      const result = object(answer.result);
      const value = object(result.value);
      const logs = [...(Array.isArray(value.logs) ? value.logs : []), `Program log: asked at ${path}`];
      return [200, JSON.stringify({ ...answer, result: { ...result, value: { ...value, logs } } })];
    }
    return [200, JSON.stringify({ ...answer, note: path })];
  });
