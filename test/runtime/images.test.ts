/** Local images of an agent, which may write the folder itself (T124). */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readImage } from '../../src/runtime/images.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

function folders(): { images: string; outside: string } {
  const root = mkdtempSync(join(tmpdir(), 'images-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [images, outside] = [join(root, 'images'), join(root, 'outside')];
  for (const folder of [images, outside]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'one.png'), PNG);
  }
  return { images, outside };
}

it('are read from the folder, also through a link inside of it', async () => {
  const { images } = folders();
  symlinkSync(join(images, 'one.png'), join(images, 'link.png'));
  for (const name of ['one.png', 'link.png'])
    expect(await readImage(images, name)).toEqual({
      bytes: new Uint8Array(PNG),
      type: 'image/png',
      name: 'one.png',
    });
});

it.runIf(process.platform !== 'win32')(
  'are refused outside of it, as a folder, and as a pipe without waiting for its writer (T124)',
  async () => {
    const { images, outside } = folders();
    symlinkSync(join(outside, 'one.png'), join(images, 'link.png'));
    symlinkSync(outside, join(images, 'link'));
    mkdirSync(join(images, 'folder.png'));
    execFileSync('mkfifo', [join(images, 'pipe.png')]);
    for (const name of ['link.png', 'link/one.png', '../outside/one.png', join(outside, 'one.png')])
      await expect(readImage(images, name), name).rejects.toThrow('outside the configured folder');
    for (const name of ['folder.png', 'pipe.png'])
      await expect(readImage(images, name), name).rejects.toThrow('not a file');
  },
);
