import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import {
  createChannelEventClientFilter,
  listChannelAudiences,
  type LockedChannel,
  channelUpdateEvent,
} from '../channels/index.js';

type LockedChannelReference = Pick<LockedChannel, 'id' | 'realm_id' | 'name' | 'is_archived' | 'recipient_id'>;

/** Ids of the oldest messages of channels, by channel id. The message id is null if the channel is empty. */
export type FirstMessageIdByChannel = ReadonlyMap<number, number | null>;

/** Reads the id of the oldest message of each locked channel, in one SQL statement. */
export async function readFirstMessages(
  tx: Tx,
  channels: readonly LockedChannelReference[],
): Promise<FirstMessageIdByChannel> {
  const { rows } = await tx.query<{ recipient_id: number; first: number | null }>(
    `SELECT recipient_id, (SELECT min(m.id) FROM messages m WHERE m.recipient_id = place.recipient_id) AS first
     FROM unnest($1::int[]) AS place(recipient_id)`,
    [channels.map((channel) => channel.recipient_id)],
  );
  const byRecipient = new Map(rows.map((row) => [row.recipient_id, row.first]));
  return new Map(channels.map((channel) => [channel.id, byRecipient.get(channel.recipient_id) ?? null]));
}

/**
 * Emits an event about each channel whose oldest message has changed, with the new oldest message
 * (docs/contract/chat.md 3.5). Executes only one SQL statement if no oldest message has changed. The caller must have
 * locked the realm membership and the channels.
 */
export async function emitChangedFirstMessages(
  tx: Tx,
  events: ChatEventWriter,
  channels: readonly LockedChannelReference[],
  before: FirstMessageIdByChannel,
): Promise<void> {
  const now = await readFirstMessages(tx, channels);
  const changed = channels.filter(({ id }) => now.get(id) !== before.get(id));
  const [one] = changed;
  if (one === undefined) return;
  const ids = changed.map(({ id }) => id);
  const audiences = await listChannelAudiences(tx, one.realm_id, ids);
  for (const channel of changed) {
    const value = now.get(channel.id) ?? null;
    const change = { stream_id: channel.id, name: channel.name, property: 'first_message_id' as const, value };
    events.write(tx, channel.realm_id, channelUpdateEvent, {
      audience: { users: audiences.get(channel.id)?.viewers ?? [] },
      payload: { change, clients: createChannelEventClientFilter(channel) },
    });
  }
}
