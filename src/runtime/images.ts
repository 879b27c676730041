/** Reads local images for `create_token_info`, only from the configured folder (the setting `images`). */
import { open, realpath } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve } from 'node:path';
import { READ_FLAGS } from '../secrets/privateFile.ts';
import { SetupError } from './backends/backend.ts';

const MAX_BYTES = 15 * 1024 * 1024;
const SIGNATURES: readonly {
  readonly type: string;
  readonly bytes: readonly number[];
  readonly at?: number;
}[] = [
  { type: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47] },
  { type: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/gif', bytes: [0x47, 0x49, 0x46, 0x38] },
  { type: 'image/webp', bytes: [0x57, 0x45, 0x42, 0x50], at: 8 },
];

/**
 * Reads an image and detects its type by content, not name. The real path, with links resolved, must be under
 * `folder`.
 */
export async function readImage(
  folder: string | undefined,
  path: string,
): Promise<{ bytes: Uint8Array; type: string; name: string }> {
  if (folder === undefined) {
    throw new SetupError(
      'Local images are disabled.',
      'Use imageUrl, or ask the user to run `countersign settings images DIR`.',
    );
  }
  const refuse = (why: string) =>
    new SetupError(
      `The image cannot be used: ${why}.`,
      'Give the name of an image file in the configured folder.',
    );
  const root = await realpath(folder).catch(() => {
    throw refuse('the configured folder does not exist');
  });
  const real = await realpath(resolve(root, path)).catch(() => {
    throw refuse('the file does not exist');
  });
  const inside = relative(root, real);
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside))
    throw refuse('it is outside the configured folder');
  // The file may have become a link since.
  const file = await open(real, READ_FLAGS).catch(() => {
    throw refuse('it cannot be opened');
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw refuse('it is not a file');
    const { size } = stat;
    if (size >= MAX_BYTES) throw refuse('it is not smaller than 15 MB');
    const bytes = new Uint8Array(size);
    await file.read(bytes, 0, size, 0);
    const kind = SIGNATURES.find(({ bytes: start, at = 0 }) =>
      start.every((byte, i) => bytes[at + i] === byte),
    );
    if (kind === undefined) throw refuse('it is not a PNG, JPEG, GIF or WebP image');
    return { bytes, type: kind.type, name: basename(real) };
  } finally {
    await file.close();
  }
}
