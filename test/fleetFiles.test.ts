/** Compose files, including examples/fleet: valid options and principals, and a sufficient stop grace period. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { MORE_SETTINGS, OPTIONS, variableOf } from '../src/cli/options.ts';
import { policyTemplate } from '../src/review/templates/templates.ts';
import { readPrincipals } from '../src/runtime/principals/file.ts';
import { helpOf, readCommandLine } from './cli/commandLine.ts';
import { someAddress } from './e2e/harness.ts';

const host = z.object({
  image: z.string(),
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  volumes: z.array(z.string()),
  stop_grace_period: z.string(),
  healthcheck: z.object({ test: z.array(z.string()) }),
});
const compose = z
  .object({ services: z.record(z.string(), z.unknown()), volumes: z.record(z.string(), z.unknown()) })
  .parse(parse(readFileSync('examples/fleet/compose.yaml', 'utf8'), { merge: true }));
const hosts = Object.entries(compose.services)
  .filter(([name]) => name.startsWith('host-'))
  .map(([, service]) => host.parse(service));

test('start three hosts with options and variables that serve accepts, over one PostgreSQL', () => {
  expect(hosts.length).toBe(3);
  expect(Object.keys(compose.services)).toContain('postgres');
  for (const { command, environment } of hosts) {
    const line = readCommandLine(command, {});
    expect(line).toMatchObject({ command: 'serve', words: [], options: { live: true, http: true } });
    const help = helpOf('serve', 100);
    for (const option of command.slice(1)) expect(help).toContain(option.split('=')[0]);
    expect(environment[variableOf('ledger')]).toMatch(/^postgres:\/\/countersign@postgres\//);
    expect(environment[variableOf('rpc-url')]).toContain('COUNTERSIGN_RPC_URL');
  }
});

/** Keys of a Compose service used here; Compose rejects misspelt keys. */
const SERVICE_KEYS = [
  ...['image', 'build', 'command', 'environment', 'volumes', 'depends_on', 'healthcheck', 'profiles'],
  ...['network_mode', 'stdin_open', 'stop_grace_period', 'restart', 'read_only', 'cap_drop', 'security_opt'],
];
/** Secrets have no option; they come from the environment only. */
const SECRETS = ['COUNTERSIGN_PASSPHRASE', 'COUNTERSIGN_API_KEY', 'COUNTERSIGN_JWT'];

test.each(['compose.yaml', 'examples/fleet/compose.yaml'])(
  '%s uses only keys, options, variables, volumes and services known to Compose and the commands',
  (path) => {
    const file = z
      .object({
        services: z.record(z.string(), z.record(z.string(), z.unknown())),
        volumes: z.record(z.string(), z.unknown()),
      })
      .parse(parse(readFileSync(path, 'utf8'), { merge: true }));
    const names = Object.keys(file.services);
    const variables = [...Object.keys({ ...OPTIONS, ...MORE_SETTINGS }).map(variableOf), ...SECRETS];
    for (const service of Object.values(file.services)) {
      expect(Object.keys(service).filter((key) => !SERVICE_KEYS.includes(key))).toEqual([]);
      for (const other of Object.keys(z.record(z.string(), z.unknown()).parse(service.depends_on ?? {})))
        expect(names).toContain(other);
      const network = /^service:(.+)$/.exec(String(service.network_mode ?? ''))?.[1];
      if (network !== undefined) expect(names).toContain(network);
      for (const volume of z.array(z.string()).parse(service.volumes ?? []))
        if (!volume.startsWith('.')) expect(Object.keys(file.volumes)).toContain(volume.split(':')[0]);
      if (service.image !== 'countersign') continue;
      const line = readCommandLine(z.array(z.string()).parse(service.command), {});
      const help = helpOf(line.command, 100);
      for (const given of z.array(z.string()).parse(service.command))
        if (given.startsWith('--')) expect(help).toContain(`${given.split('=')[0]} `);
      for (const variable of Object.keys(z.record(z.string(), z.unknown()).parse(service.environment ?? {})))
        if (variable.startsWith('COUNTERSIGN_')) expect(variables).toContain(variable);
    }
  },
);

test('share no home between hosts and contain no secret', () => {
  const homes = hosts.map(({ volumes }) => volumes.find((each) => each.endsWith(':/data')));
  expect(new Set(homes).size).toBe(3);
  for (const home of homes) expect(Object.keys(compose.volumes)).toContain(home?.split(':')[0]);
  for (const { environment } of hosts)
    for (const name of ['PGPASSWORD', 'COUNTERSIGN_PASSPHRASE', 'COUNTERSIGN_RPC_URL'])
      expect(environment[name]).toMatch(new RegExp(`^\\$\\{${name}:\\?`));
});

test('check the readiness of each host and allow it longer to stop than it needs', () => {
  for (const { healthcheck, stop_grace_period } of hosts) {
    expect(healthcheck.test.join(' ')).toContain('http://127.0.0.1:8787/readyz');
    expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(30);
  }
});

test('have one principals file, of the issuer that the hosts trust', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-fleet-'));
  try {
    const path = join(folder, 'principals.json');
    writeFileSync(path, readFileSync('examples/fleet/config/principals.json'), { mode: 0o600 });
    const policy = policyTemplate('trader', { wallet: someAddress(), network: someAddress() });
    writeFileSync(join(folder, 'trader.json'), JSON.stringify(policy), { mode: 0o600 });
    const { entries } = await readPrincipals(path);
    expect(entries[0]?.policyHash).toBeDefined();
    for (const { command } of hosts)
      for (const { is } of entries)
        for (const identity of is)
          expect(command).toContain(`--set=issuer=${'issuer' in identity ? identity.issuer : 'none'}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
