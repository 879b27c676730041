// Finds secrets in URLs: userinfo always, query values and path parts by name or form. RPC providers put keys in all
// three places.

import bs58 from 'bs58';

const SENSITIVE_NAME =
  /^(?:.*[-_])?(?:api[-_]?key|key|token|auth|authorization|secret|signature|sig|password|passwd|pass|pwd|jwt|sid|session|credential|credentials|code)$/i;
const KEY_SEGMENT = /^(?:api[-_]?keys?|keys?|tokens?|auth|secret)$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const CONTENT_ID = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|ba[a-z2-7]{50,})$/;
const URL_PARTS = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;

/**
 * Returns whether a path part is an address or signature: these are public, while other texts of that length are
 * likely tokens.
 */
function isPublicBase58(text: string): boolean {
  if (text.length < 32 || text.length > 88 || !/^[1-9A-HJ-NP-Za-km-z]+$/.test(text)) return false;
  const { length } = bs58.decode(text);
  return length === 32 || length === 64;
}

function looksLikeToken(text: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || isPublicBase58(text) || CONTENT_ID.test(text)) return false;
  if (/^[0-9a-f]{32,}$/i.test(text)) return true;
  return text.length >= 24 && /[0-9]/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text);
}

function redactPath(path: string, host: string, mask: string): string {
  const parts = path.split('/');
  const last = parts.findLastIndex((part) => part !== '');
  return parts
    .map((part, index) => {
      if (part === '') return part;
      if (KEY_SEGMENT.test(parts[index - 1] ?? '')) return mask;
      if (index !== last || /(?:^|\.)arweave\.net$/i.test(host)) return part;
      const onlyPart = parts.slice(0, index).every((other) => other === '');
      return looksLikeToken(part) || (onlyPart && UUID.test(part)) ? mask : part;
    })
    .join('/');
}

function redactQuery(query: string, mask: string): string {
  return query.replace(
    /([?&#;])([^=&;]*)(=?)([^&;]*)/g,
    (all, sign: string, name: string, equals: string, value: string) => {
      if (equals === '') return looksLikeToken(name) ? sign + mask : all;
      const hide = value !== '' && (SENSITIVE_NAME.test(name) || UUID.test(value) || looksLikeToken(value));
      return hide ? `${sign}${name}=${mask}` : all;
    },
  );
}

/** Replaces secret-looking parts of `url` by `mask`. Returns other text unchanged. */
export function redactUrlText(url: string, mask: string): string {
  const parts = URL_PARTS.exec(url);
  if (parts === null) return url;
  const [, scheme = '', authority = '', path = '', query = '', fragment = ''] = parts;
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  const head = scheme + (at >= 0 ? `${mask}@` : '') + host;
  if (!/^(?:https?|wss?):/i.test(scheme)) return head + path + query + fragment;
  return head + redactPath(path, host, mask) + redactQuery(query, mask) + redactQuery(fragment, mask);
}

/**
 * Returns the parts of a configured URL that must not be shown: userinfo, every query value, and path parts of at
 * least 12 characters. Used to register an RPC URL.
 */
export function secretPartsOfUrl(url: string): string[] {
  const parsed = new URL(url);
  // User, database and options of a PostgreSQL URL are ordinary words; elsewhere each part may be a key.
  const raw = parsed.protocol.startsWith('postgres')
    ? [parsed.password, parsed.searchParams.get('password') ?? '']
    : [
        parsed.username,
        parsed.password,
        ...parsed.pathname.split('/').filter((part) => part.length >= 12),
        ...parsed.searchParams.values(),
        parsed.hash.slice(1),
      ];
  const decoded = raw.map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return [...new Set([...raw, ...decoded])].filter((part) => part !== '');
}

/** Returns scheme, host and port of a URL, with `/…` if there was more, for `doctor` and logs. */
export function displayUrl(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return '(not a URL)';
  }
  const more =
    parsed.pathname !== '/' || parsed.search !== '' || parsed.hash !== '' || parsed.username !== '';
  return `${parsed.protocol}//${parsed.host}${more ? '/…' : ''}`;
}
