/**
 * The service's own client, unmodified, against the sandbox in its profile. The setup page lists the calls that do not work,
 * with the client's error; all others must work.
 */
import { readFileSync } from 'node:fs';
import * as official from '@bagsfm/bags-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callsOf } from './calls.ts';
import { type OfficialScene, officialScene } from './scene.ts';

const section = /^## The service's own client$.*?^## /ms;
const [text = ''] = section.exec(readFileSync('docs/setup.md', 'utf8')) ?? [];
/** Calls that do not work, with the reason. */
const page = new Map(
  [...text.matchAll(/^\| `([\w.]+)`( \([^)]+\))? \| (.+) \|$/gm)].map(
    ([, name = '', variant = '', says = '']) => [`${name}${variant}`, says],
  ),
);

/** Methods that ask nothing of the service: they hand out what the client is made of. */
const LOCAL = /\.get(BagsApiClient|\w+Program|Connection|Commitment)$/;

describe("the service's own client", () => {
  let scene: OfficialScene;
  let calls: ReturnType<typeof callsOf>;
  beforeAll(async () => {
    scene = await officialScene();
    calls = callsOf(scene);
  });
  afterAll(() => scene.stop());

  it('has every method in the table, and every row of the table is tried', () => {
    const methods = Object.entries(scene.sdk)
      .filter(([name]) => name !== 'bagsApiClient')
      .flatMap(([service, value]) =>
        Object.getOwnPropertyNames(Object.getPrototypeOf(value))
          .filter((method) => method !== 'constructor')
          .map((method) => `${service}.${method}`),
      )
      .filter((method) => !LOCAL.test(method));
    const names = Object.keys(calls);
    const tried = new Set(names.map((name) => name.replace(/ \(.*/, '')));
    expect(methods.filter((method) => !tried.has(method))).toEqual([]);
    for (const name of tried) {
      if (!name.includes('.')) expect(official).toHaveProperty([name], expect.any(Function));
    }
    expect(text).toContain(`${names.length - page.size} of ${names.length} calls work.`);
    expect([...page.keys()].filter((name) => !names.includes(name))).toEqual([]);
  });

  it('does with each call what the page says', async () => {
    const differing: string[] = [];
    for (const [name, run] of Object.entries(calls)) {
      const says = page.get(name) ?? 'works';
      const failure = await run().then(
        () => undefined,
        (error: Error) => error,
      );
      const told = failure === undefined ? says === 'works' : says.startsWith(`\`${failure.message}\`: `);
      if (!told) differing.push(`${name}: the page says "${says}", and it ${failure?.stack ?? 'works'}`);
    }
    expect(differing).toEqual([]);
  });
});
