import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { repositoryRoot } from '../benchmark-services.js';

/**
 * Number of messages, users and channels of the benchmark's conversation. Five users have a row of `user_messages` for
 * each message.
 */
export interface GeneratedConversationSize {
  readonly messages: number;
  readonly users: number;
  readonly channels: number;
}

/**
 * Size of the generated conversation for the published figures: 1,000,000 messages, 5,000 users, 5,000,000 rows of
 * `user_messages`.
 */
export const publishedConversationSize: GeneratedConversationSize = { messages: 1_000_000, users: 5000, channels: 100 };

/**
 * Total number of messages for each message that the reader has received. The reader has a row of `user_messages` for
 * each received message.
 */
const messagesPerReaderRow = 500;

/**
 * Inserts a long conversation into the first realm of a database. The realm owner is a recipient of the conversation.
 * @returns the owner's user id
 *
 * @returns the owner's user id
 */
export async function seedConversation(
  url: string,
  size: GeneratedConversationSize,
  ownerEmail: string,
): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const [name, value] of Object.entries({ ...size, receivers: 5 })) {
      await client.query('SELECT set_config($1, $2, false)', [`seed.${name}`, String(value)]);
    }
    await client.query(await readFile(join(repositoryRoot, 'prisma/chat/seeds/conversation.sql'), 'utf8'));
    const { rows } = await client.query<{ id: number }>('SELECT id FROM users WHERE delivery_email_key = $1', [
      ownerEmail,
    ]);
    const owner = rows[0]?.id ?? 0;
    await client.query(
      'INSERT INTO user_messages (user_id, message_id, flags) SELECT $1, id, 1 FROM messages WHERE id % $2 = 0',
      [owner, messagesPerReaderRow],
    );
    await client.query('VACUUM ANALYZE');
    return owner;
  } finally {
    await client.end();
  }
}
