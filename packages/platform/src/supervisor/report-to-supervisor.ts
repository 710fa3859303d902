import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessHealth } from '../lifecycle/process-health.js';
import type { Shutdown } from '../lifecycle/shutdown.js';
import type { Logger } from '../logging/logger.js';
import type { Metrics } from '../metrics/metrics.js';
import {
  isSupervisorMessage,
  type SupervisedProcessMessage,
  type ProcessResponseByRequest,
} from './supervisor-messages.js';

/** Interval in milliseconds between readiness checks of a new process, until the first check passes. */
const READINESS_CHECK_MS = 100;

/** Time limit in milliseconds for reading the metrics of a process that is stopping. */
const LAST_METRICS_LIMIT_MS = 2_000;

/** Parts of a service that the supervisor monitors and stops. */
export interface SupervisedServiceParts {
  readonly health: ProcessHealth;
  readonly metrics: Metrics;
  readonly shutdown: Shutdown;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Connects a process of the service to its supervisor, after the process has started to listen. Reports the first
 * readiness to the supervisor, and responds to its requests for health and metrics. Stops the process when the
 * supervisor requests this or has ended.
 */
export function reportToSupervisor(parts: SupervisedServiceParts): void {
  const { health, metrics, shutdown, logger } = parts;
  process.on('message', (message: unknown) => {
    if (!isSupervisorMessage(message)) return;
    if (message.supervisor === 'stop') void shutdown.stopAndExit('stopped by the supervisor');
    else if (message.supervisor === 'replaced') {
      health.markReplaced();
      void shutdown.stopAndExit('replaced by another process');
    } else void respondToSupervisor(message.id, message.supervisor, parts);
  });
  // By default the module exits at once when the supervisor has ended, without completing requests.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', () => void shutdown.stopAndExit('the supervisor has ended', 1));
  // After the last work, and before the connections are closed that some metrics are read from.
  shutdown.addStep('report', 'last metrics', async (hurry) => {
    try {
      const waiting = AbortSignal.any([hurry, AbortSignal.timeout(LAST_METRICS_LIMIT_MS)]);
      const body = await Promise.race([metrics.snapshot(), rejectOnAbort(waiting)]);
      await sendToSupervisor({ process: 'last metrics', body });
    } catch (err) {
      // The supervisor then uses the metrics of its last request. The stop is in order nevertheless.
      logger.warn({ err }, 'the last metrics could not be read');
    }
  });
  void sendToSupervisor({ process: 'listening' });
  void reportReadiness(health, shutdown);
}

/** Responds to a request of the supervisor. An error is only logged, because it must not end the process. */
async function respondToSupervisor(
  id: number,
  kind: keyof ProcessResponseByRequest,
  { health, metrics, logger }: SupervisedServiceParts,
): Promise<void> {
  try {
    const body = await (kind === 'health' ? health.runReadinessChecks() : metrics.snapshot());
    await sendToSupervisor({ process: 'response', id, body });
  } catch (err) {
    logger.warn({ err, kind }, 'a request of the supervisor failed');
    await sendToSupervisor({ process: 'response', id });
  }
}

async function reportReadiness(health: ProcessHealth, shutdown: Shutdown): Promise<void> {
  while (!shutdown.hasStarted) {
    const { status } = await health.runReadinessChecks();
    if (status === 'ok' || status === 'degraded') return sendToSupervisor({ process: 'ready' });
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

/**
 * Sends a message to the supervisor and waits until the message is written. Does nothing if the supervisor has ended.
 */
function sendToSupervisor(message: SupervisedProcessMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}
