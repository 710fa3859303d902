import type { Tx } from '@switchboard/database';

/** Names of the tables whose imported rows have the same ids as in the archive. */
const tablesThatRetainArchivedIds = [
  'realms',
  'users',
  'user_groups',
  'channels',
  'channel_folders',
  'default_channel_groups',
  'messages',
  'submessages',
  'attachments',
  'realm_emoji',
  'realm_linkifiers',
  'realm_playgrounds',
  'profile_fields',
  'saved_snippets',
  'scheduled_messages',
];

/** Names of the large imported tables, for which the query planner needs statistics immediately after the import. */
export const largeImportedTables = [
  'messages',
  'message_texts',
  'topics',
  'user_messages',
  'reactions',
  'subscriptions',
  'recipients',
  'users',
  'attachment_messages',
];

/** Sets the id sequences of imported tables to continue after the largest imported id. */
export async function advanceIdSequencesAfterImport(tx: Tx): Promise<void> {
  for (const table of tablesThatRetainArchivedIds) {
    await tx.query(
      `SELECT setval(sequence, greatest(nextval(sequence), coalesce((SELECT max(id) FROM ${table}), 0)))
       FROM (SELECT pg_get_serial_sequence('${table}', 'id')::regclass AS sequence) named`,
    );
  }
}
