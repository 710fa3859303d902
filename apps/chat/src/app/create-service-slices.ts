import type { Type } from '@nestjs/common';
import type { ChatConfig } from '../config.js';
import { eventQueuesSlice } from './event-queues/index.js';
import { ChatEvents } from '../events/chat-events.js';
import type { FeatureSlice } from '../events/define-feature-slice.js';
import type { AnyEventType } from '../events/define-event-type.js';
import type { ChatRuntime } from './runtime.js';
import { allEventTypes, chatSlices } from './slices.js';

/** Process objects that the feature modules of the service may use. */
export type ServiceSlicesRuntime = ChatRuntime & {
  readonly events: ChatEvents;
  /** All event types of the service, by name of the event type. */
  readonly eventTypes: ReadonlyMap<string, AnyEventType>;
};

/** Returns the process objects that the feature modules of the service may use. */
export function createSliceRuntime(runtime: ChatRuntime): ServiceSlicesRuntime {
  return {
    ...runtime,
    events: createEvents(runtime),
    eventTypes: new Map(allEventTypes.map((type) => [type.name, type])),
  };
}

/** Creates the object that writes events to the event log and also sends the events to webhooks. */
export function createEvents({ eventLog, config, eventWebhooks }: ChatRuntime): ChatEvents {
  return new ChatEvents(eventLog, config, eventWebhooks.sink);
}

/**
 * All feature modules of the service. The module of event queues uses the events and snapshot parts of the other
 * modules.
 */
export const serviceSlices: readonly FeatureSlice<ServiceSlicesRuntime>[] = [...chatSlices, eventQueuesSlice];

/** Returns the controllers of all feature modules that are registered in the given mode (`NODE_ENV`). */
export function listControllers({ NODE_ENV: mode }: Pick<ChatConfig, 'NODE_ENV'>): Type[] {
  return serviceSlices.flatMap((slice) => slice.controllersIn(mode));
}
