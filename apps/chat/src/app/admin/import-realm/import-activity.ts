import type { ImportContext, ImportedUsers } from './import-context.js';
import { insertRows } from './insert-rows.js';

const presenceColumns = {
  user_id: 'int',
  realm_id: 'int',
  last_active_at: 'timestamptz',
  last_connected_at: 'timestamptz',
  update_id: 'bigint',
};

/** Inserts the presence of the imported users, and the times of the users' last requests. */
export async function importActivity(
  { tx, realmId, archive, report }: ImportContext,
  users: ImportedUsers,
): Promise<void> {
  for await (const rows of archive.tables.readBatches('zerver_userpresence')) {
    const presences = rows
      .filter((row) => users.has(row.id('user_profile')) && row.has('last_connected_time'))
      .map((row) => ({
        user_id: row.id('user_profile'),
        realm_id: realmId,
        last_active_at: row.optionalTime('last_active_time'),
        last_connected_at: row.time('last_connected_time'),
        update_id: 0,
      }));
    report.addImported(
      'presences',
      await insertRows(tx, 'presences', presenceColumns, presences, { skipsDuplicates: true }),
    );
  }
  // The numbers are taken in the order in which the users were last connected.
  await tx.query(
    `UPDATE presences p SET update_id = numbered.id FROM (
       SELECT user_id, nextval('presence_update_ids') AS id FROM (
         SELECT user_id FROM presences WHERE realm_id = $1 ORDER BY last_connected_at, user_id) ordered) numbered
     WHERE p.user_id = numbered.user_id`,
    [realmId],
  );
  for await (const rows of archive.tables.readBatches('zerver_useractivity')) {
    const known = rows.filter((row) => users.has(row.id('user_profile')));
    await tx.query(
      `INSERT INTO user_activity AS a (user_id, last_request_at)
       SELECT user_id, max(visited) FROM unnest($1::int[], $2::timestamptz[]) AS sent(user_id, visited) GROUP BY user_id
       ON CONFLICT (user_id) DO UPDATE SET last_request_at = greatest(a.last_request_at, excluded.last_request_at)`,
      [known.map((row) => row.id('user_profile')), known.map((row) => row.time('last_visit'))],
    );
  }
}
