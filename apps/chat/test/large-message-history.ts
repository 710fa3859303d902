import type { OpenTx } from '@switchboard/database';

/** Number of messages that {@link addLargeHistory} adds. */
export const largeHistory = 200_000;

const indexes = ['message_texts_search_idx', 'message_texts_search_lower_idx'];

/**
 * Adds 200,000 messages in 100 channels to the demo realm. The user `Seed 1` has received the messages of the first 20
 * channels, and has read the first tenth of the received messages. The user `Seed 2` has received the messages of one
 * channel. The properties of a message follow from its number:
 *
 * - The last 50 channels, from which neither user received messages, contain "common" in every message and "medium" in
 *   every 25th. Every second message of all channels contains "popular".
 * - `Seed 99` has sent 40 messages of the first channels, `Seed 98` has sent 2,000 of the last.
 * - Every 20th message has a link. Every 25th message of the last channels has an image.
 * - Each channel has 50 topics. In the first channel one is resolved, one muted, and one followed by `Seed 1`.
 * - The two users have exchanged 200 direct messages. Reactions are in one channel from which neither received
 *   messages.
 */
export async function addLargeHistory(tx: OpenTx): Promise<void> {
  const { rows } = await tx.query<{ indexdef: string }>('SELECT indexdef FROM pg_indexes WHERE indexname = ANY($1)', [
    indexes,
  ]);
  // The rows need no foreign key checks, because they are generated from each other. Building an index is faster than
  // updating it.
  await tx.query(`SET LOCAL session_replication_role = replica`);
  // On a busy machine these statements take longer than a request may.
  await tx.query(`SET LOCAL statement_timeout = 0`);
  for (const index of indexes) await tx.query(`DROP INDEX ${index}`);
  for (const statement of people) await tx.query(statement);
  await tx.query(topics);
  await tx.query(messages);
  // Triggers are disabled, so these statements write what triggers would write.
  for (const statement of texts) await tx.query(statement);
  for (const statement of histories) await tx.query(statement);
  for (const { indexdef } of rows) await tx.query(indexdef);
}

const people = [
  `INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
   SELECT (SELECT min(id) FROM realms), 'seed' || n || '@example.com', 'seed' || n || '@example.com', 'Seed ' || n, 400
   FROM generate_series(1, 500) n`,
  `INSERT INTO channels (realm_id, name, name_key, can_add_subscribers_group_id, can_administer_channel_group_id,
     can_create_topic_group_id, can_delete_any_message_group_id, can_delete_own_message_group_id,
     can_move_messages_out_of_channel_group_id, can_move_messages_within_channel_group_id,
     can_remove_subscribers_group_id, can_resolve_topics_group_id, can_send_message_group_id, can_subscribe_group_id)
   SELECT realm_id, 'seed' || n, 'seed' || n, can_add_subscribers_group_id, can_administer_channel_group_id,
     can_create_topic_group_id, can_delete_any_message_group_id, can_delete_own_message_group_id,
     can_move_messages_out_of_channel_group_id, can_move_messages_within_channel_group_id,
     can_remove_subscribers_group_id, can_resolve_topics_group_id, can_send_message_group_id, can_subscribe_group_id
   FROM generate_series(0, 99) n, (SELECT * FROM channels WHERE NOT is_private ORDER BY id LIMIT 1) c ORDER BY n`,
  `INSERT INTO recipients (realm_id, channel_id)
   SELECT realm_id, id FROM channels WHERE name ~ '^seed[0-9]+$' ORDER BY id`,
  `INSERT INTO recipients (realm_id, participants_key, participant_ids)
   SELECT min(realm_id), encode(sha256((min(id) || ',' || max(id))::bytea), 'hex'), ARRAY[min(id), max(id)]
   FROM users WHERE full_name IN ('Seed 1', 'Seed 2')`,
  `INSERT INTO subscriptions (user_id, channel_id, color)
   SELECT u.id, c.id, '#76ce90' FROM users u, channels c
   WHERE (u.full_name = 'Seed 1' AND c.name ~ '^seed1?[0-9]$') OR (u.full_name = 'Seed 2' AND c.name = 'seed30')`,
];

/**
 * SQL that selects the first ids of the rows added by the test. The ids of the other added rows follow without gaps.
 */
const first = `(SELECT (SELECT min(realm_id) FROM users) AS realm, (SELECT min(id) FROM clients) AS client,
  (SELECT id FROM users WHERE full_name = 'Seed 1') AS person,
  (SELECT r.id FROM recipients r JOIN channels c ON c.id = r.channel_id WHERE c.name = 'seed0') AS recipient,
  (SELECT max(id) FROM recipients) AS direct) AS first`;

const topics = `
  INSERT INTO topics (recipient_id, topic_key, topic)
  SELECT first.recipient + place, topic, topic FROM ${first}, generate_series(0, 99) place,
    (SELECT 'topic ' || n AS topic FROM generate_series(0, 49) n UNION ALL SELECT '✔ topic 7') named`;

const messages = `
  INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id, has_link, has_attachment,
    has_image, date_sent)
  SELECT first.realm,
    first.person + CASE WHEN n % 5000 = 65 THEN 98 WHEN n % 100 = 53 THEN 97 ELSE n % 97 END,
    CASE WHEN n % 1000 = 9 THEN first.direct ELSE first.recipient + place END, first.client,
    t.id, n % 20 = 0, n % 500 = 0, place >= 50 AND n % 25 = 0,
    now() - (${largeHistory} - n) * interval '10 seconds'
  FROM ${first}, generate_series(0, ${largeHistory - 1}) n,
    LATERAL (SELECT n * 37 % 100 AS place) channel,
    LATERAL (SELECT CASE WHEN n % 1000 = 9 THEN '' WHEN place = 0 AND n / 100 % 50 = 7 THEN '✔ topic 7'
      ELSE 'topic ' || n / 100 % 50 END AS topic) named,
    LATERAL (SELECT max(id) AS id FROM topics
      WHERE n % 1000 <> 9 AND recipient_id = first.recipient + place AND topic_key = named.topic) t
  ORDER BY n`;

const texts = [
  `INSERT INTO message_texts (message_id, content, rendered_content, rendered_version)
   SELECT m.id, content, '<p>' || content || '</p>', 1
   FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS n FROM messages
         WHERE id NOT IN (SELECT message_id FROM message_texts)) m,
     LATERAL (SELECT n * 37 % 100 AS place) channel,
     LATERAL (SELECT concat_ws(' ', 'message', n, CASE WHEN place >= 50 THEN 'common' END,
       CASE WHEN place >= 50 AND n % 25 = 0 THEN 'medium' END, CASE WHEN n % 2 = 0 THEN 'popular' END,
       'word' || n % 10000) AS content) written`,
];

const histories = [
  `INSERT INTO user_messages (user_id, message_id, flags)
   SELECT s.user_id, m.id, CASE WHEN m.id > newest.id - ${largeHistory * 0.9} AND u.full_name = 'Seed 1' THEN 0 ELSE 1 END
     | CASE WHEN m.id % 1003 = 0 THEN 2 ELSE 0 END | CASE WHEN m.id % 507 = 0 THEN 8 ELSE 0 END
   FROM (SELECT max(id) AS id FROM messages) newest, messages m JOIN recipients r ON r.id = m.recipient_id
   JOIN subscriptions s ON s.channel_id = r.channel_id JOIN users u ON u.id = s.user_id
   WHERE u.full_name IN ('Seed 1', 'Seed 2') ORDER BY m.id, s.user_id`,
  `INSERT INTO user_messages (user_id, message_id, flags)
   SELECT participant, m.id, 513 FROM ${first}, messages m JOIN recipients r ON r.id = m.recipient_id
   CROSS JOIN LATERAL unnest(r.participant_ids) AS participant WHERE r.id = first.direct`,
  `INSERT INTO user_topics (user_id, channel_id, topic, topic_key, visibility_policy)
   SELECT first.person, r.channel_id, named.topic, named.topic, CASE named.topic WHEN 'topic 3' THEN 3 ELSE 1 END
   FROM ${first} JOIN recipients r ON r.id = first.recipient, unnest(ARRAY['topic 3', 'topic 5']) AS named(topic)`,
  `INSERT INTO reactions (user_id, message_id, reaction_type, emoji_name, emoji_code)
   SELECT first.person, m.id, 'unicode_emoji', 'tada', '1f389' FROM ${first}, messages m
   WHERE m.recipient_id = first.recipient + 60 AND m.id % 7 = 0`,
];
