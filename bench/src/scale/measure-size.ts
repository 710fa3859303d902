import { join } from 'node:path';
import pg from 'pg';
import type { LocalServices } from '@switchboard/local-services';
import { repositoryRoot } from '../benchmark-services.js';
import type { ScaleTestedService, DatabaseSizeName } from './scale-app.js';
import { copyFilledDatabase, dropDatabaseCopy } from './filled-databases.js';
import { measureOperation } from './measure-operation.js';
import type { StoredMeasurements } from './stored-results.js';
import { secretEnvironmentVariables } from './benchmark-secrets.js';
import { MeasuredServerProcesses } from './measured-servers.js';
import { BackgroundRequestMonitor } from './watch/watch-requests.js';

/** Options for measuring a service on a database of one size. */
export interface DatabaseSizeMeasurementOptions {
  readonly services: LocalServices;
  /** Number of processes of the measured service. The background client sends its writes to the last process. */
  readonly processes: number;
  readonly refill: boolean;
  readonly interrupted: AbortSignal;
  readonly log: (line: string) => void;
}

/** Measures every operation of an app on a copy of the filled database of one size. */
export async function measureOperationsOfDatabaseSize<World>(
  app: ScaleTestedService<World>,
  size: DatabaseSizeName,
  results: StoredMeasurements,
  { services, processes, refill, interrupted, log }: DatabaseSizeMeasurementOptions,
): Promise<void> {
  const env: Record<string, string> = {
    ...secretEnvironmentVariables,
    ...app.env,
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    REDIS_URL: services.redisUrl,
    // Event queues and caches of earlier runs belong to other databases.
    REDIS_KEY_PREFIX: `scale:${app.name}:${Date.now()}:`,
  };
  const copy = await copyFilledDatabase(app, size, { services, env, log, refill });
  const url = services.postgresUrl(copy);
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  const watch = new BackgroundRequestMonitor();
  const servers = new MeasuredServerProcesses(join(repositoryRoot, 'apps', app.name, 'dist/bundle.js'), {
    ...env,
    DATABASE_URL: url,
  });
  try {
    await servers.startServers(processes);
    const { origins } = servers;
    const world = await app.open(
      { origins, database, startProcess: (settings) => servers.startUnmeasuredServer(settings) },
      size,
    );
    const probes = origins.map((origin) => ({ method: 'GET', url: `${origin}/health/live` }) as const);
    const bystander = app.bystander(world);
    for (const operation of app.operations) {
      if (interrupted.aborted) break;
      if (operation.sizes !== undefined && !operation.sizes.includes(size)) continue;
      const measured = await measureOperation(operation, world, { watch, probes, pids: servers.processIds, bystander });
      const measurement = (await servers.restartEndedServers())
        ? { ...measured, error: 'the process ended' }
        : measured;
      results.recordMeasurement(size, operation.name, measurement);
      const { medianMs, remark, error } = measurement;
      log(
        `  ${size}  ${operation.name}: ${medianMs?.toFixed(1) ?? '-'} ms${remark === undefined ? '' : `, ${remark}`}${error === undefined ? '' : `, FAILED: ${error}`}`,
      );
    }
  } finally {
    await watch.terminateWorker();
    await servers.stopServers();
    await database.end();
    await dropDatabaseCopy(services, copy);
  }
}
