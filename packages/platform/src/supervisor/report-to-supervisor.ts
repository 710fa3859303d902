import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { Health } from '../lifecycle/health.js';
import type { Shutdown } from '../lifecycle/shutdown.js';
import type { Metrics } from '../metrics/metrics.js';
import { isSupervisorMessage, type ProcessMessage, supervisedArgument } from './messages.js';

/** Interval between readiness checks until the first one passes, in milliseconds. */
const READINESS_CHECK_MS = 100;

/** Parts of a service that its supervisor asks for. */
export interface ReportedParts {
  readonly health: Health;
  readonly metrics: Metrics;
  readonly shutdown: Shutdown;
}

/** Returns true in a process that the supervisor of this package has started. */
export function isSupervised(): boolean {
  return cluster.isWorker && process.argv.includes(supervisedArgument);
}

/**
 * Connects a process that listens to its supervisor: reports the first readiness, responds with health and metrics, and
 * stops when a successor is ready or when the supervisor has ended.
 */
export function reportToSupervisor({ health, metrics, shutdown }: ReportedParts): void {
  // SIGHUP is for the supervisor. A terminal or a service manager may send it to all processes.
  process.on('SIGHUP', () => undefined);
  process.on('message', (message: unknown) => {
    if (!isSupervisorMessage(message)) return;
    if (message.supervisor === 'replaced') {
      health.markReplaced();
      void shutdown.stopAndExit('replaced by another process');
      return;
    }
    const body = message.supervisor === 'health' ? health.report() : metrics.snapshot();
    void body.then((response) => send({ process: 'response', id: message.id, body: response }));
  });
  // By default the module exits at once when the supervisor has ended, without completing requests.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', () => void shutdown.stopAndExit('the supervisor has ended', 1));
  // In the phase after the last request, and before the connections are closed that some figures are read from.
  shutdown.addStep('drain', 'last metrics', async () => {
    await send({ process: 'last metrics', body: await metrics.snapshot() });
  });
  void send({ process: 'listening' });
  void reportReadiness(health, shutdown);
}

async function reportReadiness(health: Health, shutdown: Shutdown): Promise<void> {
  while (!shutdown.hasStarted) {
    const { status } = await health.report();
    if (status === 'ok' || status === 'degraded') return send({ process: 'ready' });
    await delay(READINESS_CHECK_MS);
  }
}

/** Sends a message and waits until it is written. A supervisor that has ended needs none. */
function send(message: ProcessMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}
