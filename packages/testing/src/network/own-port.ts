import { isPortFree } from '@switchboard/local-services';
import { workerNumber } from '../config.js';

/** First port number. It is below the ports that services and the setup choose. */
const FIRST = 10_000;
/** Number of ports for each worker of the test run. */
const EACH = 1_000;
const WORKERS = 5;

let given = Math.floor(Math.random() * EACH);

/**
 * Returns a port on 127.0.0.1 that no other test of this run gets. The test can stop its server and restart it on the
 * same port.
 */
export async function ownPort(): Promise<number> {
  const worker = workerNumber() % WORKERS;
  for (let tried = 0; tried < EACH; tried += 1) {
    given += 1;
    const port = FIRST + worker * EACH + (given % EACH);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`None of ${EACH} ports is free`);
}
