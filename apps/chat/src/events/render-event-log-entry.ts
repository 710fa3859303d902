import {
  isInAudience,
  BadEventQueueError,
  type LogEntry,
  type EventQueueRecord,
  type LogEntryRenderer,
} from '@switchboard/queue';
import { type ChatActor, isGuest } from '../infra/http/chat-actor.js';
import { realmUserUpdateEvent } from '../core/users/index.js';
import { eventQueueEndEntryName } from './chat-events.js';
import type { EventViewer } from './event-viewer.js';
import type { EventTypeOfUnknownPayload } from './define-event-type.js';
import {
  eventQueueFilterSchema,
  type EventQueueFilter,
  eventQueueFormatSchema,
  type EventQueueFormat,
} from './event-queue-options.js';

/**
 * Thrown for an event log entry that this version of the service cannot read, because another version wrote the entry.
 */
export class UnreadableEventLogEntryError extends Error {
  override readonly name = 'UnreadableEventLogEntryError';
  constructor(
    readonly queueId: string,
    readonly entryName: string,
    cause?: unknown,
  ) {
    super(`Cannot read log entry ${entryName}`, { cause });
  }
}

/** Event types, viewer and decryption functions with which a poll renders event log entries. */
export interface EventLogEntryRenderingDependencies {
  readonly types: ReadonlyMap<string, EventTypeOfUnknownPayload>;
  readonly viewer: ChatActor;
  /** Decrypts the secrets of bots in event log entries. */
  readonly openSecret: EventViewer['openSecret'];
  /** Creates the tokens of links to export archives for the viewer. */
  readonly exportToken: EventViewer['exportToken'];
  /** True to validate each rendered event against its schema. Used in development and tests. */
  readonly checks: boolean;
}

/**
 * Returns a function that renders log entries for the event queues of one owner. The function applies the filter of the
 * queue, and the form that the client requested with POST /register. The function throws UnreadableEventLogEntryError
 * for an entry that it cannot read, because omitting the entry would lose the change. The function throws
 * BadEventQueueError at the entry that ends the owner's queues.
 */
export function createEventLogEntryRenderer({
  types,
  viewer: actor,
  openSecret,
  exportToken,
  checks,
}: EventLogEntryRenderingDependencies): LogEntryRenderer {
  // A poll that is pending during a role change continues with the new role, which is in the log.
  let viewer = actor;
  return (entry, queue) => {
    const options = getParsedEventQueueOptions(queue);
    const { name, payload } = entry.event;
    const role = name === realmUserUpdateEvent.name ? getEventAudienceRole(viewer, payload) : undefined;
    if (role !== undefined) viewer = { ...viewer, role };
    if (name === eventQueueEndEntryName) throw new BadEventQueueError(queue.id);
    const type = typeof name === 'string' ? types.get(name) : undefined;
    if (type === undefined || typeof payload !== 'object' || payload === null) {
      throw new UnreadableEventLogEntryError(queue.id, String(name));
    }
    const secrets = { openSecret, exportToken };
    const reader = { ...options, viewer, ...secrets, queueId: queue.id, isAddressee: isEventAddressee(entry, queue) };
    // Guests receive only entries addressed to them, even if the queue was created before they became guests.
    if (!reader.isAddressee && isGuest(viewer)) return [];
    const rendered = renderEventVariants(type, payload, reader);
    if (checks) for (const { event, schema } of rendered) schema.parse(event);
    return rendered.map(({ event }) => event);
  };
}

type EventQueueOptions = EventQueueFormat & Pick<EventViewer, 'filter' | 'wants'>;

/**
 * Cache of the parsed options of event queues, by filter and capabilities. Queues with equal options share filter and
 * capabilities. All polls use the cache, because parsing takes longer than rendering a message.
 */
const parsedEventQueueOptionsCache = new WeakMap<
  EventQueueRecord['filter'],
  WeakMap<EventQueueRecord['capabilities'], EventQueueOptions>
>();

function getParsedEventQueueOptions({ filter, capabilities }: EventQueueRecord): EventQueueOptions {
  let byCapabilities = parsedEventQueueOptionsCache.get(filter);
  if (byCapabilities === undefined) parsedEventQueueOptionsCache.set(filter, (byCapabilities = new WeakMap()));
  let options = byCapabilities.get(capabilities);
  if (options === undefined) byCapabilities.set(capabilities, (options = parseEventQueueOptions(filter, capabilities)));
  return options;
}

function parseEventQueueOptions(
  rawFilter: EventQueueRecord['filter'],
  capabilities: EventQueueRecord['capabilities'],
): EventQueueOptions {
  const filter: EventQueueFilter = eventQueueFilterSchema.parse(rawFilter);
  const listed = filter.eventTypes && new Set(filter.eventTypes);
  return {
    ...eventQueueFormatSchema.parse(capabilities),
    filter,
    wants: listed === null ? () => true : (type) => listed.has(type),
  };
}

function renderEventVariants(type: EventTypeOfUnknownPayload, payload: object, reader: EventViewer) {
  try {
    return type.renderStored(payload, reader);
  } catch (error) {
    throw new UnreadableEventLogEntryError(reader.queueId, type.name, error);
  }
}

function getEventAudienceRole(viewer: ChatActor, payload: unknown): number | undefined {
  const update = realmUserUpdateEvent.payload.safeParse(payload);
  if (!update.success || update.data.userId !== viewer.id) return undefined;
  return 'role' in update.data.change ? update.data.change.role : undefined;
}

function isEventAddressee(entry: LogEntry, queue: EventQueueRecord): boolean {
  return isInAudience(entry.audience, queue.user, []);
}
