import cluster from 'node:cluster';
import type { PlatformConfig } from '../configuration/platform-environment.js';
import { Shutdown } from '../lifecycle/shutdown.js';
import type { Logger } from '../logging/logger.js';
import { Metrics } from '../metrics/metrics.js';
import { serveMetricsIfConfigured } from '../metrics/metrics-server.js';
import { countAvailableCores } from './available-cores.js';
import { isSupervisedProcess, supervisedProcessArgument } from './supervisor-messages.js';
import { MetricTotals, type ProcessMetricsSnapshot, excludeGauges } from './metric-totals.js';
import { SupervisedProcess } from './supervised-process.js';
import { ProcessSupervisor } from './process-supervisor.js';

/** Time in milliseconds, in addition to SHUTDOWN_TIMEOUT_MS, that a process has to stop before it is killed. */
const KILL_DELAY_MS = 500;

/** Time in milliseconds for the supervisor's own shutdown steps, which run after all processes have ended. */
const SUPERVISOR_SHUTDOWN_MS = 500;

/** Name, configuration and logger of the supervisor. Times in `config` are in milliseconds. */
export interface ProcessSupervisionOptions {
  /** Name of the supervised service in logs. */
  readonly name: string;
  readonly config: Pick<
    PlatformConfig,
    'PROCESSES' | 'REPLACEMENT_TIMEOUT_MS' | 'SHUTDOWN_TIMEOUT_MS' | 'METRICS_HOST' | 'METRICS_PORT'
  >;
  readonly logger: Logger;
}

/**
 * Makes this process the supervisor of `PROCESSES` child processes that run the same program. The promise then never
 * resolves. In the child processes, and if PROCESSES is 1, the function returns immediately. Must be called before the
 * first connection is opened, because the supervisor opens no connections.
 *
 * SIGTERM and SIGINT stop all processes. SIGHUP replaces the processes one after another by new processes, which load
 * the current files on disk. A process that dies is restarted. After too many deaths within a minute, all processes are
 * stopped, with exit code 1. The supervisor serves `/metrics`, `/health/live` and `/health/ready` on METRICS_HOST and
 * METRICS_PORT.
 */
export async function superviseProcesses({ name, config, logger }: ProcessSupervisionOptions): Promise<void> {
  const { PROCESSES, SHUTDOWN_TIMEOUT_MS, REPLACEMENT_TIMEOUT_MS } = config;
  if (isSupervisedProcess()) {
    // SIGHUP is for the supervisor. A terminal or a service manager may send it to all processes, also at their start.
    process.on('SIGHUP', () => undefined);
    return;
  }
  if (PROCESSES === 1) return;
  const count = PROCESSES === 'auto' ? countAvailableCores() : PROCESSES;
  const killAfterMs = SHUTDOWN_TIMEOUT_MS + KILL_DELAY_MS;
  const shutdown = new Shutdown({ timeoutMs: killAfterMs + SUPERVISOR_SHUTDOWN_MS, logger, stopsOnHangup: false });
  const metrics = new Metrics();
  const deaths = metrics.addCounter({ name: 'supervisor_deaths_total', help: 'Processes that died' });
  const sums = new MetricTotals();
  const supervisor = new ProcessSupervisor({
    count,
    fork: () => new SupervisedProcess(cluster.fork()),
    replacementTimeoutMs: REPLACEMENT_TIMEOUT_MS,
    killAfterMs,
    logger,
    onDeath: () => deaths.inc(),
    onEnd: ({ lastMetrics }) => {
      try {
        if (lastMetrics !== undefined) sums.addEndedProcess(lastMetrics);
      } catch (err) {
        // Metrics of another release may be of an unknown form. They must not end the supervisor.
        logger.error({ err }, 'the metrics of a process that ended could not be added');
      }
    },
    onGivenUp: () => void shutdown.stopAndExit('processes died too often', 1),
  });
  metrics.addGaugeReadAtScrape('supervisor_processes', 'Running processes', () => supervisor.processes.length);
  shutdown.addStep('intake', 'processes', async () => {
    if (!(await supervisor.stop())) throw new Error('a process did not stop in order');
  });
  shutdown.listenForSignals();
  process.on('SIGHUP', () => void supervisor.replaceAll());
  // Also after a second signal, or an error of the supervisor, no process remains.
  process.once('exit', () => supervisor.kill());
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ args: [...process.argv.slice(2), supervisedProcessArgument] });
  supervisor.start();
  logger.info({ processes: count }, 'supervising processes');
  const render = async () => sums.render(await readMetricsSnapshots(supervisor, metrics));
  await serveMetricsIfConfigured({ name, config, shutdown, logger, metrics: { render }, health: supervisor });
  // The program of the service continues only in its processes.
  await new Promise<never>(() => undefined);
}

/** Returns snapshots of the metrics of the supervisor and of all its processes. */
async function readMetricsSnapshots(
  supervisor: ProcessSupervisor,
  own: Metrics,
): Promise<readonly ProcessMetricsSnapshot[]> {
  const ownSnapshot = await own.snapshot();
  const asked = new Map(
    await Promise.all(supervisor.processes.map(async (one) => [one, await one.requestMetrics()] as const)),
  );
  // Read again, because the metrics of a process that has ended meanwhile are part of the sums already.
  const snapshots = supervisor.processes.flatMap((one) => {
    const { pid, lastMetrics } = one;
    const current = asked.get(one);
    if (current !== undefined) return { pid, ...current };
    return lastMetrics === undefined ? [] : { pid, ...lastMetrics, figures: excludeGauges(lastMetrics.figures) };
  });
  return [{ pid: process.pid, ...ownSnapshot }, ...snapshots];
}
