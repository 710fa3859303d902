import { z } from 'zod';
import type { EventReader } from '../../events/event-reader.js';

/**
 * Event queues that an event about a channel is sent to. Only clients that know archived channels receive changes of
 * them; for other clients, archiving deletes the channel and unarchiving creates it (docs/contract/chat.md 3.3).
 */
export const clients = z.enum(['all', 'knowing_archived', 'not_knowing_archived']);

export type Clients = z.infer<typeof clients>;

/** Returns true if a queue with these capabilities receives an event with this client filter. */
export function isForClient({ capabilities }: EventReader, payload: { readonly clients: Clients }): boolean {
  return payload.clients === 'all' || (payload.clients === 'knowing_archived') === capabilities.archived_channels;
}

/** Returns the client filter for events of a channel. */
export function clientsOf(channel: { readonly is_archived: boolean }): Clients {
  return channel.is_archived ? 'knowing_archived' : 'all';
}
