import { Module, type DynamicModule } from '@nestjs/common';
import { OutboundModule, QueueMetrics, QueueModule } from '@switchboard/nest';
import { createLogger, ProcessHealth, Metrics, runService, Shutdown } from '@switchboard/platform';
import { config } from './config.js';
import { authentication, customerCredential } from './customers.js';
import { renderer } from './errors.js';
import { EventsController } from './events.controller.js';
import { OrdersController } from './orders.controller.js';
import { openStorage, Receipts, sendReceipt, Shop, type Storage } from './shop.js';
import { DATABASE } from './tokens.js';

@Module({})
class ShopModule {
  static of({ database, outbox }: Storage): DynamicModule {
    return {
      module: ShopModule,
      imports: [
        authentication,
        OutboundModule.forRoot({
          policy: { allowLoopback: true, allowPrivate: false, allowHosts: [], allowNetworks: [] },
        }),
        QueueModule.forRoot({
          pool: database.pool,
          redis: config.REDIS_URL,
          prefix: config.REDIS_KEY_PREFIX,
          logger,
          shutdown,
          outbox,
          jobs: { definitions: [sendReceipt] },
          eventLog: {},
        }),
      ],
      controllers: [OrdersController, EventsController],
      providers: [{ provide: DATABASE, useValue: database }, Shop, Receipts],
    };
  }
}

const logger = createLogger({ level: config.LOG_LEVEL, name: 'orders' });
const shutdown = new Shutdown({ timeoutMs: config.SHUTDOWN_TIMEOUT_MS, logger });
const storage = await openStorage(logger);
shutdown.addStep('postgres', 'database', () => storage.database.close());
const health = new ProcessHealth();
health.addCheck('database', async () => {
  await storage.database.ping();
  return { ok: true };
});
const metrics = new Metrics();
const { app, url } = await runService({
  name: 'orders',
  rootModule: ShopModule.of(storage),
  config,
  logger,
  errorRenderer: renderer,
  metrics,
  health,
  shutdown,
  trustClientRequestId: false,
  host: config.HOST,
  port: config.PORT,
});
app.get(QueueMetrics).registerIn(metrics, 'orders_');
// The test reads this line.
process.stdout.write(`${JSON.stringify({ url, credential: customerCredential })}\n`);
