/**
 * Rules of request texts: lengths in Unicode code points, no invisible characters, public links only.
 */

/** Invisible characters: controls, formats, private use, surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Invisible characters except line breaks and tabs, for descriptions. */
const INVISIBLE_BUT_LINES = /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Length in Unicode code points, the unit of every text limit here. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Whether a text holds control, format or other invisible characters (B34, B60). */
export function hasInvisible(text: string, lines: 'single' | 'many' = 'single'): boolean {
  return (lines === 'single' ? INVISIBLE : INVISIBLE_BUT_LINES).test(text);
}

/** Whether a host names this machine or a private or link-local network, as far as the text tells. */
export function isLocalHost(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost') || name.endsWith('.local') || name === '')
    return true;
  if (name.includes(':')) {
    return name === '::' || name === '::1' || /^(fc|fd|fe[89ab]|::ffff:|::)/.test(name);
  }
  const octets = name.split('.').map(Number);
  if (octets.length !== 4 || octets.some((octet) => !Number.isInteger(octet) || octet < 0 || octet > 255)) {
    return false;
  }
  const [a = 0, b = 0] = octets;
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168) ||
    (a === 100 && b >= 64 && b <= 127)
  );
}

/**
 * Returns the error of a metadata or image link (B35). Allowed: `https:` to a public host, and the content-addressed `ipfs:` and
 * `ar:`.
 */
export function linkProblem(text: string): string | undefined {
  if (hasInvisible(text) || /[\s\\]/.test(text))
    return 'must not contain spaces, backslashes or control characters';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'ipfs' || scheme === 'ar') {
    if (!/^[a-z]+:\/\/[A-Za-z0-9]/i.test(text)) return `must be ${scheme}:// followed by a content id`;
    return text.includes('@') ? 'must not contain user information' : undefined;
  }
  if (scheme !== 'https')
    return 'must start with https:// or ipfs:// (http, javascript, data and file are refused)';
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'must be a complete URL';
  }
  if (url.username !== '' || url.password !== '') return 'must not contain user information';
  if (isLocalHost(url.hostname)) return 'must not point at this machine or a private network';
  return undefined;
}
