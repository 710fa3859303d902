import { createLogger, systemClock } from '@switchboard/platform';
import { dataSourceSettings, SyncRunner } from '../../src/data-sources/index.js';
import type { TestInventory } from './harness.js';

/** Returns a runner of the jobs of data sources, as a worker process has one. */
export function syncRunnerOf({ inventory }: TestInventory): SyncRunner {
  return new SyncRunner({
    ...inventory,
    database: inventory.database.background('data sources'),
    settings: dataSourceSettings(inventory.config),
    clock: systemClock,
    logger: createLogger({ level: 'silent', name: 'inventory' }),
  });
}
