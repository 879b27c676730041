/** Opens a file in the person's browser with the platform's own opener. The file's path is all that is in argv. */
import { spawn } from 'node:child_process';
import type { Environment } from '../../secrets/home.ts';

/** The opener and its arguments; `undefined` where there is no screen or a person said not to. */
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

/** Opens a file; `false` when there is nothing to open it with. A browser that fails to start changes nothing. */
export function openInBrowser(file: string, env: Environment): boolean {
  const opener = openerFor(process.platform, env, file);
  if (opener === undefined) return false;
  const child = spawn(opener.command, [...opener.args], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
  return true;
}
