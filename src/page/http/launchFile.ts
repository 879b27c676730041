/**
 * The file that launches a page: readable only by this user, it sends a one-time token to the local server. The token
 * therefore appears in no argument list, log, result or address.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ensureHome } from '../../secrets/home.ts';
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../../secrets/privateFile.ts';
import { html } from './html.ts';

/** Returns the path of the launch file. */
export const launchFilePath = (home: string): string => join(home, 'approve.html');

/** Writes a launch file with mode 0600 and returns its path. `target` is the address that accepts the token. */
export function writeLaunchFile(home: string, target: string, token: string): string {
  const path = launchFilePath(home);
  ensureHome(home);
  const document = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark"><title>Countersign</title></head>
<body><form method="post" action="${target}"><input type="hidden" name="token" value="${token}">
<p>Opening Countersign. <button>Open</button></p></form>
<script>document.forms[0].submit();</script></body></html>`;
  writePrivateFile(path, Buffer.from(`${document}`));
  return path;
}

/** Removes the launch file after use, or when its server has stopped. */
export function removeLaunchFile(home: string): void {
  if (existsSync(launchFilePath(home))) removePrivateFile(launchFilePath(home));
}

/**
 * The running server's page address and the key that requests a new launch file, stored in a file readable only by
 * this user.
 */
const handleSchema = z.object({
  origin: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/),
  /** Path of its pages. */
  base: z.string().regex(/^\/[\w-]{1,64}\/$/),
  key: z.string(),
});
export type PageHandle = Readonly<z.infer<typeof handleSchema>>;

const MAX_HANDLE_BYTES = 1024;
const handlePath = (home: string): string => join(home, 'page.json');

/** Writes the page's handle, unless the file already contains it. */
export function writeHandle(home: string, handle: PageHandle): void {
  if (readHandle(home)?.key === handle.key) return;
  ensureHome(home);
  writePrivateFile(handlePath(home), Buffer.from(JSON.stringify(handle)));
}

/** Returns the handle of the home's newest page; `undefined` if the file is missing, malformed or writable by others. */
export function readHandle(home: string): PageHandle | undefined {
  try {
    const file = readPrivateFile(handlePath(home), MAX_HANDLE_BYTES);
    return handleSchema.parse(JSON.parse(new TextDecoder().decode(file?.bytes)));
  } catch {
    // The file is missing, writable by others or malformed.
    return undefined;
  }
}

/** Removes the handle of a closing page, but not that of a newer one. */
export function removeHandle(home: string, key: string): void {
  if (readHandle(home)?.key === key) removePrivateFile(handlePath(home));
}
