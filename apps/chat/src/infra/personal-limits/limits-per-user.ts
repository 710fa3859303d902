import { integerVariableSchema } from '@switchboard/platform';
import type { Tx } from '@switchboard/database';
import { createBadRequestError } from '../../errors.js';

/** Environment variables that limit the number of objects one user can store. */
export const storageLimitsPerUserVariables = {
  DRAFTS_PER_USER: integerVariableSchema({ min: 1 })
    .default(1_000)
    .meta({ description: 'Drafts that one user may store' }),
  SNIPPETS_PER_USER: integerVariableSchema({ min: 1 })
    .default(1_000)
    .meta({ description: 'Saved snippets that one user may store' }),
  SCHEDULED_MESSAGES_PER_USER: integerVariableSchema({ min: 1 })
    .default(1_000)
    .meta({ description: 'Scheduled messages, and reminders, that one user may store together' }),
  SCHEDULED_MESSAGES_BYTES_PER_USER: integerVariableSchema({ min: 1, max: 33_554_432 }).default(8_388_608).meta({
    description: 'Bytes of the scheduled messages and reminders of one user: text, and text as HTML',
  }),
  DEVICES_PER_USER: integerVariableSchema({ min: 1 })
    .default(100)
    .meta({ description: 'Devices of one user that stay registered; the oldest are removed' }),
  API_KEYS_PER_USER: integerVariableSchema({ min: 1 })
    .default(50)
    .meta({ description: 'API keys with scopes that one user may have, including expired ones' }),
  PUSH_TOKENS_PER_USER: integerVariableSchema({ min: 1 })
    .default(100)
    .meta({ description: 'Push tokens that are stored for one user; the oldest are removed' }),
};

/**
 * Throws if, after the transaction's inserts, the user has more rows in a table than the limit. Concurrent requests of
 * one user can exceed the limit only by the rows that are not yet committed.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export async function requireUserRowsBelowLimit(
  tx: Tx,
  userId: number,
  { table, limit }: { readonly table: 'drafts' | 'saved_snippets' | 'scheduled_messages'; readonly limit: number },
): Promise<void> {
  const { rows } = await tx.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM (SELECT FROM ${table} WHERE user_id = $1 LIMIT $2) stored`,
    [userId, limit + 1],
  );
  if ((rows[0]?.n ?? 0) > limit)
    throw createBadRequestError(`You may store at most ${limit} ${table.replace('_', ' ')}`);
}

/**
 * Throws if, after the transaction's writes, the user's scheduled messages and reminders exceed the limit in bytes. The
 * limit exists because one response contains all scheduled messages, and because HTML can be much longer than the
 * message text. The caller must first lock the user (`lockUserRow`), so that rows of concurrent requests are counted.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export async function requireScheduledBytesBelowLimit(tx: Tx, userId: number, limit: number): Promise<void> {
  const { rows } = await tx.query<{ bytes: number }>(
    `SELECT coalesce(sum(octet_length(content) + octet_length(rendered_content)), 0)::float8 AS bytes
     FROM scheduled_messages WHERE user_id = $1`,
    [userId],
  );
  if ((rows[0]?.bytes ?? 0) > limit)
    throw createBadRequestError(`You may store at most ${limit} bytes of scheduled messages`);
}
