import type { Tx } from '@switchboard/database';
import type { ChatEvents } from '../../events/chat-events.js';
import type { LockedChannel } from '../channels/index.js';
import { everybodyOf, listMessageReaders, readFirstMessages, tellFirstMessages } from '../message-access/index.js';
import { deleteMessageEvent } from './delete-message.events.js';

/** Messages of one conversation, held with their channel. */
export interface DoomedMessages {
  readonly realmId: number;
  /** Null for direct messages. */
  readonly channel: LockedChannel | null;
  readonly topic: string;
  /** Ascending. */
  readonly messageIds: readonly number[];
}

/**
 * Deletes messages with everything that hangs on them, and tells who could read them (chat-contract 5.8). The
 * population has to be held, too.
 */
export async function deleteMessages(tx: Tx, events: ChatEvents, doomed: DoomedMessages): Promise<void> {
  const { realmId, channel, messageIds } = doomed;
  const channels = channel === null ? [] : [channel];
  const firstBefore = await readFirstMessages(tx, channels);
  const readers = await listMessageReaders(tx, { messageIds, channelId: channel?.id ?? null });
  await tx.query(
    `WITH receipts AS (DELETE FROM user_messages WHERE message_id = ANY($1::bigint[]) AND flags >= 0)
     DELETE FROM messages WHERE id = ANY($1::bigint[])`,
    [messageIds],
  );
  events.write(tx, realmId, deleteMessageEvent, {
    audience: { users: everybodyOf(readers) },
    payload: { messageIds: [...messageIds], channel: channel && { id: channel.id, topic: doomed.topic } },
  });
  await tellFirstMessages(tx, events, channels, firstBefore);
}
