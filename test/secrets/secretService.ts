/** Real Linux keychain: a private session bus and gnome-keyring in a temporary folder. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { callKeychain } from '../../src/secrets/stores/keychainProcess.ts';
import { HANGS_MS } from '../eventually.ts';
import { temporaryFolder } from './temporaryHome.ts';

/** Password of the keyring. */
export const PASSWORD = 'the login password';

function has(binary: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${binary}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Required programs that are not installed; any missing one skips its tests with a reason. */
export const missing = ['dbus-daemon', 'gnome-keyring-daemon'].filter((binary) => !has(binary));
if (missing.length > 0) {
  process.stderr.write(
    `The keychain is not tested against a real one: ${missing.join(' and ')} not installed.\n`,
  );
}

export interface SecretService {
  /** Environment of a client process. */
  readonly env: Record<string, string | undefined>;
  /** Restarts the keyring; locked without a password. */
  startKeyring(password: string | undefined): Promise<void>;
  stopKeyring(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  end(): Promise<void>;
}

/** Starts the bus and an unlocked keyring. */
export async function startSecretService(): Promise<SecretService> {
  const folder = temporaryFolder();
  const address = `unix:path=${folder.path}/bus`;
  for (const name of ['data', 'run']) mkdirSync(join(folder.path, name), { mode: 0o700 });
  const env = {
    PATH: process.env.PATH,
    HOME: folder.path,
    XDG_DATA_HOME: join(folder.path, 'data'),
    XDG_RUNTIME_DIR: join(folder.path, 'run'),
    DBUS_SESSION_BUS_ADDRESS: address,
  };
  let keyring: ChildProcess | undefined;

  async function startKeyring(password: string | undefined): Promise<void> {
    const unlock = password === undefined ? [] : ['--unlock'];
    keyring = spawn('gnome-keyring-daemon', ['--foreground', '--components=secrets', ...unlock], {
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    keyring.stdin?.end(password);
    // The keyring does not report readiness; without service files its bus name appears only then.
    for (let tries = 0; tries < 100; tries++) {
      const answered = await callKeychain({
        action: 'get',
        service: 'countersign',
        name: 'ready',
        env,
        timeoutMs: HANGS_MS,
      }).then(
        () => true,
        () => false,
      );
      if (answered) return;
    }
    throw new Error('The keyring daemon did not start.');
  }

  // No service files: the bus must not start another keyring.
  const config = `<busconfig><type>session</type><listen>${address}</listen><policy context="default">
      <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`;
  folder.write('bus.conf', config);
  const bus = spawn(
    'dbus-daemon',
    [`--config-file=${join(folder.path, 'bus.conf')}`, '--nofork', '--print-address=1'],
    { env, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  await new Promise((resolve) => bus.stdout.once('data', resolve));
  await startKeyring(PASSWORD);
  return {
    env,
    startKeyring,
    stopKeyring: () => stop(keyring),
    signal: (name) => void keyring?.kill(name),
    end: async () => {
      await stop(keyring);
      await stop(bus);
      folder.remove();
    },
  };
}

async function stop(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
