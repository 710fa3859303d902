import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { createLogger, Health, Metrics, runService, Shutdown } from '@switchboard/platform';
import { config } from './config.js';
import { authGuard, customerCredential } from './customers.js';
import { renderer } from './errors.js';
import { EventsController } from './events.controller.js';
import { OrdersController } from './orders.controller.js';
import { openShop, type Shop } from './shop.js';
import { SHOP } from './tokens.js';

@Module({})
class ShopModule {
  static of(shop: Shop): DynamicModule {
    return {
      module: ShopModule,
      controllers: [OrdersController, EventsController],
      providers: [
        { provide: SHOP, useValue: shop },
        { provide: APP_GUARD, useValue: authGuard },
      ],
    };
  }
}

const logger = createLogger({ level: config.LOG_LEVEL, name: 'orders' });
const shutdown = new Shutdown({ timeoutMs: config.SHUTDOWN_TIMEOUT_MS, logger });
const shop = await openShop(logger);
shutdown.add('intake', 'polls', () => shop.events.stop());
shutdown.add('drain', 'jobs', () => shop.jobs.stop());
shutdown.add('redis', 'outbox', () => shop.outbox.stop());
shutdown.add('redis', 'receipts', () => shop.client.close());
shutdown.add('postgres', 'database', () => shop.database.close());
const health = new Health();
health.add('database', async () => {
  await shop.database.ping();
  return { ok: true };
});
const { url } = await runService({
  name: 'orders',
  rootModule: ShopModule.of(shop),
  config,
  logger,
  errorRenderer: renderer,
  metrics: new Metrics(),
  health,
  shutdown,
  trustClientRequestId: false,
  host: config.HOST,
  port: config.PORT,
});
// The test reads this line.
process.stdout.write(`${JSON.stringify({ url, credential: customerCredential })}\n`);
