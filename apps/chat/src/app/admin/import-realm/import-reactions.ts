import type { ArchivedTableRow } from './archive/archive-row.js';
import type { RealmImportContext, ImportedUsers } from './import-context.js';
import { isKnownReactionEmoji } from './import-personal-rows.js';

/** Inserts reactions and submessages. Requires that the messages have been inserted. */
export async function importReactions(
  { tx, archive, report }: RealmImportContext,
  users: ImportedUsers,
  emojiIds: ReadonlySet<number>,
): Promise<void> {
  for await (const rows of archive.tables.readTableInBatches('zerver_reaction')) {
    const known = rows.filter(
      (row) => users.has(row.readId('user_profile')) && isKnownReactionEmoji(getArchivedReactionEmoji(row), emojiIds),
    );
    const { rowCount } = await tx.query(
      `INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type)
       SELECT m.id, sent.user_id, sent.emoji_name, sent.emoji_code, sent.reaction_type
       FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[])
         AS sent(id, message_id, user_id, emoji_name, emoji_code, reaction_type)
       JOIN messages m ON m.id = sent.message_id ORDER BY sent.id
       ON CONFLICT DO NOTHING`,
      [
        known.map((row) => row.readMessageId()),
        known.map((row) => row.readMessageId('message')),
        known.map((row) => row.readId('user_profile')),
        ...[0, 1, 2].map((index) => known.map((row) => getArchivedReactionEmoji(row)[index])),
      ],
    );
    report.addImportedRowCount('reactions', rowCount);
    report.addSkippedRowCount('reactions of unknown users, messages or emoji', rows.length - rowCount);
  }
  // Zulip does not export submessages; archives of this service may contain them.
  for await (const rows of archive.tables.readTableInBatches('zerver_submessage')) {
    const known = rows.filter((row) => users.has(row.readId('sender')));
    const { rowCount } = await tx.query(
      `INSERT INTO submessages (id, message_id, sender_id, msg_type, content)
       SELECT sent.id, m.id, sent.sender_id, sent.msg_type, sent.content
       FROM unnest($1::int[], $2::bigint[], $3::int[], $4::text[], $5::text[])
         AS sent(id, message_id, sender_id, msg_type, content)
       JOIN messages m ON m.id = sent.message_id`,
      [
        known.map((row) => row.readId()),
        known.map((row) => row.readMessageId('message')),
        known.map((row) => row.readId('sender')),
        known.map((row) => row.readText('msg_type')),
        known.map((row) => row.readText('content')),
      ],
    );
    report.addImportedRowCount('submessages', rowCount);
    report.addSkippedRowCount('submessages of unknown users or messages', rows.length - rowCount);
  }
}

function getArchivedReactionEmoji(row: ArchivedTableRow): readonly [string, string, string] {
  return [row.readText('emoji_name'), row.readText('emoji_code'), row.readText('reaction_type')];
}
