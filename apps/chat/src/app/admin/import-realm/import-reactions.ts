import type { ArchiveRow } from './archive/archive-row.js';
import type { ImportContext, ImportedUsers } from './import-context.js';
import { isKnownReactionEmoji } from './import-personal-rows.js';

/** Inserts reactions and submessages. Requires that the messages have been inserted. */
export async function importReactions(
  { tx, archive, report }: ImportContext,
  users: ImportedUsers,
  emojiIds: ReadonlySet<number>,
): Promise<void> {
  for await (const rows of archive.tables.readBatches('zerver_reaction')) {
    const known = rows.filter(
      (row) => users.has(row.id('user_profile')) && isKnownReactionEmoji(getReactionEmoji(row), emojiIds),
    );
    const { rowCount } = await tx.query(
      `INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type)
       SELECT m.id, sent.user_id, sent.emoji_name, sent.emoji_code, sent.reaction_type
       FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::text[])
         AS sent(id, message_id, user_id, emoji_name, emoji_code, reaction_type)
       JOIN messages m ON m.id = sent.message_id ORDER BY sent.id
       ON CONFLICT DO NOTHING`,
      [
        known.map((row) => row.messageId()),
        known.map((row) => row.messageId('message')),
        known.map((row) => row.id('user_profile')),
        ...[0, 1, 2].map((index) => known.map((row) => getReactionEmoji(row)[index])),
      ],
    );
    report.addImported('reactions', rowCount);
    report.addSkipped('reactions of unknown users, messages or emoji', rows.length - rowCount);
  }
  // Zulip does not export submessages; archives of this service may contain them.
  for await (const rows of archive.tables.readBatches('zerver_submessage')) {
    const known = rows.filter((row) => users.has(row.id('sender')));
    const { rowCount } = await tx.query(
      `INSERT INTO submessages (id, message_id, sender_id, msg_type, content)
       SELECT sent.id, m.id, sent.sender_id, sent.msg_type, sent.content
       FROM unnest($1::int[], $2::bigint[], $3::int[], $4::text[], $5::text[])
         AS sent(id, message_id, sender_id, msg_type, content)
       JOIN messages m ON m.id = sent.message_id`,
      [
        known.map((row) => row.id()),
        known.map((row) => row.messageId('message')),
        known.map((row) => row.id('sender')),
        known.map((row) => row.text('msg_type')),
        known.map((row) => row.text('content')),
      ],
    );
    report.addImported('submessages', rowCount);
    report.addSkipped('submessages of unknown users or messages', rows.length - rowCount);
  }
}

function getReactionEmoji(row: ArchiveRow): readonly [string, string, string] {
  return [row.text('emoji_name'), row.text('emoji_code'), row.text('reaction_type')];
}
