/**
 * A test runner for Stryker that keeps the tests in one process. Each test file is bundled once with the instrumented
 * source; for every mutant the bundle is evaluated anew (so that nothing a mutant left in a cache is seen by the
 * next) and the tests that reach the mutant run until one fails. Evaluation takes milliseconds; starting a test runner
 * takes most of a second, and there are ten thousand mutants.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { build } from 'esbuild';
import { collector, runTest } from './shim.mjs';
import { testFiles } from './tests.mjs';

/** Resolves dynamic imports of a bundle with the default loader. */
const loader = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;

class OneProcessRunner {
  #files = [];
  /** State read by instrumented code: active mutant and running test. */
  #namespace = {};
  #require = createRequire(resolve('package.json'));

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] = this.#namespace;
    for (const name of testFiles) {
      const file = resolve(name);
      const { outputFiles } = await build({
        entryPoints: [file],
        bundle: true,
        write: false,
        packages: 'external',
        platform: 'node',
        format: 'cjs',
        target: 'node22',
        logLevel: 'error',
        plugins: [ownAddress],
      });
      // A required package is a module whose default export is its default export.
      const text = outputFiles[0].text.replaceAll(
        /__toESM\(require\(("[^"]+")\), 1\)/g,
        '__toESM(require($1))',
      );
      const code = `(function (require, module, exports) {${text}\n})`;
      this.#files.push({
        file,
        script: new Script(code, { filename: file, importModuleDynamically: loader }),
        ms: 0,
      });
    }
  }

  /** Evaluates a test file; returns the tests it declares. */
  #load({ file, script }) {
    const { tests, api } = collector(file);
    const require = (id) => (id === 'vitest' ? api : this.#require(id));
    script.runInThisContext()(require, { exports: {} }, {});
    return tests;
  }

  async dryRun({ testFiles: only }) {
    const state = this.#namespace;
    state.activeMutant = undefined;
    const results = [];
    for (const each of this.#files) {
      if (only?.length > 0 && !only.some((name) => resolve(name) === each.file)) continue;
      state.currentTestId = undefined;
      const begun = performance.now();
      for (const test of this.#load(each)) {
        state.currentTestId = test.id;
        results.push(await attempt(test));
      }
      each.ms = performance.now() - begun;
    }
    state.currentTestId = undefined;
    this.#files.sort((a, b) => a.ms - b.ms);
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage: state.mutantCoverage };
  }

  async mutantRun({ testFilter, activeMutant, hitLimit }) {
    const state = this.#namespace;
    state.activeMutant = activeMutant.id;
    state.hitCount = 0;
    state.hitLimit = hitLimit;
    const wanted = testFilter === undefined ? undefined : new Set(testFilter);
    const reached = (file) => testFilter === undefined || testFilter.some((id) => id.startsWith(`${file}#`));
    const results = [];
    try {
      for (const each of this.#files.filter(({ file }) => reached(file))) {
        for (const test of this.#load(each)) {
          if (wanted !== undefined && !wanted.has(test.id)) continue;
          results.push(await attempt(test));
          if (results.at(-1).status === TestStatus.Failed) return this.#result(results, hitLimit);
        }
      }
      return this.#result(results, hitLimit);
    } catch (error) {
      // The mutant makes a module fail to load.
      return toMutantRunResult({ status: DryRunStatus.Error, errorMessage: String(error) });
    } finally {
      state.activeMutant = undefined;
    }
  }

  #result(tests, hitLimit) {
    const timeout = determineHitLimitReached(this.#namespace.hitCount, hitLimit);
    return toMutantRunResult(timeout ?? { status: DryRunStatus.Complete, tests });
  }
}

async function attempt(test) {
  const begun = performance.now();
  const { id, name, file: fileName } = test;
  const said = (more) => ({ id, name, fileName, timeSpentMs: performance.now() - begun, ...more });
  try {
    await runTest(test);
    return said({ status: TestStatus.Success });
  } catch (error) {
    return said({ status: TestStatus.Failed, failureMessage: String(error?.stack ?? error) });
  }
}

/** Preserves `import.meta.url` and `import.meta.dirname` of bundled files. */
const ownAddress = {
  name: 'own-address',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]test[/\\].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const url = JSON.stringify(pathToFileURL(path).href);
      const folder = JSON.stringify(dirname(path));
      const contents = text.replaceAll('import.meta.url', url).replaceAll('import.meta.dirname', folder);
      return { contents, loader: 'ts' };
    });
  },
};

const create = () => new OneProcessRunner();
create.inject = [];

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'one-process', create)];
