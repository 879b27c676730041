/**
 * Normalizes handles: `name`, `@name`, ` Name` and a link to the profile are one account, but the service would return a wallet
 * for each spelling.
 */

interface Platform {
  /** Hosts of profile pages, without `www.` or `m.`. */
  readonly hosts: readonly string[];
  /** Syntax of the platform's handles. */
  readonly handle: RegExp;
}

/** The platforms of C-WALLET-02. Handles are case-insensitive on all of them. */
const PLATFORMS: Readonly<Record<string, Platform>> = {
  twitter: { hosts: ['x.com', 'twitter.com'], handle: /^[a-z0-9_]{1,50}$/ },
  tiktok: { hosts: ['tiktok.com'], handle: /^[a-z0-9_.]{1,50}$/ },
  kick: { hosts: ['kick.com'], handle: /^[a-z0-9_-]{1,50}$/ },
  github: { hosts: ['github.com'], handle: /^[a-z0-9-]{1,50}$/ },
};

/** A link, with or without its scheme: host, then the path up to a query or fragment. */
const LINK = /^(?:https?:\/\/)?(?:www\.|m\.|mobile\.)?([a-z0-9-]+\.[a-z.]+)\/([^?#]*)/;

/** Returns the normalized handle, or the error of the text. */
export function readHandle(
  provider: string,
  text: string,
): { readonly handle: string } | { readonly problem: string } {
  const platform = PLATFORMS[provider];
  const written = text.trim().toLowerCase();
  if (platform === undefined) return { handle: written.replace(/^@/, '') };
  const [, host, path = ''] = LINK.exec(written) ?? [];
  if (host !== undefined && !platform.hosts.includes(host))
    return { problem: `is a link to ${host}, which is not where ${provider} profiles are` };
  const [name = '', ...further] = (host === undefined ? written : path.replace(/\/+$/, '')).split('/');
  const handle = name.replace(/^@/, '');
  if (further.length > 0 || !platform.handle.test(handle))
    return { problem: `must be a handle of ${provider}, such as name, @name or a link to the profile` };
  return { handle };
}
