import { setTimeout as sleep } from 'node:timers/promises';
import type { MeasuredOperation } from '../../measured-operation.js';
import { specialChannelNumbers, specialUserNumbers } from '../generated-users.js';
import type { MeasuredChatService } from '../measured-chat-service.js';

const deletionCheckIntervalMs = 100;

/** Repeats the given query until it returns no row. */
async function waitUntilQueryReturnsNoRow(
  { deployment }: MeasuredChatService,
  text: string,
  values: readonly unknown[],
): Promise<void> {
  while ((await deployment.database.query(text, [...values])).rowCount !== 0) await sleep(deletionCheckIntervalMs);
}

/**
 * Measured operations that delete messages in background jobs. These operations run last, because other operations read
 * the data that is deleted.
 */
export const messageDeletionOperations: readonly MeasuredOperation<MeasuredChatService>[] = [
  {
    name: 'delete the messages of an account',
    runs: 1,
    run: async (world) => {
      const id = world.ids.user(specialUserNumbers.elsewhereSender);
      await world.sendRequest(specialUserNumbers.administrator, 'DELETE', `/users/${id}`, {
        actions: {
          delete_public_channel_messages: true,
          delete_private_channel_messages: true,
          delete_direct_messages: true,
        },
      });
      await waitUntilQueryReturnsNoRow(world, 'SELECT FROM doomed_senders WHERE user_id = $1', [id]);
    },
  },
  {
    name: 'delete the messages of a channel by its retention time',
    runs: 1,
    bystander: (world) =>
      world.createRepeatedMessageRequest(specialUserNumbers.bystander, specialChannelNumbers.wide, 'talk'),
    run: async (world) => {
      const { database } = world.deployment;
      const channelId = world.ids.channel(specialChannelNumbers.wide);
      // Messages are deleted in the order of their ids. Looking for any message would read all that are left.
      const { rows } = await database.query<{ last: number }>(
        `SELECT id AS last FROM messages WHERE recipient_id = $1 AND date_sent < now() - interval '1 day'
         ORDER BY recipient_id DESC, id DESC LIMIT 1`,
        [world.ids.channelRecipient(specialChannelNumbers.wide)],
      );
      await database.query('UPDATE channels SET message_retention_days = 1 WHERE id = $1', [channelId]);
      await waitUntilQueryReturnsNoRow(world, 'SELECT FROM messages WHERE id = $1', [rows[0]?.last]);
    },
  },
];
