/** What `countersign init` was told, kept in the home so that it is not asked again. No secret is kept: an address with a key in it is asked for each time. */
import { join } from 'node:path';
import { z } from 'zod';
import { ensureHome } from '../../secrets/home.ts';
import { readPrivateFile, writePrivateFile } from '../../secrets/privateFile.ts';
import { secretPartsOfUrl } from '../../secrets/redaction/urlSecrets.ts';

const choices = z.object({
  profile: z.string().optional(),
  rootUrl: z.string().optional(),
  rpcUrl: z.string().optional(),
});
type Choices = z.infer<typeof choices>;

const place = (home: string): string => join(home, 'init.json');

/** What was chosen before; nothing where there is no file, or none of ours. */
export function readChoices(home: string): Choices {
  const bytes = readPrivateFile(place(home), 65_536)?.bytes;
  if (bytes === undefined) return {};
  try {
    return choices.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return {};
  }
}

export function writeChoices(home: string, { profile, rootUrl, rpcUrl }: Required<Choices>): void {
  const isPlain = secretPartsOfUrl(rpcUrl).length === 0;
  ensureHome(home);
  writePrivateFile(
    place(home),
    Buffer.from(`${JSON.stringify({ profile, rootUrl, ...(isPlain ? { rpcUrl } : {}) })}\n`),
  );
}
