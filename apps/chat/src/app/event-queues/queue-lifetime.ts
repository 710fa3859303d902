import type { ChatConfig } from '../../config.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import type { registerParameters } from './register-request.schemas.js';

type QueueLifetimeSettings = Pick<
  ChatConfig,
  'EVENT_QUEUE_IDLE_SECONDS' | 'EVENT_QUEUE_MOBILE_IDLE_SECONDS' | 'EVENT_QUEUE_MAX_IDLE_SECONDS'
>;

/**
 * Returns the idle timeout of an event queue in seconds: the requested time, but at least 1 second and at most the
 * configured maximum (docs/contract/chat.md 3.1).
 */
export function getQueueIdleTimeoutSeconds(
  parameters: ParametersOf<typeof registerParameters>,
  config: QueueLifetimeSettings,
): number {
  const { idle_queue_timeout: requested, lifespan_secs: older } = parameters;
  if (requested?.includes('mobile')) return config.EVENT_QUEUE_MOBILE_IDLE_SECONDS;
  if (requested !== undefined) return limitNumberToRange(Number(requested), config);
  return older > 0 ? limitNumberToRange(older, config) : config.EVENT_QUEUE_IDLE_SECONDS;
}

function limitNumberToRange(seconds: number, { EVENT_QUEUE_MAX_IDLE_SECONDS: most }: QueueLifetimeSettings): number {
  return Math.min(Math.max(seconds, 1), most);
}
