import cluster from 'node:cluster';
import type { HealthReport } from '../lifecycle/process-health.js';
import type { MetricsSnapshot } from '../metrics/metrics-snapshot.js';

/**
 * Last argument of the processes that the supervisor starts. It distinguishes them from workers of another program that
 * uses the cluster module, such as a process manager.
 */
export const supervisedProcessArgument = '--supervised';

/** Returns true in a process that the supervisor of this package has started. */
export function isSupervisedProcess(): boolean {
  return cluster.isWorker && process.argv.includes(supervisedProcessArgument);
}

/** Responses of a supervised process by the kind of the request. */
export interface ProcessResponseByRequest {
  health: HealthReport;
  metrics: MetricsSnapshot;
}

/** Message of the supervisor to a process. */
export type SupervisorMessage =
  | { readonly supervisor: keyof ProcessResponseByRequest; readonly id: number }
  /** Order to stop because the successor of the process is ready. */
  | { readonly supervisor: 'replaced' }
  /** Order to stop because the service stops, or because the process did not become ready in time. */
  | { readonly supervisor: 'stop' };

/** Message of a process to the supervisor. */
export type SupervisedProcessMessage =
  /** The process responds to requests of the supervisor from now on. */
  | { readonly process: 'listening' }
  /** The readiness check has passed for the first time. */
  | { readonly process: 'ready' }
  /** Metrics after the last work of a process that stops. */
  | { readonly process: 'last metrics'; readonly body: MetricsSnapshot }
  /** Response to a request. It has no body if the process failed to create it. */
  | {
      readonly process: 'response';
      readonly id: number;
      readonly body?: ProcessResponseByRequest[keyof ProcessResponseByRequest] | undefined;
    };

/** Returns true for a message of the supervisor. Libraries may use the same channel. */
export function isSupervisorMessage(message: unknown): message is SupervisorMessage {
  return typeof message === 'object' && message !== null && 'supervisor' in message;
}

/** Returns true for a message of a supervised process. Libraries may use the same channel. */
export function isSupervisedProcessMessage(message: unknown): message is SupervisedProcessMessage {
  return typeof message === 'object' && message !== null && 'process' in message;
}
