import type pg from 'pg';

/**
 * Inserts the rows of a channel message in one transaction: the message, and one row for each subscriber. The baseline
 * checks no permissions, renders no Markdown and emits no events.
 */
export async function insertChannelMessageInTransaction(
  database: pg.Client,
  sender: string,
  channel: string,
): Promise<void> {
  await database.query('BEGIN');
  const { rows } = await database.query<{ id: number }>({
    name: 'message',
    text: INSERT_MESSAGE_SQL,
    values: [sender, channel],
  });
  await database.query({
    name: 'receivers',
    text: INSERT_MESSAGE_RECIPIENT_ROWS_SQL,
    values: [rows[0]?.id, channel, sender],
  });
  await database.query('COMMIT');
}

const INSERT_MESSAGE_SQL = `
  WITH message AS (
    INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id)
    SELECT u.realm_id, u.id, r.id, (SELECT min(id) FROM clients), t.topic_id
    FROM users u, recipients r JOIN channels c ON c.id = r.channel_id, topic_of(r.id, 'benchmark', 'benchmark') t
    WHERE u.delivery_email_key = $1 AND c.name_key = $2 RETURNING id)
  INSERT INTO message_texts (message_id, content, rendered_content, rendered_version)
  SELECT id, 'to all subscribers', '<p>to all subscribers</p>', 1 FROM message RETURNING message_id AS id`;

const INSERT_MESSAGE_RECIPIENT_ROWS_SQL = `
  INSERT INTO user_messages (user_id, message_id, flags)
  SELECT s.user_id, $1, CASE WHEN u.delivery_email_key = $3 THEN 1 ELSE 0 END
  FROM channels c JOIN subscriptions s ON s.channel_id = c.id JOIN users u ON u.id = s.user_id
  WHERE c.name_key = $2 AND s.is_active AND u.is_active`;

/**
 * Marks the seeded messages as unread for the reader.
 *
 * @returns ids of the messages marked as unread
 */
export async function markSeededMessagesAsUnread(database: pg.Client, reader: string): Promise<number[]> {
  const { rows } = await database.query<{ message_id: number }>(
    `UPDATE user_messages um SET flags = flags & ~1 FROM messages m JOIN topics t ON t.id = m.topic_id, users u
     WHERE u.delivery_email_key = $1 AND um.user_id = u.id AND m.id = um.message_id AND t.topic_key = 'unread'
     RETURNING um.message_id`,
    [reader],
  );
  return rows.map((row) => row.message_id);
}

/** Marks the messages with the given ids as read for the reader, in one statement. */
export async function markMessagesAsReadBySql(
  database: pg.Client,
  reader: string,
  ids: readonly number[],
): Promise<void> {
  await database.query({ name: 'mark-read', text: MARK_MESSAGES_AS_READ_SQL, values: [reader, ids] });
}

const MARK_MESSAGES_AS_READ_SQL = `
  UPDATE user_messages SET flags = flags | 1
  WHERE user_id = (SELECT id FROM users WHERE delivery_email_key = $1) AND message_id = ANY($2::bigint[])`;
