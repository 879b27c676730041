/** Sandbox on a manual clock, with a caller over plain HTTP that signs with @solana/kit. */
import {
  createKeyPairFromBytes,
  getBase64Encoder,
  getTransactionDecoder,
  getTransactionEncoder,
  partiallySignTransaction,
} from '@solana/kit';
import bs58 from 'bs58';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/index.ts';
import { mintLogin } from '../../../sandbox/service/http/accounts.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Returns a value of an unknown answer by path: `at(answer, 'plan.transactions.0.id')`. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((found, step) => {
    if (typeof found !== 'object' || found === null) return undefined;
    return Reflect.get(found, step);
  }, value);
}

export function text(value: unknown, path: string): string {
  const found = at(value, path);
  if (typeof found !== 'string') throw new Error(`${path} is ${JSON.stringify(found)}, not text`);
  return found;
}

export function list(value: unknown, path: string): unknown[] {
  const found = at(value, path);
  if (!Array.isArray(found)) throw new Error(`${path} is ${JSON.stringify(found)}, not a list`);
  return found;
}

export class Caller {
  readonly sandbox: Sandbox;

  constructor(sandbox: Sandbox) {
    this.sandbox = sandbox;
  }

  static async start(options: SandboxOptions = {}): Promise<Caller> {
    return new Caller(
      await startSandbox({ seed: 'service tests', clock: 'manual', slotMs: 400, ...options }),
    );
  }

  async http(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(`${this.sandbox.rootUrl}${path}`, {
      method,
      headers: {
        'x-api-key': this.sandbox.apiKey,
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
    const raw = await response.text();
    const parsed: unknown = raw === '' ? {} : JSON.parse(raw);
    return { status: response.status, headers: response.headers, body: { ...Object(parsed) } };
  }

  get(path: string) {
    return this.http('GET', `/api/v1${path}`);
  }

  post(path: string, body: unknown) {
    return this.http('POST', `/api/v1${path}`, body);
  }

  control(name: string, body: unknown) {
    return this.http('POST', `/sandbox/${name}`, body);
  }

  /** Returns the payload of a successful answer. */
  async ok(answer: Promise<Answer>): Promise<unknown> {
    const { status, body } = await answer;
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body.response;
  }

  async token(fields: Record<string, string> = {}): Promise<string> {
    const form = new FormData();
    const all = {
      name: 'Test',
      symbol: 'TST',
      description: 'a test',
      imageUrl: 'https://example.com/a.png',
      ...fields,
    };
    for (const [key, value] of Object.entries(all)) form.set(key, value);
    return text(
      await this.ok(this.http('POST', '/api/v1/token-launch/create-token-info', form)),
      'tokenMint',
    );
  }

  /** Returns an API key of another account. */
  async otherKey(userId: string): Promise<string> {
    const { service } = this.sandbox;
    const user = { userId, name: userId };
    service.state.users.set(userId, user);
    const token = await mintLogin(service.loginSecret, user, service.now());
    const answer = await this.ok(this.post('/agent/dev/keys/create', { token, name: 'other' }));
    return text(answer, 'apiKey.key');
  }

  /** Adds the wallet's signature, lands the bytes and waits for confirmation. Returns the record. */
  async land(
    transaction: string,
    encoding: 'base64' | 'base58' = 'base64',
    secretKey = this.sandbox.wallet.secretKey,
  ) {
    const record = await this.submit(transaction, encoding, secretKey);
    this.sandbox.advanceSlots(1);
    return record;
  }

  /** Adds the wallet's signature and lands the bytes in the current slot, unconfirmed. */
  async submit(
    transaction: string,
    encoding: 'base64' | 'base58' = 'base64',
    secretKey = this.sandbox.wallet.secretKey,
  ) {
    const bytes = encoding === 'base64' ? getBase64Encoder().encode(transaction) : decodeBase58(transaction);
    const keys = await createKeyPairFromBytes(secretKey);
    const signed = await partiallySignTransaction([keys], getTransactionDecoder().decode(bytes));
    const outcome = this.sandbox.chain.submit(new Uint8Array(getTransactionEncoder().encode(signed)));
    if (!outcome.landed) throw new Error(`refused: ${JSON.stringify(outcome.err)}`);
    return outcome.record;
  }

  /** Lands every stage of a plan in order. */
  async landAll(plan: unknown) {
    const records = [];
    for (const stage of list(plan, 'transactions')) {
      const record = await this.land(text(stage, 'transaction'));
      if (record.err !== null)
        throw new Error(`${text(stage, 'id')}: ${JSON.stringify(record.err)} ${record.logs.join('\n')}`);
      records.push(record);
    }
    return records;
  }

  close() {
    return this.sandbox.close();
  }
}

function decodeBase58(value: string): Uint8Array {
  return bs58.decode(value);
}
