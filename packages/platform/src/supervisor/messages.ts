import type { HealthReport } from '../lifecycle/health.js';
import type { MetricsSnapshot } from '../metrics/metrics-snapshot.js';

/**
 * Last argument of the processes that the supervisor starts. Another program that uses the cluster module does not pass
 * it, so that a service which it starts is not taken for one of the supervisor's.
 */
export const supervisedArgument = '--supervised';

/** Responses of a supervised process by the kind of the request. */
export interface ProcessResponses {
  health: HealthReport;
  metrics: MetricsSnapshot;
}

/** Message of the supervisor to a process: a request, or the order to stop because its successor is ready. */
export type SupervisorMessage =
  | { readonly supervisor: keyof ProcessResponses; readonly id: number }
  | { readonly supervisor: 'replaced' };

/**
 * Message of a process to the supervisor: it responds to requests from now on, it is ready for the first time, its last
 * metrics, or a response.
 */
export type ProcessMessage =
  | { readonly process: 'listening' }
  | { readonly process: 'ready' }
  | { readonly process: 'last metrics'; readonly body: MetricsSnapshot }
  | { readonly process: 'response'; readonly id: number; readonly body: ProcessResponses[keyof ProcessResponses] };

/** Returns true for a message of the supervisor. Libraries may use the same channel. */
export function isSupervisorMessage(message: unknown): message is SupervisorMessage {
  return typeof message === 'object' && message !== null && 'supervisor' in message;
}

/** Returns true for a message of a supervised process. Libraries may use the same channel. */
export function isProcessMessage(message: unknown): message is ProcessMessage {
  return typeof message === 'object' && message !== null && 'process' in message;
}
