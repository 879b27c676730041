/**
 * Implements the part of vitest's API that the tests in tests.mjs use, run in order in one process: `describe`, `it`,
 * their `each`, hooks, and vitest's own matchers.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { format } from 'node:util';
import { JestAsymmetricMatchers, JestChaiExpect, JestExtend } from '@vitest/expect';
import * as chai from 'chai';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

let folder = '';
/** Cleanup callbacks of the running test. */
const atItsEnd = [];
chai.use(({ Assertion }) => {
  Assertion.addMethod('toMatchFileSnapshot', function toMatchFileSnapshot(name) {
    const approved = readFileSync(resolve(folder, name), 'utf8');
    if (this._obj !== approved) throw new Error(`not what ${name} says`);
  });
});
const asymmetric = globalThis[Symbol.for('asymmetric-matchers-object')];
const expect = Object.assign((value, message) => chai.expect(value, message), chai.expect, asymmetric);

/** Collects the tests and hooks that a test file declares. `file` is its path. */
export function collector(file) {
  folder = dirname(file);
  const tests = [];
  const names = new Map();
  let suite = { name: [], before: [], beforeEach: [], after: [] };
  // Vitest accepts options before or after the function; they are ignored here.
  const bodyOf = (given) => given.find((each) => typeof each === 'function');
  const each =
    (declare) =>
    (cases) =>
    (name, ...given) => {
      const run = bodyOf(given);
      for (const values of cases) {
        const list = Array.isArray(values) ? values : [values];
        const filled = name.replace(/\$(\w+)/g, (_, key) => String(list[0]?.[key]));
        declare(filled.includes('%') ? format(filled, ...list) : filled, () => run(...list));
      }
    };
  const describe = (name, body) => {
    const outer = suite;
    suite = {
      name: [...outer.name, name],
      before: [...outer.before],
      beforeEach: [...outer.beforeEach],
      after: [...outer.after],
    };
    body();
    suite = outer;
  };
  const it = (name, ...given) => {
    const run = bodyOf(given);
    const whole = [...suite.name, name].join(' > ');
    const times = (names.get(whole) ?? 0) + 1;
    names.set(whole, times);
    const id = `${file}#${whole}${times > 1 ? ` (${times})` : ''}`;
    tests.push({ id, name: whole, file, suite, run });
  };
  describe.each = each(describe);
  it.each = each(it);
  const api = {
    describe,
    it,
    test: it,
    expect,
    beforeAll: (run) => suite.before.push({ run, done: false }),
    beforeEach: (run) => suite.beforeEach.push(run),
    afterAll: (run) => suite.after.push(run),
    onTestFinished: (run) => atItsEnd.push(run),
  };
  return { tests, api };
}

/** Runs one test after its hooks. Rethrows the test's error. */
export async function runTest({ suite, run }) {
  for (const hook of suite.before) {
    if (hook.done) continue;
    hook.done = true;
    await hook.run();
  }
  for (const hook of suite.beforeEach) await hook();
  try {
    await run();
  } finally {
    for (const done of atItsEnd.splice(0)) await done();
  }
}
