import type { Tx } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, signIn } from '../../../../test/chat-server.js';
import { measurePlanCost, RecordingTx } from '../../../../test/explain-query-plan.js';
import { exportedTables } from '../tables/index.js';
import { archiveEntryNumbers, type RealmExportContext } from './export-stage.js';
import { tablesExportStage } from './table-export-stage.js';

let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start();
});
afterAll(() => cluster.stop());

const rollback = new Error('rolled back');

/**
 * Number of message files in the export, and number of messages in each message file. Each message has one reaction.
 */
const files = 40;
const messagesPerFile = 1_000;

/** Inserts an export whose message files are already written. Returns the id of the export. */
async function addExport(tx: Tx, userId: number): Promise<number> {
  await tx.query(
    `INSERT INTO messages (realm_id, sender_id, recipient_id, client_id)
     SELECT r.realm_id, $1, r.id, (SELECT min(id) FROM clients)
     FROM (SELECT * FROM recipients WHERE channel_id IS NOT NULL ORDER BY id LIMIT 1) r, generate_series(1, $2::int)`,
    [userId, files * messagesPerFile],
  );
  await tx.query(
    `INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type)
     SELECT id, $1, 'tada', '1f389', 'unicode_emoji' FROM messages ORDER BY id DESC LIMIT $2`,
    [userId, files * messagesPerFile],
  );
  const { rows } = await tx.query<{ id: number }>(
    'INSERT INTO realm_exports (realm_id, acting_user_id, export_type) SELECT realm_id, id, 1 FROM users WHERE id = $1 RETURNING id',
    [userId],
  );
  await tx.query(
    `INSERT INTO realm_export_parts (export_id, entry, piece, name, size, key, message_ids)
     SELECT $1, $2 + file, 1, 'messages-' || file || '.json', 1, 'key', array_agg(id ORDER BY id)
     FROM (SELECT id, (row_number() OVER (ORDER BY id DESC) - 1) / $3 AS file FROM messages ORDER BY id DESC LIMIT $4) m
     GROUP BY file`,
    [rows[0]?.id, archiveEntryNumbers.messages + 1, messagesPerFile, files * messagesPerFile],
  );
  await tx.query('ANALYZE messages, reactions, realm_exports, realm_export_parts');
  return rows[0]?.id ?? 0;
}

describe('tablesExportStage', () => {
  it('reads reactions a number of times that does not depend on the number of message files', async () => {
    const iago = await signIn(chat, 'iago');
    const work = chat.runtime.database.inTransaction(async (tx) => {
      await tx.query('SET LOCAL statement_timeout = 0');
      const exportId = await addExport(tx, iago.id);
      const { rows } = await tx.query<{ realm: number }>('SELECT realm_id AS realm FROM users WHERE id = $1', [
        iago.id,
      ]);
      const database = new RecordingTx(tx);
      const parts = {
        async write(_entry: number, _name: string, content: AsyncIterable<string>) {
          for await (const text of content) expect(typeof text).toBe('string');
          return {};
        },
      };
      const table = exportedTables.findIndex(({ name }) => name === 'zerver_reaction');
      const shared = {
        exportId,
        realmId: rows[0]?.realm,
        isPublic: true,
        consentingIds: [],
        counts: {},
        clientIds: [],
      };
      const context = { ...shared, database, parts } as unknown as RealmExportContext;
      const { counts } = await tablesExportStage.run(context, { table, source: 0, key: null });
      expect(counts?.['zerver_reaction']).toBe(files * messagesPerFile);
      const pages = database.statements.filter(({ text }) => text.includes('reactions'));
      expect(pages.length).toBeGreaterThan(files / 2);
      let read = 0;
      for (const page of pages) read += (await measurePlanCost(tx, page)).touched.get('reactions') ?? 0;
      // A page may end within a file, and the last pages may read all files that remain.
      expect(read).toBeLessThanOrEqual(5 * files * messagesPerFile);
      throw rollback;
    });
    await expect(work).rejects.toBe(rollback);
  }, 180_000);
});
