import { z } from 'zod';
import type { EventReader } from '../../events/event-reader.js';

/**
 * Which queues an event about a channel is for. Clients that know archived channels see them change; for all others
 * an archived channel is gone, and comes back whole (docs/contract/chat.md 3.3).
 */
export const clients = z.enum(['all', 'knowing_archived', 'not_knowing_archived']);

export type Clients = z.infer<typeof clients>;

/** Returns true if an event is for a queue with these capabilities. */
export function isForClient({ capabilities }: EventReader, payload: { readonly clients: Clients }): boolean {
  return payload.clients === 'all' || (payload.clients === 'knowing_archived') === capabilities.archived_channels;
}

/** Client filter for events of a channel, by whether it is archived. */
export function clientsOf(channel: { readonly is_archived: boolean }): Clients {
  return channel.is_archived ? 'knowing_archived' : 'all';
}
