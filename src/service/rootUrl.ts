/** Validates root URLs: https, or http on this machine (B74; docs/contract.md C-WIRE-01). */
import { isLocalHost } from '../contract/text.ts';

/** Returns whether a URL's host is this machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);

/**
 * Returns the origin of a root URL. Throws an `Error` whose message never quotes the URL, since URLs can contain
 * secrets.
 */
export function parseRootUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Error('The root URL is not a complete URL. Use one like https://api.example.com');
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('The root URL must not contain a user name or password.');
  }
  if (url.search !== '' || url.hash !== '')
    throw new Error('The root URL must not have a query or fragment.');
  if (url.pathname !== '/') {
    throw new Error(
      'The root URL must end after the host and port: the paths of the contract are added to it.',
    );
  }
  const loopback = isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback)) {
    throw new Error('The root URL must start with https:// (http:// is accepted for this machine only).');
  }
  if (!loopback && isLocalHost(url.hostname)) {
    throw new Error('The root URL must not point at a private or link-local address.');
  }
  return url.origin;
}
