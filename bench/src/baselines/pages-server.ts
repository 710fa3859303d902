/**
 * Server that `npm run bench -- chat-pages` compares with GET /messages. It uses Fastify and node-postgres. For each
 * narrow (message filter), the server has one prepared statement that fits a database index. Responses have the same
 * content as those of the chat service. It has no authentication, validation or permissions, and supports only the
 * anchor `newest`.
 */
import Fastify from 'fastify';
import pg from 'pg';

interface MessageRow {
  id: number;
  flags: number | null;
  sender_id: number;
  sender_email: string;
  sender_name: string;
  recipient_id: number;
  channel_id: number;
  channel_name: string;
  realm: string;
  topic: string;
  rendered_content: string;
  is_me_message: boolean;
  client: string;
  timestamp: number;
  reactions: object[] | null;
  submessages: object[] | null;
}

const { DATABASE_URL = '', PORT = '0', BENCH_READER = '0' } = process.env;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const baselineDatabasePool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const readerId = Number(BENCH_READER);

const messageColumnsSql = `m.id, um.flags, m.sender_id, u.delivery_email AS sender_email, u.full_name AS sender_name,
  m.recipient_id, c.id AS channel_id, c.name AS channel_name, realm.string_id AS realm, coalesce(m.topic, t.topic) AS topic, x.rendered_content,
  m.is_me_message, cl.name AS client, floor(extract(epoch FROM m.date_sent))::bigint AS timestamp,
  (SELECT json_agg(json_build_object('emoji_name', re.emoji_name, 'emoji_code', re.emoji_code,
     'reaction_type', re.reaction_type, 'user_id', re.user_id) ORDER BY re.id)
   FROM reactions re WHERE re.message_id = m.id) AS reactions,
  (SELECT json_agg(to_json(sm) ORDER BY sm.id) FROM submessages sm WHERE sm.message_id = m.id) AS submessages`;

/** SQL joins that supply the fields of a message in the response of the baseline server. */
const messageJoinsSql = `JOIN message_texts x ON x.message_id = m.id JOIN users u ON u.id = m.sender_id JOIN recipients r ON r.id = m.recipient_id
  JOIN channels c ON c.id = r.channel_id JOIN realms realm ON realm.id = m.realm_id
  JOIN topics t ON t.id = m.topic_id JOIN clients cl ON cl.id = m.client_id`;
const readerFlagsJoinSql = 'LEFT JOIN user_messages um ON um.message_id = m.id AND um.user_id = $1';

/**
 * SQL statements by narrow (message filter), each of which reads the newest hundred messages that match the narrow.
 * `$1` is the id of the user who reads the messages.
 */
const statementByNarrow = {
  channel: `SELECT ${messageColumnsSql} FROM (
      SELECT * FROM messages WHERE recipient_id = (SELECT id FROM recipients WHERE channel_id =
        (SELECT id FROM channels WHERE name_key = $2)) ORDER BY id DESC LIMIT 100) m
    ${messageJoinsSql} ${readerFlagsJoinSql} ORDER BY m.id`,
  topic: `SELECT ${messageColumnsSql} FROM (
      SELECT * FROM messages WHERE topic_id = (SELECT t.id FROM topics t JOIN recipients r ON r.id = t.recipient_id
        JOIN channels c ON c.id = r.channel_id WHERE c.name_key = $2 AND t.topic_key = $3) ORDER BY id DESC LIMIT 100) m
    ${messageJoinsSql} ${readerFlagsJoinSql} ORDER BY m.id`,
  history: `SELECT ${messageColumnsSql} FROM (
      SELECT * FROM user_messages WHERE user_id = $1 ORDER BY message_id DESC LIMIT 100) um
    JOIN messages m ON m.id = um.message_id ${messageJoinsSql} ORDER BY m.id`,
};

const messageFlagNames: readonly (readonly [number, string])[] = [
  [1, 'read'],
  [2, 'starred'],
  [8, 'mentioned'],
  [128, 'historical'],
];

function createMessageJson(row: MessageRow): object {
  const flags = row.flags ?? 129;
  return {
    id: row.id,
    avatar_url: null,
    client: row.client,
    content: row.rendered_content,
    content_type: 'text/html',
    display_recipient: row.channel_name,
    is_me_message: row.is_me_message,
    reactions: row.reactions ?? [],
    recipient_id: row.recipient_id,
    sender_email: row.sender_email,
    sender_full_name: row.sender_name,
    sender_id: row.sender_id,
    sender_realm_str: row.realm,
    stream_id: row.channel_id,
    subject: row.topic,
    submessages: row.submessages ?? [],
    timestamp: row.timestamp,
    topic_links: [],
    type: 'stream',
    flags: messageFlagNames.filter(([bit]) => (flags & bit) !== 0).map(([, name]) => name),
  };
}

const baselineServer = Fastify({ logger: false });

baselineServer.get('/health/ready', () => ({ status: 'ok' }));

baselineServer.get<{
  Params: { narrow: keyof typeof statementByNarrow };
  Querystring: { channel?: string; topic?: string };
}>('/messages/:narrow', async (request) => {
  const { narrow } = request.params;
  const { channel, topic } = request.query;
  const values = [readerId, channel, topic].filter((value) => value !== undefined);
  const { rows } = await baselineDatabasePool.query<MessageRow>({
    name: narrow,
    text: statementByNarrow[narrow],
    values,
  });
  return {
    result: 'success',
    msg: '',
    anchor: 10_000_000_000_000_000,
    found_anchor: false,
    found_oldest: rows.length < 100,
    found_newest: true,
    history_limited: false,
    messages: rows.map(createMessageJson),
  };
});

await baselineServer.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));
