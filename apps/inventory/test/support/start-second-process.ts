import { createService, ProcessHealth, Metrics } from '@switchboard/platform';
import { InProcessApiClient } from '@switchboard/testing';
import { readConfig } from '../../src/config.js';
import { type InventoryServices, openInventoryServices } from '../../src/open-inventory.js';
import { createInventoryServiceOptions } from '../../src/service.js';
import { openapi, type TestInventory } from './test-service.js';

/** A second instance of the service that uses the same database. The instance has separate connections and caches. */
export interface SecondProcess {
  readonly inventory: InventoryServices;
  /** HTTP client of the second instance, with the superuser's API token. */
  readonly api: InProcessApiClient;
  close(): Promise<void>;
}

/** Starts a second instance of the service on the database and Redis of `test`, with additional settings. */
export async function startSecondProcess(test: TestInventory, env: Record<string, string>): Promise<SecondProcess> {
  const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, MEDIA_ROOT } = test.inventory.config;
  const config = readConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    DATABASE_URL,
    REDIS_URL,
    REDIS_KEY_PREFIX,
    MEDIA_ROOT,
    DATABASE_POOL_SIZE: '5',
    ...env,
  });
  const inventory = await openInventoryServices(config, test.inventory.logger);
  const app = await createService(
    createInventoryServiceOptions(inventory, { metrics: new Metrics(), health: new ProcessHealth() }),
  );
  return {
    inventory,
    api: new InProcessApiClient(app.getHttpAdapter().getInstance(), { openapi }).withHeaders({
      authorization: `Bearer ${test.adminToken}`,
    }),
    close: async () => {
      await app.close();
      await inventory.closeRedis();
      await inventory.closeDatabase();
    },
  };
}
