import pg from 'pg';
import { benchmarkOwner } from '../chat-client.js';

/** Name of the channel to which all users subscribe. */
export const allUsersChannelName = 'seed0';

/**
 * Statements that extend the first realm of a database by 9,999 members, 1,000 channels and 200,000 subscriptions. All
 * users subscribe to ten common channels, which make up half of the subscriptions. All values are computed from the row
 * number, so that every database has the same content.
 */
const SEED_LARGE_REALM_STATEMENTS = [
  `INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
   SELECT (SELECT min(id) FROM realms), 'seed' || n || '@example.com', 'seed' || n || '@example.com', 'Seed ' || n, 400
   FROM generate_series(1, 9999) n`,
  `INSERT INTO user_group_members (group_id, user_id)
   SELECT (SELECT id FROM user_groups WHERE name = 'role:members'), id FROM users WHERE full_name LIKE 'Seed %'`,
  `INSERT INTO channels (realm_id, name, name_key, can_add_subscribers_group_id, can_administer_channel_group_id,
     can_create_topic_group_id, can_delete_any_message_group_id, can_delete_own_message_group_id,
     can_move_messages_out_of_channel_group_id, can_move_messages_within_channel_group_id,
     can_remove_subscribers_group_id, can_resolve_topics_group_id, can_send_message_group_id, can_subscribe_group_id)
   SELECT realm_id, 'seed' || n, 'seed' || n, can_add_subscribers_group_id, can_administer_channel_group_id,
     can_create_topic_group_id, can_delete_any_message_group_id, can_delete_own_message_group_id,
     can_move_messages_out_of_channel_group_id, can_move_messages_within_channel_group_id,
     can_remove_subscribers_group_id, can_resolve_topics_group_id, can_send_message_group_id, can_subscribe_group_id
   FROM generate_series(0, 999) n, (SELECT * FROM channels ORDER BY id LIMIT 1) c`,
  `INSERT INTO recipients (realm_id, channel_id) SELECT realm_id, id FROM channels WHERE name ~ '^seed[0-9]+$'`,
  `INSERT INTO subscriptions (user_id, channel_id, color)
   SELECT u.id, c.id, '#76ce90' FROM users u, channels c WHERE c.name ~ '^seed[0-9]$' AND NOT u.is_system_bot`,
  `INSERT INTO subscriptions (user_id, channel_id, color)
   SELECT u.id, c.id, '#76ce90' FROM generate_series(0, 99989) n
   JOIN users u ON u.full_name = 'Seed ' || (n / 10 % 9999 + 1)
   JOIN channels c ON c.name = 'seed' || (n * 53 % 990 + 10) ON CONFLICT DO NOTHING`,
];

/** SQL that inserts messages of one topic that are unread for the owner. */
const INSERT_UNREAD_MESSAGES_SQL = `
  WITH message AS (
    INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id)
    SELECT u.realm_id, u.id, r.id, (SELECT min(id) FROM clients), t.topic_id
    FROM users u, recipients r JOIN channels c ON c.id = r.channel_id, topic_of(r.id, 'unread', 'unread') t, generate_series(1, $2::int)
    WHERE u.delivery_email_key = $1 AND c.name = '${allUsersChannelName}' RETURNING id, sender_id),
  message_text AS (
    INSERT INTO message_texts (message_id, content, rendered_content, rendered_version)
    SELECT id, 'unread', '<p>unread</p>', 1 FROM message)
  INSERT INTO user_messages (user_id, message_id) SELECT sender_id, id FROM message`;

/** Inserts the benchmark's users, channels, subscriptions and unread messages into an existing realm. */
export async function seedLargeRealm(client: pg.Client, unreadMessages: number): Promise<void> {
  for (const statement of SEED_LARGE_REALM_STATEMENTS) await client.query(statement);
  await client.query(`INSERT INTO clients (name) VALUES ('seed') ON CONFLICT DO NOTHING`);
  await client.query(INSERT_UNREAD_MESSAGES_SQL, [benchmarkOwner.email, unreadMessages]);
  await client.query('VACUUM ANALYZE');
}
