import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS, type Client, type ClientId } from '../../src/cli/setup/clients.ts';
import { setupCommand } from '../../src/cli/setup/setup.ts';
import { recorded, temporaryFolder } from './setup/terminal.ts';

const client = (id: ClientId): Client => {
  const found = CLIENTS.find((each) => each.id === id);
  if (found === undefined) throw new Error(id);
  return found;
};
const fileOf = (id: ClientId, userHome: string): string =>
  client(id).file({ env: {}, platform: process.platform, userHome });
const put = (path: string, text: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
};
const json = (path: string): Record<string, Record<string, unknown>> =>
  JSON.parse(readFileSync(path, 'utf8'));

describe('countersign setup', () => {
  it('prints the changes for every client and writes nothing', async () => {
    const { input, out, userHome } = recorded([]);
    expect(await setupCommand(input)).toBe(0);
    for (const { title } of CLIENTS) expect(out()).toContain(`${title}: ${userHome}`);
    expect(out()).toContain('+         "--sandbox"');
    expect(readdirSync(userHome)).toEqual([]);
  });

  it('writes the printed changes in a form each client reads', async () => {
    const names = CLIENTS.map((each) => each.id);
    const dry = recorded([...names]);
    await setupCommand(dry.input);
    const wet = recorded([...names], { write: true }, { HOME: dry.userHome });
    expect(await setupCommand(wet.input)).toBe(0);
    const args = ['-y', expect.stringMatching(/^countersign@\d/), 'serve', '--sandbox'];
    expect(json(fileOf('claude-desktop', dry.userHome)).mcpServers?.countersign).toEqual({
      command: 'npx',
      args,
    });
    expect(json(fileOf('cursor', dry.userHome)).mcpServers?.countersign).toEqual({ command: 'npx', args });
    for (const [id, key] of [
      ['claude-code', 'mcpServers'],
      ['vscode', 'servers'],
    ] as const) {
      expect(json(fileOf(id, dry.userHome))[key]?.countersign).toEqual({
        type: 'stdio',
        command: 'npx',
        args,
      });
    }
    const plus = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('  + '));
    expect(plus(wet.out())).toEqual(plus(dry.out()));
    expect(
      plus(dry.out())
        .map((line) => line.slice(4))
        .join('\n'),
    ).toContain(readFileSync(fileOf('cursor', dry.userHome), 'utf8').trimEnd());
  });

  it('keeps other servers and a copy of the original file', async () => {
    const { input, out, userHome } = recorded(['claude-desktop'], { write: true });
    const before =
      '{ "mcpServers": { "other": { "command": "x", "env": { "KEY": "s3cret-of-another" } } }, "theme": "dark" }';
    const path = put(fileOf('claude-desktop', userHome), before);
    expect(await setupCommand(input)).toBe(0);
    expect(json(path)).toMatchObject({
      mcpServers: {
        other: { command: 'x', env: { KEY: 's3cret-of-another' } },
        countersign: { command: 'npx' },
      },
      theme: 'dark',
    });
    expect(readFileSync(`${path}.before-countersign`, 'utf8')).toBe(before);
    expect(out()).not.toContain('s3cret-of-another');
  });

  it('changes nothing on the second run and never overwrites the first copy', async () => {
    const first = recorded(['cursor'], { write: true });
    const path = put(fileOf('cursor', first.userHome), '{}');
    await setupCommand(first.input);
    const written = readFileSync(path, 'utf8');
    const second = recorded(['cursor'], { write: true }, { HOME: first.userHome });
    await setupCommand(second.input);
    expect(second.out()).toContain('already configured');
    expect(readFileSync(path, 'utf8')).toBe(written);
    const third = recorded(['cursor'], { write: true, 'read-only': true }, { HOME: first.userHome });
    await setupCommand(third.input);
    expect(readFileSync(`${path}.before-countersign`, 'utf8')).toBe('{}');
    expect(readFileSync(`${path}.before-countersign-2`, 'utf8')).toBe(written);
  });

  it('keeps comments in the VS Code file', async () => {
    const { input, userHome } = recorded(['vscode'], { write: true });
    const path = put(
      fileOf('vscode', userHome),
      '{\n  // mine\n  "servers": {\n    "a": {}, // this too\n  },\n}\n',
    );
    expect(await setupCommand(input)).toBe(0);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain('  // mine\n');
    expect(text).toContain('"a": {}, // this too\n  },');
    expect(text).toContain('  "servers": {\n    "countersign": {');
  });

  it('leaves an unparsable file unchanged and prints the entry instead', async () => {
    const { input, out, userHome } = recorded(['cursor'], { write: true });
    const broken = '{ "mcpServers": { "a": {} // half';
    const path = put(fileOf('cursor', userHome), broken);
    expect(await setupCommand(input)).toBe(1);
    expect(readFileSync(path, 'utf8')).toBe(broken);
    expect(readdirSync(dirname(path))).toEqual(['mcp.json']);
    expect(out()).toContain('was not changed');
    expect(out()).toContain('"countersign": {');
  });

  it('without client names writes only for installed clients', async () => {
    const { input, err, userHome } = recorded([], { write: true });
    mkdirSync(join(userHome, '.cursor'));
    expect(await setupCommand(input)).toBe(0);
    expect(existsSync(fileOf('cursor', userHome))).toBe(true);
    expect(existsSync(fileOf('vscode', userHome))).toBe(false);
    expect(err()).toContain('VS Code: not found here');
  });

  it('follows a link to the real file and keeps its mode', async () => {
    const { input, userHome } = recorded(['cursor'], { write: true });
    const real = put(join(temporaryFolder(), 'dotfiles.json'), '{}');
    mkdirSync(join(userHome, '.cursor'));
    symlinkSync(real, fileOf('cursor', userHome));
    await setupCommand(input);
    expect(json(real)).toHaveProperty('mcpServers.countersign');
    expect(statSync(real).mode & 0o777).toBe(0o644);
  });

  it('passes live options with absolute paths and never writes a secret RPC URL', async () => {
    const rpcUrl = 'https://rpc.example.com/v2/9fQx7LkT2mZp4RsV8wYb6NcD';
    const options = {
      write: true,
      live: true,
      'rpc-url': rpcUrl,
      policy: 'policy.json',
      'root-url': 'https://api.example.com',
    };
    const { input, out, err, userHome } = recorded(['claude-code', 'cursor', 'claude-desktop'], options);
    await setupCommand(input);
    const entry = json(fileOf('claude-code', userHome)).mcpServers?.countersign;
    expect(entry).toMatchObject({
      args: expect.arrayContaining([
        '--live',
        '--root-url',
        'https://api.example.com',
        '--policy',
        join(process.cwd(), 'policy.json'),
      ]),
      env: { COUNTERSIGN_RPC_URL: `\${COUNTERSIGN_RPC_URL}` },
    });
    expect(json(fileOf('cursor', userHome))).toHaveProperty(
      'mcpServers.countersign.env.COUNTERSIGN_RPC_URL',
      `\${env:COUNTERSIGN_RPC_URL}`,
    );
    expect(json(fileOf('claude-desktop', userHome))).not.toHaveProperty('mcpServers.countersign.env');
    const everything = readdirSync(userHome, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => readFileSync(join(each.parentPath, each.name), 'utf8'));
    for (const text of [out(), err(), ...everything]) expect(text).not.toContain('9fQx7LkT2mZp4RsV8wYb6NcD');
    expect(err()).toContain('COUNTERSIGN_RPC_URL where the client is started');
  });

  it("keeps a person's additions to our entry", async () => {
    const { input, userHome } = recorded(['cursor'], { write: true });
    const path = put(
      fileOf('cursor', userHome),
      JSON.stringify({
        mcpServers: {
          countersign: { command: 'old', args: ['x'], env: { COUNTERSIGN_HOME: '/h' }, disabled: true },
        },
      }),
    );
    await setupCommand(input);
    expect(json(path).mcpServers?.countersign).toMatchObject({
      command: 'npx',
      env: { COUNTERSIGN_HOME: '/h' },
      disabled: true,
    });
  });

  it('starts a checkout by its path, and an npx package through cmd on Windows', async () => {
    const { serverStart } = await import('../../src/cli/setup/start.ts');
    const base = { options: {}, node: '/usr/bin/node', version: '1.2.3' };
    expect(
      serverStart({ ...base, script: '/src/countersign/dist/countersign.js', platform: 'linux' }),
    ).toMatchObject({
      command: '/usr/bin/node',
      args: ['/src/countersign/dist/countersign.js', 'serve', '--sandbox'],
    });
    expect(
      serverStart({
        ...base,
        script: 'C:\\npm\\node_modules\\countersign\\dist\\countersign.js',
        platform: 'win32',
      }),
    ).toMatchObject({ command: 'cmd', args: ['/c', 'npx', '-y', 'countersign@1.2.3', 'serve', '--sandbox'] });
  });

  it.each([
    ['linux', {}, '/home/p/.config/Claude/claude_desktop_config.json', '/home/p/.config/Code/User/mcp.json'],
    ['linux', { XDG_CONFIG_HOME: '/c' }, '/c/Claude/claude_desktop_config.json', '/c/Code/User/mcp.json'],
    [
      'darwin',
      {},
      '/home/p/Library/Application Support/Claude/claude_desktop_config.json',
      '/home/p/Library/Application Support/Code/User/mcp.json',
    ],
    [
      'win32',
      { APPDATA: 'C:\\A' },
      'C:\\A\\Claude\\claude_desktop_config.json',
      'C:\\A\\Code\\User\\mcp.json',
    ],
  ] as const)('finds the files of Claude Desktop and VS Code on %s', (platform, env, desktop, code) => {
    const place = { env, platform, userHome: '/home/p' };
    expect(client('claude-desktop').file(place)).toBe(desktop);
    expect(client('vscode').file(place)).toBe(code);
  });

  it('lists supported clients if asked for another', async () => {
    const { input } = recorded(['notepad']);
    await expect(setupCommand(input)).rejects.toMatchObject({
      hint: expect.stringContaining('claude-desktop'),
    });
  });
});
