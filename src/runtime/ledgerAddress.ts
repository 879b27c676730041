/** What the address of a ledger on PostgreSQL may be. Faults are said without the address: it may hold a password. */

const LOCAL = new Set(['', 'localhost', '127.0.0.1', '[::1]']);

/** Why an address is not used; `undefined` for one that is. */
export function addressFault(address: string): string | undefined {
  // A socket's address names no host, which a URL must.
  const whole = address.replace('@/', '@localhost/');
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    return 'The address of the ledger must begin with postgres://.';
  }
  const mode = url.searchParams.get('sslmode');
  const isSocket = url.searchParams.get('host')?.startsWith('/') === true || /^%2f/i.test(url.hostname);
  if (mode !== null || isSocket || LOCAL.has(url.hostname)) return undefined;
  return 'The ledger is on another machine, and its address does not say how the connection is kept private.';
}

/** What to do about a fault. */
export const ADDRESS_HINT =
  'postgres://USER@HOST/DATABASE?sslmode=verify-full, or sslmode=disable inside a network of your own; the password in PGPASSWORD or COUNTERSIGN_LEDGER.';
