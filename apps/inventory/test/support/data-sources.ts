import { createLogger, systemClock } from '@switchboard/platform';
import { createDataSourceSyncSettings, DataSourceSyncRunner } from '../../src/data-sources/index.js';
import type { TestInventory } from './test-service.js';

/** Returns an object that runs the jobs of data sources, with the configuration of a worker process. */
export function syncRunnerOf({ inventory }: TestInventory): DataSourceSyncRunner {
  return new DataSourceSyncRunner({
    ...inventory,
    database: inventory.database.background('data sources'),
    settings: createDataSourceSyncSettings(inventory.config),
    clock: systemClock,
    logger: createLogger({ level: 'silent', name: 'inventory' }),
  });
}

/** Result of a synchronization: the statuses of data source and job, the error, and the hashes of the files by path. */
export interface SyncResult {
  readonly status: readonly [source: string, job: string];
  readonly error: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Synchronizes a data source and returns the result of the synchronization. */
export async function syncResultOf(test: TestInventory, id: number): Promise<SyncResult> {
  const { api } = test;
  await api.post(`/api/core/data-sources/${id}/sync/`);
  await syncRunnerOf(test).scheduleAndRunDueJobs();
  const source = await api.get<{ status: { value: string } }>(`/api/core/data-sources/${id}/`);
  const jobs = await api.get<{ results: { status: { value: string }; error: string }[] }>(
    `/api/core/jobs/?object_id=${id}&ordering=-id&limit=1`,
  );
  const files = await api.get<{ results: { path: string; hash: string }[] }>(
    `/api/core/data-files/?source_id=${id}&limit=1000`,
  );
  const [job] = jobs.body.results;
  return {
    status: [source.body.status.value, job?.status.value ?? ''],
    error: job?.error ?? '',
    files: Object.fromEntries(files.body.results.map(({ path, hash }) => [path, hash])),
  };
}
