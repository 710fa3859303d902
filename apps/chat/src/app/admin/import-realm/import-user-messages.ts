import { messageFlagBits } from '../../../core/messages/index.js';
import type { ArchivedTableRow } from './archive/archive-row.js';
import type { RealmImportContext, ImportedUsers } from './import-context.js';

/** Pairs of message flag bits: the bit of a flag in the archive, and the bit of the same flag in this service. */
const archivedAndStoredFlagBits: readonly (readonly [archived: number, own: number])[] = [
  [1, messageFlagBits.read],
  [2, messageFlagBits.starred],
  [4, messageFlagBits.collapsed],
  [8, messageFlagBits.mentioned],
  [16, messageFlagBits.stream_wildcard_mentioned],
  [32, messageFlagBits.topic_wildcard_mentioned],
  [64, messageFlagBits.group_mentioned],
  [512, messageFlagBits.has_alert_word],
  [1024, messageFlagBits.historical],
];

/**
 * Inserts one row per recipient of each message, with the recipient's message flags. Requires that the messages have
 * been inserted.
 */
export async function importMessageRecipientRows(
  { tx, report }: RealmImportContext,
  users: ImportedUsers,
  rows: readonly ArchivedTableRow[],
): Promise<void> {
  const known = rows.filter((row) => users.has(row.readId('user_profile')));
  const { rowCount } = await tx.query(
    `INSERT INTO user_messages (user_id, message_id, flags)
     SELECT sent.user_id, m.id, sent.flags | CASE WHEN m.topic_id IS NULL THEN ${messageFlagBits.direct} ELSE 0 END
     FROM unnest($1::int[], $2::bigint[], $3::int[]) AS sent(user_id, message_id, flags)
     JOIN messages m ON m.id = sent.message_id
     ON CONFLICT DO NOTHING`,
    [
      known.map((row) => row.readId('user_profile')),
      known.map((row) => row.readMessageId('message')),
      known.map((row) => convertArchivedMessageFlags(row.readInteger('flags_mask'))),
    ],
  );
  report.addImportedRowCount('rows of recipients', rowCount);
  report.addSkippedRowCount('rows of recipients of unknown users or messages', rows.length - rowCount);
}

function convertArchivedMessageFlags(archived: number): number {
  return archivedAndStoredFlagBits.reduce((flags, [mask, bit]) => ((archived & mask) === 0 ? flags : flags | bit), 0);
}
