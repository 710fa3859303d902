import { join } from 'node:path';
import pg from 'pg';
import type { LocalServices } from '@switchboard/local-services';
import { repositoryRoot } from '../benchmark-services.js';
import type { ScaleApp, SizeName } from './scale-app.js';
import { copyFilledDatabase, dropDatabaseCopy } from './filled-databases.js';
import { measureOperation } from './measure-operation.js';
import type { StoredResults } from './stored-results.js';
import { secretEnv } from './benchmark-secrets.js';
import { MeasuredServers } from './measured-servers.js';
import { RequestWatch } from './watch/watch-requests.js';

/** Options for measuring a service on a database of one size. */
export interface SizeSettings {
  readonly services: LocalServices;
  /** Number of processes of the measured service. The background client sends its writes to the last process. */
  readonly processes: number;
  readonly refill: boolean;
  readonly interrupted: AbortSignal;
  readonly log: (line: string) => void;
}

/** Measures every operation of an app on a copy of the filled database of one size. */
export async function measureSize<World>(
  app: ScaleApp<World>,
  size: SizeName,
  results: StoredResults,
  { services, processes, refill, interrupted, log }: SizeSettings,
): Promise<void> {
  const env: Record<string, string> = {
    ...secretEnv,
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
  const watch = new RequestWatch();
  const servers = new MeasuredServers(join(repositoryRoot, 'apps', app.name, 'dist/bundle.js'), {
    ...env,
    DATABASE_URL: url,
  });
  try {
    await servers.start(processes);
    const { origins } = servers;
    const world = await app.open(
      { origins, database, startProcess: (settings) => servers.startUnmeasured(settings) },
      size,
    );
    const probes = origins.map((origin) => ({ method: 'GET', url: `${origin}/health/live` }) as const);
    const bystander = app.bystander(world);
    for (const operation of app.operations) {
      if (interrupted.aborted) break;
      if (operation.sizes !== undefined && !operation.sizes.includes(size)) continue;
      const measured = await measureOperation(operation, world, { watch, probes, pids: servers.pids, bystander });
      const measurement = (await servers.restartEnded()) ? { ...measured, error: 'the process ended' } : measured;
      results.record(size, operation.name, measurement);
      const { medianMs, remark, error } = measurement;
      log(
        `  ${size}  ${operation.name}: ${medianMs?.toFixed(1) ?? '-'} ms${remark === undefined ? '' : `, ${remark}`}${error === undefined ? '' : `, FAILED: ${error}`}`,
      );
    }
  } finally {
    await watch.close();
    await servers.stop();
    await database.end();
    await dropDatabaseCopy(services, copy);
  }
}
