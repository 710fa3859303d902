import type { TopicMessages } from './remove-messages.repository.js';

/** Maximum number of messages deleted in one transaction: one that nobody received costs as much as 20 other rows. */
const mostMessages = 500;

/** Maximum number of rows deleted in one transaction unless configured: messages and the rows of their recipients. */
export const deletionBatchRows = 10_000;

/** A message about to be deleted. */
export interface DoomedMessage {
  readonly id: number;
  readonly topic: string;
  /** True if the batch is full: more messages may follow. */
  readonly isFull: boolean;
}

/** Candidates for deletion as SQL. */
export interface DeletionCandidates {
  /** `SELECT m.id FROM messages m ...` with its WHERE, neither ordered nor limited. */
  readonly select: string;
  readonly order: 'ASC' | 'DESC';
  /** SQL of the maximum number of rows. */
  readonly rows: string;
}

/**
 * Returns a statement that locks the first messages of the candidates, as many as have a limited number of rows, and
 * yields {@link DoomedMessage}s in ascending order. The rows of recipients are counted up to the limit alone. The last
 * message is deleted as a whole, whatever the number of its recipients.
 */
export function lockBatchSql({ select, order, rows }: DeletionCandidates): string {
  return `
    WITH counted AS MATERIALIZED (
      SELECT candidate.id FROM (${select} ORDER BY m.id ${order} LIMIT ${mostMessages}) candidate
      LEFT JOIN LATERAL (
        SELECT FROM user_messages um WHERE um.message_id = candidate.id AND um.flags >= 0 OFFSET 0) received ON true
      ORDER BY candidate.id ${order} LIMIT ${rows}
    ), batch AS MATERIALIZED (SELECT DISTINCT id FROM counted)
    SELECT m.id, m.topic,
      (SELECT count(*) FROM counted) >= ${rows} OR (SELECT count(*) FROM batch) >= ${mostMessages} AS "isFull"
    FROM messages m JOIN batch ON batch.id = m.id ORDER BY m.id FOR UPDATE OF m`;
}

/** Groups messages by their topics as each of them spells it, in the order of the oldest message of each topic. */
export function byTopic(messages: readonly DoomedMessage[]): TopicMessages[] {
  const topics = new Map<string, number[]>();
  for (const { id, topic } of messages) {
    const ids = topics.get(topic) ?? [];
    ids.push(id);
    topics.set(topic, ids);
  }
  return [...topics].map(([topic, messageIds]) => ({ topic, messageIds }));
}
