import type { SqlStatementExecutor, Tx } from '@switchboard/database';
import { chatErrors } from '../../../errors.js';
import type { MessageSendIdempotencyKey } from './idempotency-send-key.js';

/** Result of a request to send a message. Repetitions of the request return the result of the first request. */
export interface MessageSendResult {
  readonly id: number;
  /** New visibility policy of the topic for the sender: 2 unmuted, 3 followed. Absent if the policy has not changed. */
  readonly automatic_new_visibility_policy?: 2 | 3;
}

/**
 * Error that rolls back a transaction that sends a message, because an earlier request has already sent this message.
 * Contains the result of the earlier request.
 */
export class RepeatedMessageSendError extends Error {
  constructor(readonly result: MessageSendResult) {
    super('The message was sent already');
  }
}

/** SQL interval in which a repeated request to send a message is detected. */
const sendKeyLifetimeSql = `interval '1 day'`;

/**
 * Returns SQL of a common table expression that stores the idempotency keys of the inserted row `message`. Also returns
 * SQL of the result column `is_repeated`, which is true if the message was sent before with one of the keys. The SQL
 * waits for a concurrent transaction that stores an equal key, and replaces expired keys. All transactions store their
 * keys in sorted order, which prevents deadlocks.
 *
 * @param first position of the SQL parameter that contains the keys; the next parameter contains the digests of the
 * request
 */
export const storeSendIdempotencyKeysSql = (
  first: number,
): { readonly expression: string; readonly column: string } => ({
  expression: `stored_key AS (
    INSERT INTO send_keys (user_id, key, request, message_id)
    SELECT $2, sent.key, sent.request, message.id
    FROM message, unnest($${first}::bytea[], $${first + 1}::bytea[]) WITH ORDINALITY AS sent (key, request, place)
    ORDER BY sent.place
    ON CONFLICT (user_id, key) DO UPDATE
      SET (request, message_id, visibility_policy, stored_at) =
        (EXCLUDED.request, EXCLUDED.message_id, NULL, EXCLUDED.stored_at)
      WHERE send_keys.stored_at <= now() - ${sendKeyLifetimeSql}
    RETURNING 1
  )`,
  column: `(SELECT count(*) FROM stored_key) < cardinality($${first}::bytea[]) AS is_repeated`,
});

/**
 * Stores the sender's new visibility policy for the topic with the idempotency keys of the message, so that repeated
 * requests also return the policy.
 */
export async function storeTopicPolicyOfSend(
  tx: Tx,
  userId: number,
  keys: readonly MessageSendIdempotencyKey[],
  policy: 2 | 3,
): Promise<void> {
  await tx.query('UPDATE send_keys SET visibility_policy = $3 WHERE user_id = $1 AND key = ANY ($2::bytea[])', [
    userId,
    keys.map(({ key }) => key),
    policy,
  ]);
}

/**
 * Stores further idempotency keys of a repeated request to send a message, with the result of the first request. A
 * client can add an `Idempotency-Key` when it repeats a request that had only a local id.
 */
export async function storeSendKeys(
  database: SqlStatementExecutor,
  userId: number,
  keys: readonly MessageSendIdempotencyKey[],
  { id, automatic_new_visibility_policy: policy }: MessageSendResult,
): Promise<void> {
  await database.query(
    `INSERT INTO send_keys (user_id, key, request, message_id, visibility_policy)
     SELECT $1, sent.key, sent.request, $4, $5 FROM unnest($2::bytea[], $3::bytea[]) AS sent (key, request)
     ON CONFLICT DO NOTHING`,
    [userId, keys.map(({ key }) => key), keys.map(({ request }) => request), id, policy ?? null],
  );
}

/**
 * Returns the result of the first request of the last day that sent a message with one of the given idempotency keys.
 * Returns null if no request had one of these keys. Keys at the beginning of the list take precedence.
 *
 * @param ownId message of the calling transaction, which has stored some of the keys
 * @throws ApplicationError IDEMPOTENCY_KEY_REUSED if the first request had different parameters
 */
export async function findFirstMessageSendResult(
  database: SqlStatementExecutor,
  userId: number,
  keys: readonly MessageSendIdempotencyKey[],
  ownId: number | null = null,
): Promise<MessageSendResult | null> {
  const { rows } = await database.query<{ id: number; policy: 2 | 3 | null; is_same: boolean }>(
    {
      name: 'first-send',
      text: `SELECT first.message_id AS id, first.visibility_policy AS policy,
          first.request IS NOT DISTINCT FROM sent.request AS is_same
        FROM unnest($2::bytea[], $3::bytea[]) WITH ORDINALITY AS sent (key, request, place)
        JOIN send_keys first ON first.user_id = $1 AND first.key = sent.key
        WHERE first.stored_at > now() - ${sendKeyLifetimeSql} AND first.message_id IS DISTINCT FROM $4::bigint
        ORDER BY sent.place LIMIT 1`,
    },
    [userId, keys.map(({ key }) => key), keys.map(({ request }) => request), ownId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  if (!row.is_same) throw chatErrors.create('IDEMPOTENCY_KEY_REUSED');
  return { id: row.id, ...(row.policy !== null && { automatic_new_visibility_policy: row.policy }) };
}
