import type { ChatConfig } from '../../config.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import type { registerParameters } from './register-request.schemas.js';

type LifetimeSettings = Pick<
  ChatConfig,
  'EVENT_QUEUE_IDLE_SECONDS' | 'EVENT_QUEUE_MOBILE_IDLE_SECONDS' | 'EVENT_QUEUE_MAX_IDLE_SECONDS'
>;

/**
 * Returns the idle timeout of an event queue in seconds: the requested time, but at least 1 second and at most the
 * configured maximum (docs/contract/chat.md 3.1).
 */
export function idleTimeoutSeconds(
  parameters: ParametersOf<typeof registerParameters>,
  config: LifetimeSettings,
): number {
  const { idle_queue_timeout: requested, lifespan_secs: older } = parameters;
  if (requested?.includes('mobile')) return config.EVENT_QUEUE_MOBILE_IDLE_SECONDS;
  if (requested !== undefined) return limitToRange(Number(requested), config);
  return older > 0 ? limitToRange(older, config) : config.EVENT_QUEUE_IDLE_SECONDS;
}

function limitToRange(seconds: number, { EVENT_QUEUE_MAX_IDLE_SECONDS: most }: LifetimeSettings): number {
  return Math.min(Math.max(seconds, 1), most);
}
