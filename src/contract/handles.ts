/**
 * One spelling for each handle: people write `name`, `@name`, ` Name` or a link to the profile, and all of them are one
 * account. A service that is sent the spelling as it stands finds four wallets for one person.
 */

interface Platform {
  /** Hosts of profile pages; a `www.` or `m.` before them changes nothing. */
  readonly hosts: readonly string[];
  /** What a handle of this platform is made of. */
  readonly handle: RegExp;
}

/** The platforms of C-WALLET-02. On all of them a handle in capitals is the same handle. */
const PLATFORMS: Readonly<Record<string, Platform>> = {
  twitter: { hosts: ['x.com', 'twitter.com'], handle: /^[a-z0-9_]{1,50}$/ },
  tiktok: { hosts: ['tiktok.com'], handle: /^[a-z0-9_.]{1,50}$/ },
  kick: { hosts: ['kick.com'], handle: /^[a-z0-9_-]{1,50}$/ },
  github: { hosts: ['github.com'], handle: /^[a-z0-9-]{1,50}$/ },
};

/** A link, with or without its scheme: host, then the path up to a query or fragment. */
const LINK = /^(?:https?:\/\/)?(?:www\.|m\.|mobile\.)?([a-z0-9-]+\.[a-z.]+)\/([^?#]*)/;

/** The handle a person means, or what is wrong with the text. */
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
