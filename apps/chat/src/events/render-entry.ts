import { audienceIncludes, type LogEntry, type QueueRecord, type Renderer } from '@switchboard/queue';
import type { ChatActor } from '../access/actor.js';
import type { EventRenderer } from './event-type.js';
import { queueFilter, type QueueFilter, queueForm, type QueueForm } from './queue-options.js';

/**
 * Renders the entries of the log for one queue of this owner: those that its filter wants, in the form that its
 * client asked for when it registered. Entries of types that this version does not know are left out: during a rolling
 * deploy an older process may meet them.
 */
export function entryRenderer(types: ReadonlyMap<string, EventRenderer>, viewer: ChatActor): Renderer {
  let options: (QueueFilter & QueueForm) | undefined;
  return (entry, queue) => {
    options ??= { ...queueFilter.parse(queue.filter), ...queueForm.parse(queue.capabilities) };
    const { name, payload } = entry.event;
    const type = typeof name === 'string' ? types.get(name) : undefined;
    if (type === undefined || typeof payload !== 'object' || payload === null) return [];
    if (options.eventTypes !== null && !options.eventTypes.includes(type.type)) return [];
    const event = type.renderStored(payload, {
      ...options,
      viewer,
      queueId: queue.id,
      filter: options,
      isAddressee: isAddressee(entry, queue),
    });
    return event === null ? [] : [{ ...event }];
  };
}

function isAddressee(entry: LogEntry, queue: QueueRecord): boolean {
  return audienceIncludes(entry.audience, queue.user, []);
}
