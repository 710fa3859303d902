import type { RealmImportContext, ImportedUsers } from './import-context.js';
import { insertImportedRows } from './insert-rows.js';

const importedPresenceColumns = {
  user_id: 'int',
  realm_id: 'int',
  last_active_at: 'timestamptz',
  last_connected_at: 'timestamptz',
  update_id: 'bigint',
};

/** Inserts the presence of the imported users, and the times of the users' last requests. */
export async function importUserActivity(
  { tx, realmId, archive, report }: RealmImportContext,
  users: ImportedUsers,
): Promise<void> {
  for await (const rows of archive.tables.readTableInBatches('zerver_userpresence')) {
    const presences = rows
      .filter((row) => users.has(row.readId('user_profile')) && row.hasColumnValue('last_connected_time'))
      .map((row) => ({
        user_id: row.readId('user_profile'),
        realm_id: realmId,
        last_active_at: row.readOptionalTime('last_active_time'),
        last_connected_at: row.readTime('last_connected_time'),
        update_id: 0,
      }));
    report.addImportedRowCount(
      'presences',
      await insertImportedRows(tx, 'presences', importedPresenceColumns, presences, { skipsDuplicates: true }),
    );
  }
  // Clients read presences by update id, so the ids follow the order in which users were last connected.
  await tx.query(
    `UPDATE presences p SET update_id = numbered.id FROM (
       SELECT user_id, nextval('presence_update_ids') AS id FROM (
         SELECT user_id FROM presences WHERE realm_id = $1 ORDER BY last_connected_at, user_id) ordered) numbered
     WHERE p.user_id = numbered.user_id`,
    [realmId],
  );
  for await (const rows of archive.tables.readTableInBatches('zerver_useractivity')) {
    const known = rows.filter((row) => users.has(row.readId('user_profile')));
    await tx.query(
      `INSERT INTO user_activity AS a (user_id, last_request_at)
       SELECT user_id, max(visited) FROM unnest($1::int[], $2::timestamptz[]) AS sent(user_id, visited) GROUP BY user_id
       ON CONFLICT (user_id) DO UPDATE SET last_request_at = greatest(a.last_request_at, excluded.last_request_at)`,
      [known.map((row) => row.readId('user_profile')), known.map((row) => row.readTime('last_visit'))],
    );
  }
}
