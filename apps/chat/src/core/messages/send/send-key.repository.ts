import type { Queryable, Tx } from '@switchboard/database';
import { chatErrors } from '../../../errors.js';
import type { SendKey } from './send-key.js';

/** Result of a send, as returned by the first request and by its repetitions. */
export interface SendResult {
  readonly id: number;
  /** New visibility policy of the topic for the sender: 2 unmuted, 3 followed. Absent if unchanged. */
  readonly automatic_new_visibility_policy?: 2 | 3;
}

/** Error that rolls back a send because the sender has sent the message already, with the result of the first send. */
export class RepeatedSendError extends Error {
  constructor(readonly result: SendResult) {
    super('The message was sent already');
  }
}

/** SQL interval during which repetitions of a send are recognized. */
const lifetimeSql = `interval '1 day'`;

/**
 * Returns SQL of two things: a common table expression that stores the key of the inserted row `message`, and the
 * result column `is_repeated`. The statement waits for a concurrent send with the same key. Expired keys are replaced.
 *
 * @param first number of the parameter with the key; the next parameter is the digest of the request
 */
export const storedKeySql = (first: number): { readonly expression: string; readonly column: string } => ({
  expression: `stored_key AS (
    INSERT INTO send_keys (user_id, key, request, message_id)
    SELECT $2, $${first}::bytea, $${first + 1}::bytea, id FROM message
    ON CONFLICT (user_id, key) DO UPDATE
      SET (request, message_id, visibility_policy, stored_at) =
        (EXCLUDED.request, EXCLUDED.message_id, NULL, EXCLUDED.stored_at)
      WHERE send_keys.stored_at <= now() - ${lifetimeSql}
    RETURNING 1
  )`,
  column: 'NOT EXISTS (SELECT FROM stored_key) AS is_repeated',
});

/** Stores the sender's new visibility policy for the topic, which repetitions of the send also return. */
export async function storePolicy(tx: Tx, userId: number, { key }: SendKey, policy: 2 | 3): Promise<void> {
  await tx.query('UPDATE send_keys SET visibility_policy = $3 WHERE user_id = $1 AND key = $2', [userId, key, policy]);
}

/**
 * Returns the result of the first send with a key; null if there is none within a day.
 *
 * @throws AppError IDEMPOTENCY_KEY_REUSED if the parameters of the first send were different
 */
export async function findFirstSend(
  database: Queryable,
  userId: number,
  { key, request }: SendKey,
): Promise<SendResult | null> {
  const { rows } = await database.query<{ id: number; policy: 2 | 3 | null; is_same: boolean }>(
    {
      name: 'first-send',
      text: `SELECT message_id AS id, visibility_policy AS policy, request IS NOT DISTINCT FROM $3::bytea AS is_same
        FROM send_keys WHERE user_id = $1 AND key = $2::bytea AND stored_at > now() - ${lifetimeSql}`,
    },
    [userId, key, request],
  );
  const [row] = rows;
  if (row === undefined) return null;
  if (!row.is_same) throw chatErrors.create('IDEMPOTENCY_KEY_REUSED');
  return { id: row.id, ...(row.policy !== null && { automatic_new_visibility_policy: row.policy }) };
}
