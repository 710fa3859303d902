import { isPortFree } from '@switchboard/local-services';
import { workerNumber } from '../config.js';

/** Below what set-up and services choose from. */
const FIRST = 10_000;
/** Ports of one worker of the test run, and workers that have ports of their own. */
const EACH = 1_000;
const WORKERS = 5;

let given = Math.floor(Math.random() * EACH);

/**
 * A port on 127.0.0.1 that no other test of this run is given, for a server that the test ends and starts again at the
 * same port: in between anybody who looks for a free one would find it.
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
