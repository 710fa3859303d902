import type { OpenTx } from '@switchboard/database';
import { userRoleNumbers } from '../src/infra/http/chat-actor.js';

type Random = () => number;

/** Three search words: the first occurs in half of the random messages, the second in some, and the third in few. */
export const words = ['walnut', 'quince', 'pomelo'] as const;

/** Topics of the random messages: one is empty, one is resolved, and one has two spellings. */
export const topics = ['', '✔ quince', 'plain', 'Plain', 'busy'] as const;

const randomItem = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

/**
 * Adds random messages to all channels of the demo realm and to direct conversations. One channel is archived, and one
 * private channel shares its history. The recipients of a message differ from the current subscribers: some users
 * subscribed later, and some users unsubscribed. Also adds topic policies, muted subscriptions and reactions.
 */
export async function addRandomHistory(tx: OpenTx, random: Random, size: number): Promise<void> {
  for (const statement of places) await tx.query(statement);
  const users = await ids(
    tx,
    `SELECT id FROM users WHERE bot_type IS NULL AND role <= ${userRoleNumbers.guest} ORDER BY id`,
  );
  const channels = await ids(tx, 'SELECT r.id FROM recipients r WHERE r.channel_id IS NOT NULL ORDER BY id');
  const direct = await ids(tx, 'SELECT r.id FROM recipients r WHERE r.channel_id IS NULL ORDER BY id');
  let id = Number((await tx.query('SELECT max(id) AS id FROM messages')).rows[0]?.['id']);
  const messages = Array.from({ length: size }, (_, n) => {
    id += 1 + Math.floor(random() * 3);
    const isDirect = random() < 0.2;
    const topic = isDirect ? '' : randomItem(random, topics);
    const content = ['x', ...words.filter((_word, place) => random() < [0.5, 0.1, 0.01][place]!)].join(' ');
    return {
      id,
      sender: random() < 0.005 ? users.at(-1) : randomItem(random, users.slice(0, -1)),
      recipient: randomItem(random, isDirect ? direct : channels),
      topic,
      key: topic.toLowerCase(),
      content,
      link: random() < 0.1,
      attachment: random() < 0.01,
      image: random() < 0.002,
      // Of two neighboring messages, the one with the greater id may be older.
      second: n + Math.floor(random() * 30),
    };
  });
  await tx.query(messagesSql, [JSON.stringify(messages)]);
  await tx.query(textsSql, [JSON.stringify(messages)]);
  const flags = () =>
    (random() < 0.7 ? 1 : 0) | (random() < 0.03 ? 2 : 0) | randomItem(random, [0, 0, 0, 0, 8, 16, 32, 64, 256]);
  const { rows } = await tx.query<{ user_id: number; message_id: number; is_in: boolean; direct: number }>(
    receiversSql,
  );
  const received = rows
    .filter((row) => row.direct !== 0 || random() < (row.is_in ? 0.8 : 0.03))
    .map((row) => ({ user: row.user_id, message: row.message_id, flags: flags() | row.direct }));
  await tx.query(receivedSql, [JSON.stringify(received)]);
  const reactions = messages.flatMap((message) =>
    random() < 0.05 ? users.filter(() => random() < 0.3).map((user) => ({ user, message: message.id })) : [],
  );
  await tx.query(reactionsSql, [JSON.stringify(reactions)]);
  const { rows: said } = await tx.query<{ user_id: number; channel_id: number }>(
    'SELECT u.id AS user_id, c.id AS channel_id FROM users u, channels c ORDER BY u.id, c.id',
  );
  const policies = said.flatMap(({ user_id: user, channel_id: channel }) =>
    ['', '✔ quince', 'plain', 'busy']
      .filter(() => random() < 0.2)
      .map((topic) => ({ user, channel, topic, policy: 1 + Math.floor(random() * 3) })),
  );
  await tx.query(policiesSql, [JSON.stringify(policies)]);
}

async function ids(tx: OpenTx, sql: string): Promise<number[]> {
  return (await tx.query<{ id: number }>(sql)).rows.map(({ id }) => id);
}

const places = [
  `UPDATE channels SET is_archived = true WHERE name = 'errors'`,
  `UPDATE channels SET is_private = true, history_public_to_subscribers = true WHERE name = 'Denmark'`,
  `UPDATE channels SET is_private = true, history_public_to_subscribers = false WHERE name IN ('core team', 'Venice')`,
  `UPDATE subscriptions SET is_muted = true WHERE (user_id + channel_id) % 4 = 0`,
  `UPDATE subscriptions SET is_active = false WHERE (user_id + channel_id) % 7 = 0`,
  `INSERT INTO recipients (realm_id, participants_key, participant_ids)
   SELECT min(realm_id), encode(sha256(string_agg(id::text, ',' ORDER BY id)::bytea), 'hex'), array_agg(id ORDER BY id)
   FROM (SELECT u.*, n FROM users u, generate_series(0, 11) n WHERE bot_type IS NULL AND u.id % 12 IN (n, n * 5 % 12, n * n % 5)) u
   GROUP BY n ON CONFLICT DO NOTHING`,
];

const messagesSql = `
  INSERT INTO messages (id, realm_id, sender_id, recipient_id, client_id, topic_id, topic, has_link,
    has_attachment, has_image, date_sent)
  SELECT m.id, (SELECT min(id) FROM realms WHERE string_id <> ''), sender, recipient, (SELECT min(id) FROM clients),
    named.topic_id, nullif(topic, named.topic_name), link, attachment, image, now() + second * interval '1 second'
  FROM jsonb_to_recordset($1) AS m(id bigint, sender int, recipient int, topic text, key text, link boolean,
    attachment boolean, image boolean, second int)
  LEFT JOIN LATERAL (SELECT * FROM topic_of(recipient, key, topic)) named
    ON EXISTS (SELECT FROM recipients r WHERE r.id = recipient AND r.channel_id IS NOT NULL)`;

const textsSql = `
  INSERT INTO message_texts (message_id, content, rendered_content, rendered_version)
  SELECT id, content, '<p>' || content || '</p>', 1 FROM jsonb_to_recordset($1) AS m(id bigint, content text)`;

const receiversSql = `
  SELECT u.id AS user_id, m.id AS message_id, s.user_id IS NOT NULL AS is_in,
    CASE WHEN r.channel_id IS NULL THEN 512 ELSE 0 END AS direct
  FROM messages m JOIN recipients r ON r.id = m.recipient_id
  JOIN users u ON u.bot_type IS NULL AND (r.channel_id IS NOT NULL OR u.id = ANY(r.participant_ids))
  LEFT JOIN subscriptions s ON s.user_id = u.id AND s.channel_id = r.channel_id AND s.is_active
  ORDER BY m.id, u.id`;

const receivedSql = `
  INSERT INTO user_messages (user_id, message_id, flags)
  SELECT "user", message, flags FROM jsonb_to_recordset($1) AS r("user" int, message bigint, flags int)
  ON CONFLICT DO NOTHING`;

const reactionsSql = `
  INSERT INTO reactions (user_id, message_id, reaction_type, emoji_name, emoji_code)
  SELECT "user", message, 'unicode_emoji', 'tada', '1f389'
  FROM jsonb_to_recordset($1) AS r("user" int, message bigint) ON CONFLICT DO NOTHING`;

const policiesSql = `
  INSERT INTO user_topics (user_id, channel_id, topic, topic_key, visibility_policy)
  SELECT "user", channel, topic, topic, policy
  FROM jsonb_to_recordset($1) AS p("user" int, channel int, topic text, policy int) ON CONFLICT DO NOTHING`;
