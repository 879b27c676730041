/**
 * `countersign init`: Ctrl-C and a wrong answer at each question, locked or missing keychains, and existing policies.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerKeyPath } from '../../src/secrets/keys/ownerKey.ts';
import { EXHAUSTIVE } from '../exhaustive.ts';
import { missing, PASSWORD, type SecretService, startSecretService } from '../secrets/secretService.ts';
import { CHEAP_PASSPHRASES } from './cheapPassphrases.ts';
import { object, run, type SandboxProcess, someAddress, startProxy, startSandbox } from './harness.ts';
import { CTRL_C, CTRL_D, DOWN, plain, type Replies, type Typed, typeInto } from './typist.ts';

const PASSPHRASE = 'orbit velvet canyon mosaic';
const OWNER_PASSPHRASE = 'a person keeps this in the head';

let sandbox: SandboxProcess;
/** RPC of a chain without a faucet: `init` waits for a SOL transfer. */
let rpc: Awaited<ReturnType<typeof startProxy>>;
let users: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  rpc = await startProxy(sandbox.rpcUrl);
  rpc.state.refused.push('requestAirdrop');
  users = mkdtempSync(join(tmpdir(), 'countersign-answers-'));
});
afterAll(() => {
  rpc.close();
  sandbox.stop();
  rmSync(users, { recursive: true, force: true });
});

interface Step {
  /** The end of the question. */
  readonly question: string;
  readonly right: () => string;
  /** Absent for list choices. */
  readonly wrong?: string;
}

/** Every question of `init` in an empty home, in order. */
const STEPS: readonly Step[] = [
  { question: 'How do you begin?', right: () => DOWN },
  { question: 'Address of the service:', right: () => sandbox.rootUrl, wrong: 'not an address' },
  { question: 'Address of your own RPC:', right: () => rpc.url, wrong: 'ftp://nowhere' },
  { question: 'Passphrase of the secret file:', right: () => PASSPHRASE, wrong: 'short' },
  { question: 'The same again:', right: () => PASSPHRASE, wrong: 'another four words here' },
  { question: 'Enter makes a new wallet):', right: () => '', wrong: '/nowhere/wallet.json' },
  { question: 'API key:', right: () => sandbox.jwt, wrong: 'no token' },
  { question: 'What may the agent do?', right: () => '' },
  { question: 'New owner passphrase:', right: () => OWNER_PASSPHRASE, wrong: PASSPHRASE },
  { question: 'The same again:', right: () => OWNER_PASSPHRASE, wrong: 'another four words here' },
  // Enter before the money arrives; on the repeated question it is sent.
  { question: 'or type "later":', right: () => '', wrong: '' },
];

interface Machine {
  /** Countersign home folder. */
  readonly home: string;
  readonly env: Record<string, string>;
}

function machine(name: string): Machine {
  const folder = join(users, name);
  mkdirSync(join(folder, '.cursor'), { recursive: true });
  const env = {
    PATH: process.env.PATH ?? '',
    ...{ TERM: 'xterm', HOME: folder, XDG_DATA_HOME: '', XDG_CONFIG_HOME: '' },
    // Nonexistent bus: no keychain works on this machine.
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    ...CHEAP_PASSPHRASES,
  };
  return { home: join(folder, '.local/share/countersign'), env };
}

/** Sends SOL to a wallet and waits until it has arrived. */
async function fundedBySomeone(wallet: string): Promise<void> {
  await sandbox.rpc('requestAirdrop', [wallet, 10_000_000_000]);
  await expect.poll(async () => object(await sandbox.rpc('getBalance', [wallet])).value).toBeGreaterThan(0);
}

/** Simulates a user who answers each question of the table with `typed`; counts how often each was asked. */
function person(typed: (index: number, time: number) => string | { control: string }): {
  replies: Replies;
  promptCounts: number[];
} {
  const promptCounts = STEPS.map(() => 0);
  let before = -1;
  const replies: Replies = async (unread) => {
    // Two questions have the same text; each follows its passphrase question.
    const index = STEPS.findIndex(
      ({ question }, at) =>
        unread.includes(question) && (question !== 'The same again:' || at === before + 1),
    );
    const step = STEPS[index];
    if (step === undefined) return undefined;
    before = index;
    const broke = /(\w{32,44}) has 0 SOL/.exec(plain(unread))?.[1];
    if (step.question === 'or type "later":' && broke !== undefined && (promptCounts[index] ?? 0) > 1)
      await fundedBySomeone(broke);
    promptCounts[index] = (promptCounts[index] ?? 0) + 1;
    const reply = typed(index, promptCounts[index] ?? 0);
    const { question } = step;
    return typeof reply === 'string'
      ? { question, answer: reply }
      : { question, answer: reply.control, bare: true };
  };
  return { replies, promptCounts };
}

const rightly = (index: number): string => STEPS[index]?.right() ?? '';

const init = ({ env }: Machine, replies: Replies, columns?: number): Promise<Typed> =>
  typeInto(['init'], env, replies, columns === undefined ? {} : { columns });

/** Returns temporary files left by a command. */
const leftovers = ({ home }: Machine): string[] =>
  existsSync(home) ? readdirSync(home).filter((name) => /\.(tmp|lock)|~$/.test(name)) : [];

describe('Ctrl-C at a question of `init`', () => {
  const keys = [
    ['Ctrl-C', CTRL_C, 130],
    ['Ctrl-D', CTRL_D, 1],
  ] as const;
  it.each(EXHAUSTIVE ? keys : keys.slice(0, 1))(
    'lets the next `init` continue, at each question in one home: %s',
    async (name, control, code) => {
      const here = machine(name);
      for (const [index, { question }] of STEPS.entries()) {
        const { replies, promptCounts: asked } = person((at) => (at === index ? { control } : rightly(at)));
        const ended = await init(here, replies);
        // An existing passphrase is not chosen again.
        const isSettled = asked[index] === 0;
        expect([question, ended.code, ended.shown], ended.shown).toEqual([
          question,
          isSettled ? expect.anything() : code,
          expect.not.stringMatching(/\n\s+at |undefined/),
        ]);
        expect([question, leftovers(here)]).toEqual([question, []]);
      }
      const { replies, promptCounts: asked } = person(rightly);
      const done = await init(here, replies);
      expect([done.code, done.code === 0 ? '' : done.shown]).toEqual([0, '']);
      expect(done.shown).not.toContain('MISS');
      // Asked again: only the passphrase and the money, which no file stores.
      expect(STEPS.filter((_, at) => (asked[at] ?? 0) > 0).map(({ question }) => question)).toEqual([
        'Passphrase of the secret file:',
        'or type "later":',
      ]);
      expect(existsSync(ownerKeyPath(here.home))).toBe(true);
    },
  );
});

/** Runs a command without a terminal. Returns its exit code and last output line. */
async function ended(args: readonly string[], env: Record<string, string>) {
  const { code, err } = await run(args, env);
  return { code, err, next: err.trimEnd().split('\n').at(-1) ?? '' };
}

describe('a wrong answer', () => {
  /** One home for all of these tests, in order. */
  let here: Machine;
  beforeAll(() => {
    here = machine('wrong');
  });
  it('is explained and asked again at each question, and the same run completes', async () => {
    const { replies, promptCounts: asked } = person((at, time) => {
      const step = STEPS[at];
      // The passphrase has two wrong answers: an invalid one, and a mismatched repetition.
      const isRepeated = STEPS[at + 1]?.question === 'The same again:';
      const isRepetition = step?.question === 'The same again:';
      if (step?.wrong === undefined) return rightly(at);
      if (isRepeated) return time === 1 ? step.wrong : rightly(at);
      if (isRepetition) return [STEPS[at - 1]?.wrong ?? '', step.wrong][time - 1] ?? rightly(at);
      return time === 1 ? step.wrong : rightly(at);
    });
    const done = await init(here, replies);
    expect([done.code, done.code === 0 ? '' : done.shown]).toEqual([0, '']);
    expect(asked.slice(0, -1)).toEqual([1, 2, 2, 3, 3, 2, 2, 1, 3, 3]);
    expect(asked.at(-1)).toBeGreaterThan(1);
    for (const secret of [PASSPHRASE, OWNER_PASSPHRASE, sandbox.jwt])
      expect(done.shown).not.toContain(secret);
  });

  it('for the passphrase of an existing home is asked again at most four times, then a next step is printed', async () => {
    const first = await init(
      here,
      person((at, time) => (at === 3 && time === 1 ? 'not these words' : rightly(at))).replies,
    );
    expect([first.code, first.code === 0 ? '' : first.shown]).toEqual([0, '']);
    const { replies, promptCounts: asked } = person((at) => (at === 3 ? 'not these words' : rightly(at)));
    const never = await init(here, replies);
    expect([never.code, asked[3]]).toEqual([1, 4]);
    expect(never.shown.trimEnd().split(/\r*\n/).at(-1)).toContain('COUNTERSIGN_PASSPHRASE');
  });

  it('for an existing policy is refused with a remedy; a valid policy is used; once the invalid one is moved away, `init` completes', async () => {
    const policy = join(here.home, 'policy.json');
    const whole = readFileSync(policy, 'utf8');
    const wallet = /"address": "(\w+)"/.exec(whole)?.[1] ?? '';
    const env = { ...here.env, COUNTERSIGN_PASSPHRASE: PASSPHRASE };
    const again = ['init', '--live', '--yes'];
    const broken: readonly (readonly [string, string])[] = [
      ['', 'Correct it, or move it away.'],
      ['{ "version": 1', 'Correct it, or move it away.'],
      [whole.replaceAll(wallet, someAddress()), 'Add it under "wallets"'],
    ];
    for (const [text, next] of broken) {
      writeFileSync(policy, text);
      const { code, err, next: nextStep } = await ended(again, env);
      expect([code, nextStep], err).toEqual([1, expect.stringContaining(next)]);
      expect(err.split(next)).toHaveLength(2);
    }
    writeFileSync(policy, whole);
    expect(await ended(again, env)).toMatchObject({
      code: 0,
      err: expect.stringContaining(`There already: ${policy}.`),
    });
    rmSync(policy);
    expect(await ended([...again, '--template', 'observer'], env)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(policy, 'utf8'))).toMatchObject({ wallets: [{ address: wallet }] });
  });
});

describe.skipIf(missing.length > 0)('a keychain', () => {
  let keychain: SecretService;
  beforeAll(async () => {
    keychain = await startSecretService();
  });
  afterAll(() => keychain.end());

  const under = (name: string): Machine => {
    const here = machine(name);
    const { XDG_RUNTIME_DIR = '', DBUS_SESSION_BUS_ADDRESS = '' } = keychain.env;
    return { ...here, env: { ...here.env, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS } };
  };

  it('that is locked is replaced by a file in a new home; an existing keychain home prints one next step and continues once unlocked', async () => {
    const kept = under('kept');
    const { replies, promptCounts: asked } = person(rightly);
    const made = await init(kept, replies);
    expect([made.code, made.code === 0 ? '' : made.shown]).toEqual([0, '']);
    expect([asked[3], made.shown]).toEqual([0, expect.stringContaining('keychain store')]);

    await keychain.stopKeyring();
    await keychain.startKeyring(undefined);
    const filed = await init(under('filed'), person(rightly).replies);
    expect([filed.code, filed.code === 0 ? '' : filed.shown]).toEqual([0, '']);
    expect(filed.shown).toContain('The keys go into an encrypted file.');
    const locked = await init(kept, person(rightly).replies);
    expect(locked.code).toBe(1);
    expect(locked.shown.trimEnd().split(/\r*\n/).slice(-3).join(' ')).toMatch(/[Uu]nlock/);
    const keychainInit = await ended(['init', '--live', '--yes', '--secret-store', 'keychain'], {
      ...under('asked').env,
      ...{
        COUNTERSIGN_ROOT_URL: sandbox.rootUrl,
        COUNTERSIGN_RPC_URL: rpc.url,
        COUNTERSIGN_JWT: sandbox.jwt,
      },
    });
    expect([keychainInit.code, keychainInit.next]).toEqual([1, expect.stringMatching(/[Uu]nlock/)]);

    await keychain.stopKeyring();
    await keychain.startKeyring(PASSWORD);
    const again = await init(kept, person(rightly).replies);
    expect([again.code, again.code === 0 ? '' : again.shown]).toEqual([0, '']);
  });
});
