/** Performs "Add a tool in ten minutes" of CONTRIBUTING.md. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WalkThrough } from './walkThrough.ts';

const walk = new WalkThrough('Add a tool');

describe('the ten minutes of CONTRIBUTING.md', () => {
  beforeAll(() => walk.open());
  afterAll(() => walk.close());

  it('can be performed as written, tests included', () => {
    walk.perform();
    expect(walk.read('docs/tools.md')).toContain('### `get_wallet_share`');
    expect(walk.read('src/server/catalogue.generated.json')).toContain('get_wallet_share');
  });

  it('leaves formatted and linted files', () => {
    walk.checkWritten();
  });

  it('adds a working tool that clients see on request', () => {
    writeFileSync(
      join(walk.copy, 'try.ts'),
      [
        "import { createCountersign } from './src/index.ts';",
        "const countersign = createCountersign({ toolsets: ['launch', 'extra'] });",
        "const feed = await countersign.callTool('get_launch_feed');",
        'const launches = Object.values(feed.structuredContent).find(Array.isArray) ?? [];',
        'const tokenMint = launches[0].tokenMint;',
        "const creators = (await countersign.callTool('get_launch_creators', { tokenMint })).structuredContent.creators;",
        'const wallet = creators[0].wallet;',
        "const { structuredContent } = await countersign.callTool('get_wallet_share', { tokenMint, wallet });",
        'const offered = (toolsets) => createCountersign(toolsets).listTools().map(({ name }) => name);',
        'await countersign.close();',
        'const told = { ...structuredContent, royaltyBps: creators[0].royaltyBps, byDefault: offered({}).length };',
        'process.stdout.write(JSON.stringify(told));',
      ].join('\n'),
    );
    const result: Record<string, unknown> = JSON.parse(
      walk.run(process.execPath, ['scripts/run.mjs', 'try.ts']),
    );
    expect(result).toMatchObject({ mode: 'sandbox', shareBps: result.royaltyBps, byDefault: 39 });
  });
});
