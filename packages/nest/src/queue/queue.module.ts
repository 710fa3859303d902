import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventLog, Jobs, Outbox, QueueUsageError } from '@switchboard/queue';
import { type ModuleAsyncOptions, optionsProvider } from '../module-async-options.js';
import { createNestLog } from '../nest-log.js';
import { QueueHandlers } from './queue-handlers.js';
import { QueueHealth } from './queue-health.js';
import { QueueLifecycle } from './queue-lifecycle.js';
import { QueueMetrics } from './queue-metrics.js';
import { openEventLog, openJobs, openOutbox, type QueueModuleOptions, type QueueSettings } from './queue-options.js';

/** Names of the parts of {@link QueueModule} that a service may omit: jobs and event log. */
const optionalQueueParts = ['jobs', 'eventLog'] as const;

type OptionalQueuePart = (typeof optionalQueueParts)[number];

/** Options of {@link QueueModule.forRootAsync}. */
export interface QueueModuleAsyncOptions extends ModuleAsyncOptions<QueueModuleOptions> {
  /**
   * Names of the optional parts for which the factory returns options. Nest requires the providers of a module before
   * the factory runs. Default: jobs and event log.
   */
  readonly parts?: readonly OptionalQueuePart[];
}

const QUEUE_MODULE_OPTIONS = Symbol('given queue options');
const QUEUE_SETTINGS = Symbol('queue settings');

/**
 * Global module with the outbox, the jobs and the event log of a service. It registers the methods with {@link OnJob}
 * and {@link OnOutboxMessage} as handlers, starts when all modules are initialized, and stops with the application.
 *
 * It provides `Outbox`, `Jobs` and `EventLog` of `@switchboard/queue`, {@link QueueHealth} and {@link QueueMetrics}. A
 * service imports the module once, in the root module.
 */
@Module({})
export class QueueModule {
  /**
   * Returns the queue module with the given options. The module provides jobs and an event log if the options contain
   * them.
   */
  static forRoot(options: QueueModuleOptions): DynamicModule {
    const parts = optionalQueueParts.filter((part) => options[part] !== undefined);
    return QueueModule.forRootAsync({ parts, useFactory: () => options });
  }

  /** Returns the queue module with options that a factory returns. The factory may use other providers. */
  static forRootAsync({ parts = optionalQueueParts, ...options }: QueueModuleAsyncOptions): DynamicModule {
    const services = [queueOutboxProvider, ...parts.map((part) => optionalQueueProviders[part])];
    return {
      module: QueueModule,
      global: true,
      imports: [DiscoveryModule, ...(options.imports ?? [])],
      providers: [
        optionsProvider(QUEUE_MODULE_OPTIONS, options),
        {
          provide: QUEUE_SETTINGS,
          inject: [QUEUE_MODULE_OPTIONS],
          useFactory: (given: QueueModuleOptions) => toQueueSettings(given, parts),
        },
        ...services,
        ...queueSupportProviders,
      ],
      exports: [...services.map(({ provide }) => provide), QueueHealth, QueueMetrics],
    };
  }
}

/**
 * Returns the options of the queue module with a logger, which defaults to the logger of the Nest application. Throws
 * an error if the options do not match the named optional parts.
 */
function toQueueSettings(given: QueueModuleOptions, parts: readonly OptionalQueuePart[]): QueueSettings {
  for (const part of optionalQueueParts) {
    if (parts.includes(part) === (given[part] !== undefined)) continue;
    throw new QueueUsageError(
      parts.includes(part)
        ? `QueueModule.forRootAsync: the factory returned no option ${part}. Return it, or remove it from the option parts`
        : `QueueModule.forRootAsync: the factory returned the option ${part}, but the option parts does not contain it`,
    );
  }
  return { ...given, logger: given.logger ?? createNestLog(QueueModule.name) };
}

const queueOutboxProvider = { provide: Outbox, inject: [QUEUE_SETTINGS], useFactory: openOutbox };

const optionalQueueProviders = {
  jobs: { provide: Jobs, inject: [QUEUE_SETTINGS], useFactory: openJobs },
  eventLog: { provide: EventLog, inject: [QUEUE_SETTINGS, Outbox], useFactory: openEventLog },
};

const optionalQueueServices = [Jobs, EventLog].map((token) => ({ token, optional: true }));

const queueSupportProviders: Provider[] = [
  QueueHandlers,
  {
    provide: QueueHealth,
    inject: [QUEUE_SETTINGS],
    useFactory: (settings: QueueSettings) => new QueueHealth(settings),
  },
  {
    provide: QueueMetrics,
    inject: [Outbox, ...optionalQueueServices],
    useFactory: (outbox: Outbox, jobs?: Jobs, eventLog?: EventLog) => new QueueMetrics({ outbox, jobs, eventLog }),
  },
  {
    provide: QueueLifecycle,
    inject: [QUEUE_SETTINGS, QueueHandlers, QueueHealth, Outbox, ...optionalQueueServices],
    useFactory: (
      settings: QueueSettings,
      handlers: QueueHandlers,
      health: QueueHealth,
      outbox: Outbox,
      jobs?: Jobs,
      eventLog?: EventLog,
    ) => new QueueLifecycle({ settings, handlers, health, outbox, jobs: jobs ?? null, eventLog: eventLog ?? null }),
  },
];
