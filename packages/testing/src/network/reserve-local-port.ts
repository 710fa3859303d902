import { isPortFree } from '@switchboard/local-services';
import { getTestWorkerNumber } from '../test-configuration.js';

/** Number of the first port for tests. The number is below the ports that services and the test setup choose. */
const FIRST_RESERVED_TEST_PORT = 10_000;
/** Number of ports that are reserved for each worker process of the test run. */
const RESERVED_PORTS_PER_TEST_WORKER = 1_000;
const MAX_TEST_WORKERS = 5;

let nextReservedTestPortOffset = Math.floor(Math.random() * RESERVED_PORTS_PER_TEST_WORKER);

/**
 * Returns a port on 127.0.0.1 that no other test of this run gets. The test can stop a server and restart the server on
 * the same port.
 */
export async function reserveLocalPort(): Promise<number> {
  const worker = getTestWorkerNumber() % MAX_TEST_WORKERS;
  for (let tried = 0; tried < RESERVED_PORTS_PER_TEST_WORKER; tried += 1) {
    nextReservedTestPortOffset += 1;
    const port =
      FIRST_RESERVED_TEST_PORT +
      worker * RESERVED_PORTS_PER_TEST_WORKER +
      (nextReservedTestPortOffset % RESERVED_PORTS_PER_TEST_WORKER);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`None of ${RESERVED_PORTS_PER_TEST_WORKER} ports is free`);
}
