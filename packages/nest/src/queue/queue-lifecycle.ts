import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { type EventLog, Jobs, type Outbox } from '@switchboard/queue';
import type { QueueHandlers } from './queue-handlers.js';
import type { QueueHealth } from './queue-health.js';
import type { QueueSettings } from './queue-options.js';

/** Parts of the queue module that {@link QueueLifecycle} starts and stops: outbox, jobs and event log. */
export interface QueueParts {
  readonly settings: QueueSettings;
  readonly outbox: Outbox;
  readonly jobs: Jobs | null;
  readonly eventLog: EventLog | null;
  readonly handlers: QueueHandlers;
  readonly health: QueueHealth;
}

/**
 * Starts the parts of {@link QueueModule} when all modules are initialized, and stops the parts when the application
 * stops.
 *
 * The stop first ends pending polls, so that the HTTP server can close, and then running jobs. After that, the outbox
 * dispatches the rows that are ready, and connections close. Jobs can be added until the outbox has stopped, because
 * dispatched rows add jobs.
 */
export class QueueLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(private readonly parts: QueueParts) {}

  /**
   * Starts the outbox, the jobs and the event log when all modules are initialized. @throws QueueUsageError if a
   *   handler is invalid, or if the outbox belongs to another deployment
   */
  async onApplicationBootstrap(): Promise<void> {
    this.addShutdownSteps();
    try {
      this.registerHandlers();
      await this.start();
    } catch (error) {
      // Nest calls no shutdown hooks of an application that failed to start.
      await this.onApplicationShutdown();
      throw error;
    }
  }

  beforeApplicationShutdown(): void {
    if (!this.parts.settings.shutdown) this.parts.eventLog?.endPolls();
  }

  async onApplicationShutdown(): Promise<void> {
    const { shutdown, closePool } = this.parts.settings;
    if (shutdown) return;
    await this.stopWork();
    await this.closeConnections();
    await this.attempt('pool', closePool);
  }

  private addShutdownSteps(): void {
    const { settings, eventLog } = this.parts;
    const { shutdown, closePool } = settings;
    shutdown?.addStep('intake', 'event polls', async () => eventLog?.endPolls());
    shutdown?.addStep('drain', 'queues', () => this.stopWork());
    shutdown?.addStep('redis', 'queue connections', () => this.closeConnections());
    if (closePool) shutdown?.addStep('postgres', 'pool', closePool);
  }

  private registerHandlers(): void {
    const { handlers, settings, outbox, jobs } = this.parts;
    const given = settings.jobs;
    const isKnown = given !== undefined && !(given instanceof Jobs);
    handlers.register({ outbox, jobs }, isKnown ? new Set(given.definitions.map(({ name }) => name)) : null);
  }

  private async start(): Promise<void> {
    const { settings, outbox, jobs, eventLog } = this.parts;
    const { role = 'all' } = settings;
    eventLog?.start();
    await outbox.start(role);
    if (role !== 'api') jobs?.start();
  }

  private async stopWork(): Promise<void> {
    const { jobs, outbox } = this.parts;
    await this.attempt('jobs', () => jobs?.stopWorkers());
    await this.attempt('outbox', () => outbox.stop());
  }

  private async closeConnections(): Promise<void> {
    const { jobs, eventLog, health } = this.parts;
    await this.attempt('event log', () => eventLog?.stop());
    await this.attempt('jobs', () => jobs?.stop());
    health.close();
  }

  /** Runs one step of the shutdown. An error of the step is only logged, so that the next steps run. */
  private async attempt(part: string, stop: (() => Promise<void> | undefined) | undefined): Promise<void> {
    try {
      await stop?.();
    } catch (err) {
      this.parts.settings.logger.error({ err, part }, 'a part of the queue could not be stopped');
    }
  }
}
