import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureHome, resolveHome } from '../../src/secrets/home.ts';
import { checkPrivateFolder, readPrivateFile, writePrivateFile } from '../../src/secrets/privateFile.ts';
import { temporaryHome } from './temporaryHome.ts';

describe('finding the home folder', () => {
  const linux = { platform: 'linux', userHome: '/home/ann' } as const;

  it("follows each platform's convention", () => {
    expect(resolveHome({ ...linux, env: {} })).toBe('/home/ann/.local/share/countersign');
    expect(resolveHome({ ...linux, env: { XDG_DATA_HOME: '/data' } })).toBe('/data/countersign');
    expect(resolveHome({ ...linux, env: { XDG_DATA_HOME: 'relative' } })).toBe(
      '/home/ann/.local/share/countersign',
    );
    expect(resolveHome({ platform: 'darwin', userHome: '/Users/ann', env: {} })).toBe(
      '/Users/ann/Library/Application Support/countersign',
    );
    const windows = { platform: 'win32', userHome: 'C:\\Users\\ann' } as const;
    expect(resolveHome({ ...windows, env: {} })).toBe('C:\\Users\\ann\\AppData\\Local\\countersign');
    expect(resolveHome({ ...windows, env: { LOCALAPPDATA: 'D:\\local' } })).toBe('D:\\local\\countersign');
  });

  it('prefers the option, then the variable, and makes both absolute', () => {
    const env = { COUNTERSIGN_HOME: '/srv/cs', XDG_DATA_HOME: '/data' };
    expect(resolveHome({ ...linux, env })).toBe('/srv/cs');
    expect(resolveHome({ ...linux, env, option: '/opt/cs' })).toBe('/opt/cs');
    expect(resolveHome({ ...linux, env: {}, option: 'here' })).toBe(join(process.cwd(), 'here'));
    expect(resolveHome({ ...linux, env: { COUNTERSIGN_HOME: '' } })).toBe(
      '/home/ann/.local/share/countersign',
    );
  });

  it('refuses a home without a usable name', () => {
    for (const option of ['', '  ', 'a\nb', 'a\0b']) {
      expect(() => resolveHome({ ...linux, env: {}, option })).toThrow(
        expect.objectContaining({ code: 'INVALID_HOME' }),
      );
    }
  });

  it('creates nothing', () => {
    const home = join(temporaryHome(), 'later');
    resolveHome({ ...linux, env: { COUNTERSIGN_HOME: home } });
    expect(existsSync(home)).toBe(false);
  });
});

describe('creating the home folder', () => {
  it('creates it and its parents for this user only', () => {
    const home = join(temporaryHome(), 'a', 'b');
    ensureHome(home);
    ensureHome(home);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  it('refuses one that others can enter, a link and a file', () => {
    const parent = temporaryHome();
    const open = join(parent, 'open');
    mkdirSync(open);
    chmodSync(open, 0o750);
    const link = join(parent, 'link');
    symlinkSync(parent, link);
    expect(() => ensureHome(open)).toThrow(
      expect.objectContaining({ code: 'INSECURE_FILE', hint: expect.stringContaining(`chmod 700 ${open}`) }),
    );
    expect(() => ensureHome(link)).toThrow(expect.objectContaining({ code: 'INSECURE_FILE' }));
    const file = join(parent, 'file');
    writeFileSync(file, '');
    expect(() => ensureHome(file)).toThrow(expect.objectContaining({ code: 'INVALID_HOME' }));
  });

  it('refuses a folder of another user', () => {
    const home = temporaryHome();
    expect(() => checkPrivateFolder(home, statSync(home).uid + 1)).toThrow(
      expect.objectContaining({ code: 'INSECURE_FILE', message: expect.stringContaining('another user') }),
    );
  });
});

describe('a private file', () => {
  it('is written for this user only, whatever the umask, and replaced atomically', () => {
    const path = join(temporaryHome(), 'f');
    const umask = process.umask(0);
    try {
      writePrivateFile(path, Uint8Array.of(1));
    } finally {
      process.umask(umask);
    }
    const before = statSync(path).ino;
    writePrivateFile(path, Uint8Array.of(2, 3));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(path).ino).not.toBe(before);
    expect([...(readPrivateFile(path, 10)?.bytes ?? [])]).toEqual([2, 3]);
  });

  it('keeps the old content and reports the error if the new one cannot be written', () => {
    const home = temporaryHome();
    const folder = join(home, 'taken');
    mkdirSync(join(folder, 'inside'), { recursive: true });
    expect(() => writePrivateFile(folder, Uint8Array.of(1))).toThrow(
      expect.objectContaining({ code: 'KEYSTORE_WRITE_FAILED' }),
    );
    expect(existsSync(join(folder, 'inside'))).toBe(true);
  });

  it('is refused if it is a link, readable by another user, foreign or too large', () => {
    const home = temporaryHome();
    const path = join(home, 'f');
    writePrivateFile(path, Uint8Array.of(1, 2, 3));
    const refused = (work: () => unknown) =>
      expect(work).toThrow(expect.objectContaining({ code: 'INSECURE_FILE', hint: expect.any(String) }));
    symlinkSync(path, join(home, 'link'));
    refused(() => readPrivateFile(join(home, 'link'), 10));
    refused(() => readPrivateFile(home, 10));
    refused(() => readPrivateFile(path, 2));
    refused(() => readPrivateFile(path, 10, statSync(path).uid + 1));
    chmodSync(path, 0o640);
    refused(() => readPrivateFile(path, 10));
    expect(readPrivateFile(join(home, 'none'), 10)).toBeUndefined();
  });
});
