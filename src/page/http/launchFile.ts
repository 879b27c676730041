/**
 * The file that opens the page: readable by this user only, it brings a one-time token to the local server. So the
 * token is in no argument list, no log, no result and no address.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../base/record.ts';
import { ensureHome } from '../../secrets/home.ts';
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../../secrets/privateFile.ts';
import { html } from './html.ts';

/** A page that opens by a file of its own, so that one never shuts out another. */
export interface LaunchFileKind {
  /** Name of the file in the home folder. */
  readonly file: string;
  /** What the file shows while the page opens. */
  readonly words: string;
}

const APPROVALS: LaunchFileKind = { file: 'approve.html', words: 'Opening your approvals.' };
export const LOGIN_LAUNCH_FILE: LaunchFileKind = { file: 'login.html', words: 'Opening the login.' };

/** Where the launch file of a home is. */
export const launchFilePath = (home: string, { file }: LaunchFileKind = APPROVALS): string =>
  join(home, file);

/** Writes the launch file, mode 0600. `target` is the address that takes the token. */
export function writeLaunchFile(
  home: string,
  target: string,
  token: string,
  kind: LaunchFileKind = APPROVALS,
): void {
  ensureHome(home);
  const document = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark"><title>Countersign</title></head>
<body><form method="post" action="${target}"><input type="hidden" name="token" value="${token}">
<p>${kind.words} <button>Open</button></p></form>
<script>document.forms[0].submit();</script></body></html>`;
  writePrivateFile(launchFilePath(home, kind), new TextEncoder().encode(document.text));
}

/** Removes the launch file once it was used, or when its server has stopped. */
export function removeLaunchFile(home: string, kind: LaunchFileKind = APPROVALS): void {
  if (existsSync(launchFilePath(home, kind))) removePrivateFile(launchFilePath(home, kind));
}

/** Where a running server's page is, and what has it write a new launch file: in a file that only this user can read. */
export interface PageHandle {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Path of its pages. */
  readonly base: string;
  readonly key: string;
}

const MAX_HANDLE_BYTES = 1024;
const handlePath = (home: string): string => join(home, 'page.json');

/** Writes where the page is, unless that stands there already. */
export function writeHandle(home: string, handle: PageHandle): void {
  if (readHandle(home)?.key === handle.key) return;
  ensureHome(home);
  const { origin, base, key } = handle;
  writePrivateFile(handlePath(home), new TextEncoder().encode(JSON.stringify({ origin, base, key })));
}

/** The handle of the home's newest page; `undefined` where there is none, or none that can be trusted. */
export function readHandle(home: string): PageHandle | undefined {
  try {
    const file = readPrivateFile(handlePath(home), MAX_HANDLE_BYTES);
    const handle: unknown = JSON.parse(new TextDecoder().decode(file?.bytes));
    if (!isRecord(handle)) return undefined;
    const { origin, base, key } = handle;
    if (typeof origin !== 'string' || typeof base !== 'string' || typeof key !== 'string') return undefined;
    const isOurs = /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(origin) && /^\/[\w-]{1,64}\/$/.test(base);
    return isOurs ? { origin, base, key } : undefined;
  } catch {
    // No file, one that others can write, or one of another form.
    return undefined;
  }
}

/** Removes the handle of a page that closes; that of a later one stays. */
export function removeHandle(home: string, key: string): void {
  if (readHandle(home)?.key === key) removePrivateFile(handlePath(home));
}
