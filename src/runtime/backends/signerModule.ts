/**
 * A custom signer (the setting `signer`): a module that names the wallets it signs for and signs. The key may be in
 * another process or a device; this server never sees it. The module runs inside the server and is trusted like the
 * server's own code: only its signatures are verified.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { SetupError, type WalletSigner } from './backend.ts';

const isSign = (value: unknown): value is WalletSigner['sign'] => typeof value === 'function';

const signer = z.looseObject({
  address: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
  sign: z.custom<WalletSigner['sign']>(isSign),
});

/**
 * Loads the module and calls its default export, which returns one signer or several.
 * @throws SetupError if there is no such module or its export is invalid; no text of the module is quoted
 */
export async function loadSigners(path: string): Promise<readonly WalletSigner[]> {
  const made: unknown = await import(pathToFileURL(resolve(path)).href)
    .then((loaded: { readonly default?: unknown }) =>
      typeof loaded.default === 'function' ? loaded.default() : undefined,
    )
    .catch(() => undefined);
  const parsed = z
    .array(signer)
    .min(1)
    .safeParse(Array.isArray(made) ? made : [made]);
  if (!parsed.success)
    throw new SetupError(
      `The signer module ${path} cannot be used.`,
      'Its default export must be a function that returns `{ address, sign(message, permit) }`, or a list of them; see docs/library.md.',
    );
  // The module's own objects are kept, since they may have state.
  const list: unknown[] = Array.isArray(made) ? made : [made];
  return parsed.data.map(({ address }, index) => {
    const own = list[index] as WalletSigner;
    return { address, sign: (message, permit) => own.sign(message, permit) };
  });
}
