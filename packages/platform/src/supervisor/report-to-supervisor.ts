import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Health } from '../lifecycle/health.js';
import type { Shutdown } from '../lifecycle/shutdown.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import { isSupervisorMessage, type ProcessMessage, type ProcessResponses } from './messages.js';

/** Interval between readiness checks until the first one passes, in milliseconds. */
const READINESS_CHECK_MS = 100;

/** Time limit to read the metrics of a process that stops, in milliseconds. */
const LAST_METRICS_MS = 2_000;

/** Parts of a service that the supervisor monitors and stops. */
export interface ReportedParts {
  readonly health: Health;
  readonly metrics: Metrics;
  readonly shutdown: Shutdown;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Connects a process that listens to its supervisor: reports the first readiness, responds with health and metrics, and
 * stops when a successor is ready or when the supervisor has ended.
 */
export function reportToSupervisor(parts: ReportedParts): void {
  const { health, metrics, shutdown, logger } = parts;
  process.on('message', (message: unknown) => {
    if (!isSupervisorMessage(message)) return;
    if (message.supervisor === 'stop') void shutdown.stopAndExit('stopped by the supervisor');
    else if (message.supervisor === 'replaced') {
      health.markReplaced();
      void shutdown.stopAndExit('replaced by another process');
    } else void respond(message.id, message.supervisor, parts);
  });
  // By default the module exits at once when the supervisor has ended, without completing requests.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', () => void shutdown.stopAndExit('the supervisor has ended', 1));
  // After the last work, and before the connections are closed that some metrics are read from.
  shutdown.addStep('report', 'last metrics', async (hurry) => {
    try {
      const waiting = AbortSignal.any([hurry, AbortSignal.timeout(LAST_METRICS_MS)]);
      const body = await Promise.race([metrics.snapshot(), rejectOnAbort(waiting)]);
      await send({ process: 'last metrics', body });
    } catch (err) {
      // The supervisor then uses the metrics of its last request. The stop is in order nevertheless.
      logger.warn({ err }, 'the last metrics could not be read');
    }
  });
  void send({ process: 'listening' });
  void reportReadiness(health, shutdown);
}

/** Responds to a request of the supervisor. An error is logged, because it must not end the process. */
async function respond(
  id: number,
  kind: keyof ProcessResponses,
  { health, metrics, logger }: ReportedParts,
): Promise<void> {
  try {
    const body = await (kind === 'health' ? health.report() : metrics.snapshot());
    await send({ process: 'response', id, body });
  } catch (err) {
    logger.warn({ err, kind }, 'a request of the supervisor failed');
    await send({ process: 'response', id });
  }
}

async function reportReadiness(health: Health, shutdown: Shutdown): Promise<void> {
  while (!shutdown.hasStarted) {
    const { status } = await health.report();
    if (status === 'ok' || status === 'degraded') return send({ process: 'ready' });
    await delay(READINESS_CHECK_MS);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void => reject(new Error('no metrics in time'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

/** Sends a message and waits until it is written. A supervisor that has ended needs none. */
function send(message: ProcessMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}
