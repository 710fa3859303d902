import cluster from 'node:cluster';
import type { HealthReport } from '../lifecycle/process-health.js';
import type { MetricsSnapshot } from '../metrics/metrics-snapshot.js';

/**
 * Last argument of the processes that the supervisor starts. The argument distinguishes these processes from workers of
 * another program that uses Node's cluster module, such as a process manager.
 */
export const supervisedProcessArgument = '--supervised';

/** Returns true if the supervisor of this package has started the current process. */
export function isSupervisedProcess(): boolean {
  return cluster.isWorker && process.argv.includes(supervisedProcessArgument);
}

/** Responses of a supervised process by the kind of request that the supervisor sends. */
export interface ProcessResponseByRequest {
  health: HealthReport;
  metrics: MetricsSnapshot;
}

/** Message that the supervisor sends to a supervised process. */
export type SupervisorMessage =
  | { readonly supervisor: keyof ProcessResponseByRequest; readonly id: number }
  /** Request to stop, because a new process that replaces the process is ready. */
  | { readonly supervisor: 'replaced' }
  /** Request to stop, because the service stops or because the process did not become ready in time. */
  | { readonly supervisor: 'stop' };

/** Message that a supervised process sends to the supervisor. */
export type SupervisedProcessMessage =
  /** Message that the process now responds to requests of the supervisor. */
  | { readonly process: 'listening' }
  /** Message that the readiness check of the process has passed for the first time. */
  | { readonly process: 'ready' }
  /** Message with the last metrics of a process that is stopping, after the end of its work. */
  | { readonly process: 'last metrics'; readonly body: MetricsSnapshot }
  /** Response of the process to a request of the supervisor. The body is missing if the process failed to create it. */
  | {
      readonly process: 'response';
      readonly id: number;
      readonly body?: ProcessResponseByRequest[keyof ProcessResponseByRequest] | undefined;
    };

/** Returns true if a message is from the supervisor. The check is needed because libraries may use the same channel. */
export function isSupervisorMessage(message: unknown): message is SupervisorMessage {
  return typeof message === 'object' && message !== null && 'supervisor' in message;
}

/**
 * Returns true if a message is from a supervised process. The check is needed because libraries may use the same
 * channel.
 */
export function isSupervisedProcessMessage(message: unknown): message is SupervisedProcessMessage {
  return typeof message === 'object' && message !== null && 'process' in message;
}
