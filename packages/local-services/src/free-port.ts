import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { LocalServicesError } from './local-services-errors.js';

/**
 * Lowest port number that local servers use. Linux assigns ports from 32768 to outgoing connections
 * (`ip_local_port_range`). A client socket of another program could occupy such a port before the server's next start.
 */
const lowestServicePort = 15_000;
const servicePortLimit = 32_000;
const maxPortAttempts = 200;

/** Returns true if a server can listen on 127.0.0.1 at `port` now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * Returns a free port on 127.0.0.1, below 32768. Another process may take the port before the caller uses it, so that
 * callers must retry.
 *
 * @param preferred port that is used if it is free, so that addresses stay the same between starts
 * @throws LocalServicesError when no free port is found
 */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isPortFree(preferred))) return preferred;
  for (let attempt = 0; attempt < maxPortAttempts; attempt += 1) {
    const port = randomInt(lowestServicePort, servicePortLimit);
    if (await isPortFree(port)) return port;
  }
  throw new LocalServicesError(`No free port on 127.0.0.1 between ${lowestServicePort} and ${servicePortLimit}.`);
}
