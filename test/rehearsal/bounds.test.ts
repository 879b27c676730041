/** Limits of a rehearsal's cost and reach; a failing RPC or process yields no rehearsal and no further effect. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Plan } from '../../src/plan/types.ts';
import { type CopiedAccount, createPlayer, type Job } from '../../src/rehearsal/player.ts';
import { createProgramCache } from '../../src/rehearsal/programCache.ts';
import { createTurn } from '../../src/rehearsal/turn.ts';
import type { AccountFact, Chain } from '../../src/rpc/types.ts';
import { LOADER_V3_PROGRAM } from '../../src/transaction/programs.ts';
import { eventually } from '../eventually.ts';
import { Home } from '../execution/home.ts';
import { ended } from '../execution/real.ts';
import { configRequest } from '../execution/requests.ts';
import { testKey } from '../transaction/keys.ts';
import { built, rehearsed } from './scene.ts';

let home: Home;
let plan: Plan;
beforeAll(async () => {
  home = await Home.start();
  plan = await built(home, 'feeShareConfig', await configRequest(home, 20));
});
afterAll(() => ended(home));

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates a player whose process runs this script instead. */
function playing(script: string) {
  const file = join(temporary(), 'child.mjs');
  writeFileSync(file, script);
  const player = createPlayer(file);
  onTestFinished(() => player.close());
  return player;
}

const answering = (stages: string) =>
  `process.on('message', (job) => process.send(job === 'features' ? { features: [] } : { stages: ${stages} }))`;
const EMPTY: Job = { inactive: [], accounts: [], stages: [] };
const unhurried = new AbortController().signal;

describe('the rehearsal process', () => {
  test('has no environment, and can neither read the home, write a file nor start a process', async () => {
    const player = playing(`
      import fs from 'node:fs';
      import { spawnSync } from 'node:child_process';
      const tried = (f) => { try { f(); return 'done'; } catch (error) { return error.code; } };
      process.on('message', () => process.send({ stages: [
        Object.keys(process.env).length,
        tried(() => fs.readdirSync(${JSON.stringify(homedir())})),
        tried(() => fs.readFileSync('/etc/passwd')),
        tried(() => fs.writeFileSync(${JSON.stringify(join(tmpdir(), 'written'))}, 'x')),
        tried(() => spawnSync('true')),
      ] }));`);
    const denied = 'ERR_ACCESS_DENIED';
    expect(await player.play(EMPTY, unhurried)).toEqual([0, denied, denied, denied, denied]);
  });

  /** Returns whether a child process of this test runs the script. */
  const isRunning = (file: string): boolean =>
    execFileSync('ps', ['--ppid', `${process.pid}`, '-o', 'args='])
      .toString()
      .includes(file);

  test('exits 30 seconds after its last rehearsal and starts again for the next', async () => {
    const file = join(temporary(), 'child.mjs');
    writeFileSync(file, answering('[]'));
    const player = createPlayer(file);
    onTestFinished(() => player.close());
    for (let i = 0; i < 2; i++) {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        await player.play(EMPTY, unhurried);
        vi.advanceTimersByTime(29_000);
        await player.play(EMPTY, unhurried);
        vi.advanceTimersByTime(29_000);
        expect(isRunning(file)).toBe(true);
        vi.advanceTimersByTime(1_000);
      } finally {
        vi.useRealTimers();
      }
      await eventually(async () => expect(isRunning(file)).toBe(false));
    }
  });

  test('refuses a copy that needs more than 300 MB and runs the next one in another process', async () => {
    const player = createPlayer();
    onTestFinished(() => player.close());
    const account = (i: number): CopiedAccount => ({
      ...{
        address: testKey(`large ${i}`).address,
        lamports: 1n,
        owner: LOADER_V3_PROGRAM,
        executable: false,
      },
      data: new Uint8Array(10_000_000),
    });
    const accounts = Array.from({ length: 14 }, (_, i) => account(i));
    await expect(player.play({ ...EMPTY, accounts }, unhurried)).rejects.toThrow();
    expect(await player.play({ ...EMPTY, accounts: accounts.slice(0, 1) }, unhurried)).toEqual([]);
  });

  test.each([
    ['that hangs', 'process.on("message", () => { for (;;); });', 'runtime'],
    ['that crashes', 'process.on("message", () => process.abort());', 'runtime'],
    ['that crashes during execution', `${answering('process.abort()')}`, 'broken'],
    ['that executes no stage', `${answering('[]')}`, 'broken'],
  ])('does not rehearse %s', async (_, script, reason) => {
    const fact = await rehearsed(home, plan, { player: playing(script), ms: 3_000 });
    expect(fact.status).toBe('impossible');
    expect([reason, 'time']).toContain(fact.status === 'impossible' ? fact.reason : '');
  });

  test('is killed when it takes too long', async () => {
    const pids = join(temporary(), 'pid');
    const player = playing(
      `process.on('message', () => { for (;;); }); process.title = ${JSON.stringify(pids)};`,
    );
    expect(await rehearsed(home, plan, { player, ms: 1_000 })).toEqual({
      status: 'impossible',
      reason: 'time',
    });
    await eventually(async () => {
      expect(execFileSync('ps', ['ax', '-o', 'args']).toString()).not.toContain(pids);
    });
  });
});

describe('an RPC', () => {
  type Change = (account: AccountFact, call: number) => AccountFact;
  /** Rehearses over an RPC with changed accounts or slots. */
  const over = (change: Change, slots: (slot: number, call: number) => number = (slot) => slot) => {
    let calls = 0;
    const chain: Pick<Chain, 'accounts'> = {
      accounts: async (...args) => {
        const { slot, value } = await home.deps.chain.accounts(...args);
        calls += 1;
        return { slot: slots(slot, calls), value: value.map((each) => change(each, calls)) };
      },
    };
    return rehearsed(home, plan, { chain });
  };
  const same: Change = (account) => account;
  const isCode = ({ data }: AccountFact) => data.length > 1000 && Buffer.from(data, 'base64')[0] === 3;

  test('that responds: the plan is rehearsed on the state of its slot', async () => {
    expect(await over(same)).toMatchObject({ status: 'done', slot: expect.any(Number) });
  });

  test('whose views are slots apart is asked again, and then nothing is rehearsed', async () => {
    const apart = (slot: number, call: number) => slot + 100 * call;
    expect(await over(same, apart)).toEqual({ status: 'impossible', reason: 'views' });
  });

  test.each<[string, Change]>([
    ['cuts a program', (a) => (isCode(a) ? { ...a, data: a.data.slice(0, 4000) } : a)],
    ['gives code another owner', (a) => (isCode(a) ? { ...a, owner: home.wallet } : a)],
    ['calls a program another kind of account', (a) => (a.executable ? { ...a, owner: home.wallet } : a)],
  ])('that %s: no rehearsal', async (_, change) => {
    expect(await over(change)).toMatchObject({ status: 'impossible' });
  });

  test('that sends more than the limit: no rehearsal', async () => {
    const large = Buffer.alloc(33 * 1024 * 1024).toString('base64');
    const fact = await over((a) => (a.address === home.wallet ? { ...a, data: large } : a));
    expect(fact).toEqual({ status: 'impossible', reason: 'size' });
  });

  test('that does not respond: no rehearsal', async () => {
    const chain = { accounts: () => new Promise<never>(() => {}) };
    expect(await rehearsed(home, plan, { chain, ms: 500 })).toEqual({ status: 'impossible', reason: 'time' });
  });
});

describe('program code', () => {
  const program = 'FeeShare11111111111111111111111111111111111';

  test('is cached by address and slot, and a modified file is not used', () => {
    const folder = join(temporary(), 'programs');
    createProgramCache(folder).put(program, 7, Uint8Array.of(1, 2, 3));
    expect(createProgramCache(folder).get(program, 7)).toEqual(Uint8Array.of(1, 2, 3));
    expect(createProgramCache(folder).get(program, 8)).toBeUndefined();
    const [name = ''] = readdirSync(folder);
    writeFileSync(join(folder, name), Uint8Array.of(1, 2, 4));
    expect(createProgramCache(folder).get(program, 7)).toBeUndefined();
  });

  test('is replaced by that of the next deployment', () => {
    const folder = join(temporary(), 'programs');
    const cache = createProgramCache(folder);
    cache.put(program, 7, Uint8Array.of(1));
    cache.put(program, 8, Uint8Array.of(2));
    expect(readdirSync(folder)).toHaveLength(1);
    expect(createProgramCache(folder).get(program, 8)).toEqual(Uint8Array.of(2));
  });

  test('is fetched once: the next rehearsal reads its first bytes only', async () => {
    const cache = createProgramCache(join(temporary(), 'programs'));
    const fetched: number[] = [];
    const chain: Pick<Chain, 'accounts'> = {
      accounts: async (...args) => {
        const answer = await home.deps.chain.accounts(...args);
        fetched.push(answer.value.reduce((sum, { data }) => sum + data.length, 0));
        return answer;
      },
    };
    expect(await rehearsed(home, plan, { chain, cache })).toMatchObject({ status: 'done' });
    const first = fetched.splice(0).reduce((a, b) => a + b, 0);
    expect(await rehearsed(home, plan, { chain, cache })).toMatchObject({ status: 'done' });
    const second = fetched.reduce((a, b) => a + b, 0);
    expect(second).toBeLessThan(first);
  });
});

describe('rehearsals of one home', () => {
  test('take turns across processes', async () => {
    const lock = join(temporary(), 'lock');
    const running: string[] = [];
    const work = (name: string) => async () => {
      running.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      running.push(`${name} ends`);
    };
    const [one, other] = [createTurn(lock), createTurn(lock)];
    await Promise.all([one(unhurried, work('a')), other(unhurried, work('b')), one(unhurried, work('c'))]);
    expect(running).toHaveLength(6);
    for (const [i, line] of running.entries())
      if (i % 2 === 1) expect(line.split(' ')[0]).toBe(running[i - 1]?.split(' ')[0]);
  });

  test('proceed without one if their turn does not come', async () => {
    const lock = join(temporary(), 'lock');
    writeFileSync(lock, '');
    const fact = await rehearsed(home, plan, { turn: createTurn(lock), ms: 400 });
    expect(fact).toEqual({ status: 'impossible', reason: 'time' });
  });

  test('do not wait for one whose process ended half a minute ago', async () => {
    const lock = join(temporary(), 'lock');
    writeFileSync(lock, '');
    const then = Date.now() / 1000 - 30;
    utimesSync(lock, then, then);
    expect(await rehearsed(home, plan, { turn: createTurn(lock) })).toMatchObject({ status: 'done' });
  });
});
