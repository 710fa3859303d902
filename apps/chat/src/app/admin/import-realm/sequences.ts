import type { Tx } from '@switchboard/database';

/** Tables whose rows retain the ids of the archive. */
const tablesWithArchivedIds = [
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

/** Large tables of an import, whose statistics the planner needs at once. */
export const importedTables = [
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

/** Makes the sequences of tables continue after the largest id of the archive. */
export async function advanceSequences(tx: Tx): Promise<void> {
  for (const table of tablesWithArchivedIds) {
    await tx.query(
      `SELECT setval(sequence, greatest(nextval(sequence), coalesce((SELECT max(id) FROM ${table}), 0)))
       FROM (SELECT pg_get_serial_sequence('${table}', 'id')::regclass AS sequence) named`,
    );
  }
}
