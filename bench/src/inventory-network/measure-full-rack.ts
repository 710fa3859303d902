import { type LimitResult, compareWithLimit, MEASURED_RUN_COUNT } from '../compare-with-baseline.js';
import { startServerProcess } from '../server-process.js';
import { SqlStatementRecordingProxy } from '../statement-log.js';
import { InventoryNetworkClient } from './network-client.js';

const RACK_UNIT_COUNT = 42;

/**
 * Counts the statements that read the elevation of a rack full of devices, in a server whose statements are recorded.
 * Each request differs, so that the server cannot send a cached response.
 */
export async function countFullRackStatements(
  client: InventoryNetworkClient,
  script: string,
  env: Record<string, string>,
): Promise<LimitResult> {
  const rack = await client.createRackFullOfDevices(RACK_UNIT_COUNT);
  const log = await SqlStatementRecordingProxy.startProxy(env['DATABASE_URL'] ?? '');
  const server = await startServerProcess(script, { ...env, DATABASE_URL: log.url }, '/health/ready');
  try {
    const counts: number[] = [];
    for (let run = 0; run <= MEASURED_RUN_COUNT; run += 1) {
      log.removeAndReturnStatementTexts();
      const path = `/api/dcim/racks/${rack}/elevation/?limit=0&run=${run}`;
      const response = await fetch(`${server.origin}${path}`, { headers: client.requestHeaders });
      const { results } = (await response.json()) as { results: readonly { device: object | null }[] };
      const occupied = results.filter(({ device }) => device !== null).length;
      if (occupied !== 2 * RACK_UNIT_COUNT)
        throw new Error(`${occupied} of ${2 * RACK_UNIT_COUNT} half units are occupied`);
      // The first request also authenticates the token, and the process reads its custom fields.
      if (run > 0) counts.push(log.removeAndReturnStatementTexts().filter((text) => text.includes('dcim_rack')).length);
    }
    return compareWithLimit(`Elevation of a rack with ${RACK_UNIT_COUNT} devices`, 'statements', counts, 1);
  } finally {
    await server.stop();
    await log.stopProxy();
  }
}
