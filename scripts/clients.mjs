/**
 * `npm run clients`: agent frameworks from elsewhere against the built command. Installs `clients/` from its lock file,
 * checks its types and runs its tests. Some frameworks need a newer Node than Countersign does; where this one is older, npm
 * fetches one for the run. `npm run clients -- --installed` leaves out the installation.
 */
import { spawnSync } from 'node:child_process';

/** Minimum Node.js version for the packages of `clients/package.json`. */
const NEEDED = [22, 13];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const old = major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1]);
if (old) console.log(`Node ${process.versions.node} is too old for some frameworks: Node 24 runs them.`);

/** Runs a command with a sufficient Node.js version; exits with its code when it fails. */
function step(reason, command, args) {
  const [program, ...rest] = old ? ['npx', '-y', '-p', 'node@24', command, ...args] : [command, ...args];
  const { status, error } = spawnSync(program, rest, { stdio: 'inherit' });
  if (status === 0) return;
  console.error(`${reason}${error === undefined ? '' : `: ${error.message}`}`);
  process.exit(status || 1);
}

if (!process.argv.includes('--installed')) {
  const install = [
    'ci',
    '--prefix',
    'clients',
    '--ignore-scripts',
    '--omit=optional',
    '--no-audit',
    '--no-fund',
  ];
  step('No framework was tried: clients/ could not be installed', 'npm', install);
}
step('The types of clients/ do not hold', 'node', [
  'node_modules/typescript/bin/tsc',
  '-p',
  'clients/tsconfig.json',
]);
const tests = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'clients/vitest.config.ts'];
step('Not every framework can use the server', 'node', tests);
