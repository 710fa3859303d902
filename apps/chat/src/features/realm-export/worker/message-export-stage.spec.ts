import { describe, expect, it } from 'vitest';
import type { RealmExportContext } from './export-stage.js';
import { messagesExportStage } from './message-export-stage.js';

/**
 * Number of searches after which the test's database stub fails. An export step that never ends therefore fails the
 * test.
 */
const maxSearches = 1_000;

interface Search {
  readonly afterId: number;
  readonly limit: number;
}

/**
 * Returns the context of an export of messages with the ids from 1 to `count`, and the searches for messages.
 *
 * @param isExportable true for messages that are in the archive
 */
function contextOf(count: number, isExportable: (id: number) => boolean) {
  const searches: Search[] = [];
  const query = async (sql: string, values: unknown[]): Promise<{ rows: object[]; rowCount: number }> => {
    if (!sql.includes('WITH next')) return answer(sql, values);
    const [afterId, , limit] = values.slice(3).map(Number) as [number, number, number];
    if (searches.push({ afterId, limit }) > maxSearches) throw new Error('The step does not end');
    const ids = Array.from({ length: Math.min(limit, count - afterId) }, (_id, index) => afterId + index + 1);
    const found = ids.filter(isExportable).map((id) => [id, 10, false]);
    return rowsOf({ messages: found.length === 0 ? null : found, last_id: ids.at(-1) ?? null });
  };
  const parts = {
    async write(entry: number, name: string | null, content: AsyncIterable<string>) {
      for await (const text of content) expect(typeof text).toBe('string');
      return { entry, name, size: 0, key: `${entry}` };
    },
  };
  const context = {
    exportId: 1,
    realmId: 1,
    isPublic: true,
    consentingIds: [],
    lastMessageId: count,
    counts: {},
    clientIds: [],
    database: { query },
    parts,
  } as unknown as RealmExportContext;
  return { context, searches };
}

const rowsOf = (...rows: object[]) => ({ rows, rowCount: rows.length });

/** Returns stubbed result rows for the SQL statements of the export stage that do not search for messages. */
function answer(sql: string, values: unknown[]) {
  const ids = values.find((value) => Array.isArray(value) && value.length > 0) ?? [];
  if (sql.includes('zerver') || sql.includes('client_ids')) return rowsOf({ text: '{}', ids, client_ids: [] });
  if (sql.includes('soft_deactivations') && !sql.includes('user_messages')) return rowsOf({ count: 0 });
  return sql.includes('GROUP BY message_id') ? rowsOf() : rowsOf({ text: null, count: 0 });
}

describe('messagesExportStage', () => {
  it('ends a step after 50 searches without an exportable message, and continues there in the next step', async () => {
    const { context, searches } = contextOf(1_000_000, () => false);
    const first = await messagesExportStage.run(context, null);
    expect(first).toEqual({ parts: [], cursor: { file: 1, afterId: 100_000 } });
    expect(searches).toHaveLength(50);
    await messagesExportStage.run(context, first.cursor);
    expect(searches[50]).toEqual({ afterId: 100_000, limit: 2_000 });
  });

  it('examines 2,000 messages in each search, however many messages are found', async () => {
    const { context, searches } = contextOf(500_000, (id) => id <= 999 || id === 90_000);
    const step = await messagesExportStage.run(context, null);
    expect(new Set(searches.map(({ limit }) => limit))).toEqual(new Set([2_000]));
    expect(searches).toHaveLength(45);
    expect(step.parts[0]?.messageIds?.at(-1)).toBe(90_000);
  });

  it('writes at most 1,000 messages into a file, and continues after the last exported message', async () => {
    const { context } = contextOf(3_500, () => true);
    const files: (readonly number[])[] = [];
    let cursor: object | null = null;
    do {
      const step = await messagesExportStage.run(context, cursor);
      files.push(...step.parts.map(({ messageIds }) => messageIds ?? []));
      cursor = step.cursor;
    } while (cursor !== null);
    expect(files.map(({ length }) => length)).toEqual([1_000, 1_000, 1_000, 500]);
    expect(files.flat()).toEqual(Array.from({ length: 3_500 }, (_id, index) => index + 1));
  });
});
