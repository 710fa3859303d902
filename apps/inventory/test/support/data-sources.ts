import { createLogger, systemClock } from '@switchboard/platform';
import { dataSourceSettings, DataSourceSyncRunner } from '../../src/data-sources/index.js';
import type { TestInventory } from './test-service.js';

/** Returns a runner for data source jobs, configured as in a worker process. */
export function syncRunnerOf({ inventory }: TestInventory): DataSourceSyncRunner {
  return new DataSourceSyncRunner({
    ...inventory,
    database: inventory.database.background('data sources'),
    settings: dataSourceSettings(inventory.config),
    clock: systemClock,
    logger: createLogger({ level: 'silent', name: 'inventory' }),
  });
}

/** Result of a synchronization: status of source and job, error, and file hashes by path. */
export interface SyncResult {
  readonly status: readonly [source: string, job: string];
  readonly error: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Synchronizes a data source and returns the result. */
export async function syncResultOf(test: TestInventory, id: number): Promise<SyncResult> {
  const { api } = test;
  await api.post(`/api/core/data-sources/${id}/sync/`);
  await syncRunnerOf(test).run();
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
