import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Shutdown } from '../lifecycle/shutdown.js';
import { isPortInUseError, serveMetricsIfConfigured } from '../metrics/metrics-server.js';
import { isSupervisedProcess } from '../supervisor/supervisor-messages.js';
import { reportToSupervisor } from '../supervisor/report-to-supervisor.js';
import { createService } from './create-service.js';
import type { ServiceOptions } from './service-options.js';

/**
 * Time for which a process that was replaced on SIGHUP still accepts requests, in milliseconds. During this time, each
 * response closes its connection, so that clients do not send requests on connections that are then closed as idle.
 */
const REPLACED_PROCESS_DELAY_MS = 1_000;

/** Options of {@link runService}, in addition to the options of the service itself. */
export interface RunServiceOptions extends ServiceOptions {
  /** TCP port on which the service listens; 0 selects a free port. */
  port: number;
  host: string;
  shutdown: Shutdown;
  /** Name of the environment variable that sets the port. An error message about a port in use contains this name. */
  portVariable?: string;
}

/** A started service that accepts requests. */
export interface RunningService {
  app: NestFastifyApplication;
  port: number;
  /** URL of the service, of the form `http://<host>:<port>`. */
  url: string;
}

/** Error for a TCP port that another program already uses. */
export class PortTakenError extends Error {
  constructor(
    readonly port: number,
    host: string,
    portVariable: string | undefined,
  ) {
    const remedy = portVariable === undefined ? 'choose another port' : `set ${portVariable} to a free port`;
    super(`Port ${port} on ${host} is used by another program. Stop that program, or ${remedy}.`);
    this.name = 'PortTakenError';
  }
}

/**
 * Starts a service: creates the application, listens on a port, serves `/metrics` on a separate port, and registers the
 * shutdown steps. A process with a supervisor sends its metrics to the supervisor instead of serving them. During
 * shutdown, the process is first no longer ready. After SHUTDOWN_DELAY_MS the port closes, idle connections end, and
 * running requests are completed. The service itself must end its long polls in a concurrent step of the phase
 * `intake`. If the service cannot start, the error is logged, and the process exits with code 1 after the shutdown.
 *
 * @throws PortTakenError, or the error of the setup, if `shutdown` has not ended the process before
 */
export async function runService(options: RunServiceOptions): Promise<RunningService> {
  const { shutdown, logger, health } = options;
  try {
    const app = await createService(options);
    shutdown.addStep('notice', `${options.name} readiness`, async (hurry) => {
      if (!health.isReplaced) health.markStopping();
      // Requests in the queue of a closing port are lost, so the load balancer must stop sending requests first.
      const delayMs = health.isReplaced ? REPLACED_PROCESS_DELAY_MS : options.config.SHUTDOWN_DELAY_MS;
      await delay(delayMs, undefined, { signal: hurry }).catch(() => undefined);
    });
    shutdown.addStep('intake', `${options.name} server`, (hurry) => closeHttpServer(app, hurry));
    const port = await listenOnPort(app, options);
    shutdown.listenForSignals();
    const host = options.host.includes(':') ? `[${options.host}]` : options.host;
    const url = `http://${host}:${port}`;
    logger.info({ url }, 'listening');
    if (isSupervisedProcess()) reportToSupervisor(options);
    else
      await serveMetricsIfConfigured({
        name: options.name,
        config: options.config,
        metrics: options.metrics,
        shutdown,
        logger,
      });
    return { app, port, url };
  } catch (error) {
    if (error instanceof PortTakenError) {
      logger.fatal(error.message);
    } else {
      logger.fatal({ err: error }, 'the service cannot start');
    }
    await shutdown.stopAndExit('failed start', 1);
    throw error;
  }
}

async function listenOnPort(app: NestFastifyApplication, options: RunServiceOptions): Promise<number> {
  try {
    await app.listen(options.port, options.host);
  } catch (error) {
    if (isPortInUseError(error)) {
      throw new PortTakenError(options.port, options.host, options.portVariable);
    }
    throw error;
  }
  const address: AddressInfo | string | null = app.getHttpServer().address();
  return typeof address === 'object' && address !== null ? address.port : options.port;
}

/**
 * Closes the HTTP server after its last request is completed. When `hurry` is aborted, closes all connections
 * immediately.
 */
async function closeHttpServer(app: NestFastifyApplication, hurry: AbortSignal): Promise<void> {
  const cut = (): void => app.getHttpServer().closeAllConnections();
  hurry.addEventListener('abort', cut, { once: true });
  if (hurry.aborted) {
    cut();
  }
  try {
    await app.close();
  } finally {
    hurry.removeEventListener('abort', cut);
  }
}
