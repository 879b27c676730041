/** Opens a file in the person's browser with the platform's opener. Its only argument is the file's path. */
import { spawn } from 'node:child_process';
import type { Environment } from '../../secrets/home.ts';

/** Returns the opener and its arguments; `undefined` without a screen or if opening is disabled. */
export function openerFor(
  platform: NodeJS.Platform,
  env: Environment,
  file: string,
): { readonly command: string; readonly args: readonly string[] } | undefined {
  if (env.COUNTERSIGN_NO_BROWSER) return undefined;
  if (platform === 'darwin') return { command: 'open', args: [file] };
  if (platform === 'win32') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler', file] };
  return env.DISPLAY || env.WAYLAND_DISPLAY ? { command: 'xdg-open', args: [file] } : undefined;
}

/** Secrets of this process, which a browser must not inherit (T61). */
const SECRET = /^(COUNTERSIGN_|PGPASSWORD$)/i;

/** Opens a file; returns `false` if there is no opener. A browser that fails to start is ignored. */
export function openInBrowser(file: string, env: Environment): boolean {
  const opener = openerFor(process.platform, env, file);
  if (opener === undefined) return false;
  const child = spawn(opener.command, [...opener.args], {
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET.test(name))),
    detached: true,
    stdio: 'ignore',
  });
  child.on('error', () => undefined);
  child.unref();
  return true;
}
