import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import type { ArchivedTableRow } from './archive/archive-row.js';
import type { RealmImportContext, ImportedChannels, ImportedUsers } from './import-context.js';
import { type SqlTypesOfInsertedColumns, insertImportedRows } from './insert-rows.js';

/** A table of the archive whose rows belong to users, and the database table that receives the converted rows. */
interface UserOwnedTableImport {
  /** Description of the table's rows that the report of the import prints. */
  readonly name: string;
  readonly archived: string;
  /** Archive column that contains the id of the user to whom the row belongs. */
  readonly userColumn: string;
  readonly table: string;
  readonly columns: SqlTypesOfInsertedColumns;
  /** Converts an archived row to database columns, without `user_id`. Returns null if the row is not imported. */
  readonly convert: (
    row: ArchivedTableRow,
    known: ImportedUsersAndChannels,
  ) => Readonly<Record<string, unknown>> | null;
}

interface ImportedUsersAndChannels {
  readonly users: ImportedUsers;
  readonly channels: ImportedChannels;
  readonly emojiIds: ReadonlySet<number>;
}

const importableReactionTypes = ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'];

const userOwnedTableImports: readonly UserOwnedTableImport[] = [
  {
    name: 'alert words',
    archived: 'zerver_alertword',
    userColumn: 'user_profile',
    table: 'alert_words',
    columns: { word: 'text', word_key: 'text' },
    convert: (row) => ({ word: row.readText('word'), word_key: normalizeTextForComparison(row.readText('word')) }),
  },
  {
    name: 'muted users',
    archived: 'zerver_muteduser',
    userColumn: 'user_profile',
    table: 'muted_users',
    columns: { muted_user_id: 'int', date_muted: 'timestamptz' },
    convert: (row, { users }) =>
      users.has(row.readId('muted_user'))
        ? { muted_user_id: row.readId('muted_user'), date_muted: row.readTime('date_muted') }
        : null,
  },
  {
    name: 'topics that users muted or follow',
    archived: 'zerver_usertopic',
    userColumn: 'user_profile',
    table: 'user_topics',
    columns: {
      channel_id: 'int',
      topic_key: 'text',
      topic: 'text',
      visibility_policy: 'int',
      last_updated: 'timestamptz',
    },
    convert: (row, { channels }) => {
      const [channelId, policy, topic] = [
        row.readId('stream'),
        row.readInteger('visibility_policy'),
        row.readText('topic_name'),
      ];
      if (!channels.has(channelId) || policy < 1 || policy > 3) return null;
      const updated = row.readOptionalTime('last_updated') ?? new Date(0).toISOString();
      return {
        channel_id: channelId,
        topic_key: normalizeTextForComparison(topic),
        topic,
        visibility_policy: policy,
        last_updated: updated,
      };
    },
  },
  {
    name: 'saved snippets',
    archived: 'zerver_savedsnippet',
    userColumn: 'user_profile',
    table: 'saved_snippets',
    columns: { id: 'int', title: 'text', content: 'text', date_created: 'timestamptz' },
    convert: (row) => ({
      id: row.readId(),
      title: row.readText('title'),
      content: row.readText('content'),
      date_created: row.readTime('date_created'),
    }),
  },
  {
    name: 'navigation views',
    archived: 'zerver_navigationview',
    userColumn: 'user',
    table: 'navigation_views',
    columns: { fragment: 'text', is_pinned: 'boolean', name: 'text' },
    convert: (row) => ({
      fragment: row.readText('fragment'),
      is_pinned: row.readBoolean('is_pinned'),
      name: row.readOptionalText('name'),
    }),
  },
  {
    name: 'completed onboarding steps',
    archived: 'zerver_onboardingstep',
    userColumn: 'user',
    table: 'onboarding_steps',
    columns: { step: 'text' },
    convert: (row) => ({ step: row.readText('onboarding_step').slice(0, 100) }),
  },
  {
    name: 'user statuses',
    archived: 'zerver_userstatus',
    userColumn: 'user_profile',
    table: 'user_statuses',
    columns: { status_text: 'text', emoji_name: 'text', emoji_code: 'text', reaction_type: 'text' },
    convert: (row, { emojiIds }) => {
      const emoji = [row.readText('emoji_name'), row.readText('emoji_code'), row.readText('reaction_type')] as const;
      const [emojiName, emojiCode, reactionType] = isKnownReactionEmoji(emoji, emojiIds) ? emoji : ['', '', ''];
      const status = row.readOptionalText('status_text') ?? '';
      return { status_text: status, emoji_name: emojiName, emoji_code: emojiCode, reaction_type: reactionType };
    },
  },
  {
    name: 'stored values of bots',
    archived: 'zerver_botstoragedata',
    userColumn: 'bot_profile',
    table: 'bot_storage',
    columns: { key: 'text', value: 'text' },
    convert: (row) => ({ key: row.readText('key'), value: row.readText('value') }),
  },
];

/** Returns true if an emoji exists: a Unicode emoji, or a custom emoji whose id is in `emojiIds`. */
export function isKnownReactionEmoji(
  [name, code, type]: readonly [name: string, code: string, type: string],
  emojiIds: ReadonlySet<number>,
): boolean {
  if (name === '' || code === '' || !importableReactionTypes.includes(type)) return false;
  return type !== 'realm_emoji' || emojiIds.has(Number(code));
}

/** Inserts the rows of several small archived tables whose rows belong to users. */
export async function importUserOwnedRows(context: RealmImportContext, known: ImportedUsersAndChannels): Promise<void> {
  const { tx, archive, report } = context;
  for (const { name, archived, userColumn, table, columns, convert } of userOwnedTableImports) {
    for await (const rows of archive.tables.readTableInBatches(archived)) {
      const converted = rows.flatMap((row) => {
        const userId = row.readId(userColumn);
        const values = known.users.has(userId) ? convert(row, known) : null;
        return values === null ? [] : [{ user_id: userId, ...values }];
      });
      const all = { user_id: 'int', ...columns };
      const inserted = await insertImportedRows(tx, table, all, converted, { skipsDuplicates: true });
      report.addImportedRowCount(name, inserted);
      report.addSkippedRowCount(`${name} that are repeated or refer to unknown objects`, rows.length - inserted);
    }
  }
}
