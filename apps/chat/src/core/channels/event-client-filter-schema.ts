import { z } from 'zod';
import type { EventViewer } from '../../events/event-viewer.js';

/**
 * Schema of the group of clients that receive an event about a channel. Only clients that support archived channels
 * receive changes of archived channels. For other clients, archiving deletes the channel and unarchiving creates it
 * (docs/contract/chat.md 3.3).
 */
export const eventClientFilterSchema = z.enum(['all', 'knowing_archived', 'not_knowing_archived']);

export type EventClientFilter = z.infer<typeof eventClientFilterSchema>;

/**
 * Returns true if an event queue receives an event. Compares the queue's client capabilities with the event's client
 * filter.
 */
export function matchesEventClientFilter(
  { capabilities }: EventViewer,
  payload: { readonly clients: EventClientFilter },
): boolean {
  return payload.clients === 'all' || (payload.clients === 'knowing_archived') === capabilities.archived_channels;
}

/**
 * Returns the client filter of events about a channel. Only clients that support archived channels receive events about
 * an archived channel.
 */
export function createChannelEventClientFilter(channel: { readonly is_archived: boolean }): EventClientFilter {
  return channel.is_archived ? 'knowing_archived' : 'all';
}
