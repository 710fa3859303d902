import type { Type } from '@nestjs/common';
import type { ChatConfig } from '../config.js';
import { eventQueuesFeatureModule } from './event-queues/index.js';
import { ChatEventWriter } from '../events/chat-events.js';
import type { FeatureModule } from '../events/define-feature-slice.js';
import type { EventTypeOfUnknownPayload } from '../events/define-event-type.js';
import type { ChatRuntime } from './runtime.js';
import { allEventTypes, chatFeatureModules } from './slices.js';

/** Process objects that the feature modules of the service may use. */
export type FeatureModulesRuntime = ChatRuntime & {
  readonly events: ChatEventWriter;
  /** All event types of the service, by name of the event type. */
  readonly eventTypes: ReadonlyMap<string, EventTypeOfUnknownPayload>;
};

/** Returns the process objects that the feature modules of the service may use. */
export function createFeatureModulesRuntime(runtime: ChatRuntime): FeatureModulesRuntime {
  return {
    ...runtime,
    events: createChatEventEmitter(runtime),
    eventTypes: new Map(allEventTypes.map((type) => [type.name, type])),
  };
}

/** Creates the object that writes events to the event log and also sends the events to webhooks. */
export function createChatEventEmitter({ eventLog, config, eventWebhooks }: ChatRuntime): ChatEventWriter {
  return new ChatEventWriter(eventLog, config, eventWebhooks.sink);
}

/**
 * All feature modules of the service. The module of event queues uses the events and snapshot parts of the other
 * modules.
 */
export const createFeatureModules: readonly FeatureModule<FeatureModulesRuntime>[] = [
  ...chatFeatureModules,
  eventQueuesFeatureModule,
];

/** Returns the controllers of all feature modules that are registered in the given mode (`NODE_ENV`). */
export function listFeatureModuleControllers({ NODE_ENV: mode }: Pick<ChatConfig, 'NODE_ENV'>): Type[] {
  return createFeatureModules.flatMap((slice) => slice.controllersIn(mode));
}
