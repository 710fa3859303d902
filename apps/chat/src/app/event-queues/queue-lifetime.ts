import type { ChatConfig } from '../../config.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import type { registerEventQueueParameters } from './register-request.schemas.js';

type EventQueueLifetimeSettings = Pick<
  ChatConfig,
  'EVENT_QUEUE_IDLE_SECONDS' | 'EVENT_QUEUE_MOBILE_IDLE_SECONDS' | 'EVENT_QUEUE_MAX_IDLE_SECONDS'
>;

/**
 * Returns the idle timeout of an event queue in seconds (docs/contract/chat.md 3.1). This is the requested time, but at
 * least 1 second and at most the configured maximum.
 */
export function getQueueIdleTimeoutSeconds(
  parameters: DecodedParametersOfDefinition<typeof registerEventQueueParameters>,
  config: EventQueueLifetimeSettings,
): number {
  const { idle_queue_timeout: requested, lifespan_secs: older } = parameters;
  if (requested?.includes('mobile')) return config.EVENT_QUEUE_MOBILE_IDLE_SECONDS;
  if (requested !== undefined) return limitIdleTimeoutSeconds(Number(requested), config);
  return older > 0 ? limitIdleTimeoutSeconds(older, config) : config.EVENT_QUEUE_IDLE_SECONDS;
}

function limitIdleTimeoutSeconds(
  seconds: number,
  { EVENT_QUEUE_MAX_IDLE_SECONDS: most }: EventQueueLifetimeSettings,
): number {
  return Math.min(Math.max(seconds, 1), most);
}
