import type { Tx } from '@switchboard/database';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';

/** A topic of a channel: the id of the channel's recipient row, and the topic name in the letter case of a message. */
interface ImportedTopicSpelling {
  readonly recipientId: number;
  readonly topic: string;
}

/** Rows of the database table `topics`, which can be looked up by recipient id and topic name. */
export class ImportedTopicRows {
  readonly #rows = new Map<string, { readonly id: number; readonly topic: string }>();

  private constructor() {}

  /**
   * Inserts the topic rows that are missing, and reads all topic rows. A new topic row has the letter case of the
   * topic's first message.
   */
  static async addMissingTopicRows(tx: Tx, written: readonly ImportedTopicSpelling[]): Promise<ImportedTopicRows> {
    const topics = new ImportedTopicRows();
    const first = new Map<string, ImportedTopicSpelling>();
    for (const one of written) {
      const key = createTopicRowKey(one.recipientId, one.topic);
      if (!first.has(key)) first.set(key, one);
    }
    if (first.size === 0) return topics;
    const values = [...first.values()];
    const parameters = [
      values.map(({ recipientId }) => recipientId),
      values.map(({ topic }) => normalizeTextForComparison(topic)),
      values.map(({ topic }) => topic),
    ];
    await tx.query(
      `INSERT INTO topics (recipient_id, topic_key, topic) SELECT * FROM unnest($1::int[], $2::text[], $3::text[])
       ON CONFLICT (recipient_id, topic_key) DO NOTHING`,
      parameters,
    );
    const { rows } = await tx.query<{ id: number; recipient_id: number; topic_key: string; topic: string }>(
      `SELECT t.id, t.recipient_id, t.topic_key, t.topic FROM unnest($1::int[], $2::text[]) AS sent(recipient_id, topic_key)
       JOIN topics t ON t.recipient_id = sent.recipient_id AND t.topic_key = sent.topic_key`,
      parameters.slice(0, 2),
    );
    for (const row of rows) topics.#rows.set(`${row.recipient_id} ${row.topic_key}`, row);
    return topics;
  }

  getTopicRow(recipientId: number, topic: string): { readonly id: number; readonly topic: string } {
    const row = this.#rows.get(createTopicRowKey(recipientId, topic));
    if (row === undefined) throw new Error('A topic was not added');
    return row;
  }
}

const createTopicRowKey = (recipientId: number, topic: string): string =>
  `${recipientId} ${normalizeTextForComparison(topic)}`;
