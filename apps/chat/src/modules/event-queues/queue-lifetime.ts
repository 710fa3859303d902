import type { ChatConfig } from '../../config.js';
import type { ParametersOf } from '../../http/parameter-decorators.js';
import type { registerParameters } from './register.schemas.js';

const longestSeconds = 604_800;

type Lifetimes = Pick<ChatConfig, 'EVENT_QUEUE_IDLE_SECONDS' | 'EVENT_QUEUE_MOBILE_IDLE_SECONDS'>;

/** How long a queue lives unpolled, in seconds: as asked for, within 1 second and 7 days (chat-contract 3.1). */
export function idleTimeoutSeconds(parameters: ParametersOf<typeof registerParameters>, config: Lifetimes): number {
  const { idle_queue_timeout: wanted, lifespan_secs: older } = parameters;
  if (wanted?.includes('mobile')) return config.EVENT_QUEUE_MOBILE_IDLE_SECONDS;
  if (wanted !== undefined) return clamp(Number(wanted));
  return older > 0 ? clamp(older) : config.EVENT_QUEUE_IDLE_SECONDS;
}

function clamp(seconds: number): number {
  return Math.min(Math.max(seconds, 1), longestSeconds);
}
