/** Listening and closing of the sandbox's servers. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens; 0 takes a free port. Rejects if the port is taken or invalid. */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (port > 65_535) throw new RangeError(`no port ${port}`);
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Ends every connection and stops listening. */
export function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Returns the port of a server; 0 if it is not listening. */
export function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
