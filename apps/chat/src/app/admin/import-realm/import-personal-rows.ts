import { toTextKey } from '../../../infra/normalized-text-key.js';
import type { ArchiveRow } from './archive/archive-row.js';
import type { ImportContext, ImportedChannels, ImportedUsers } from './import-context.js';
import { type InsertedColumns, insertRows } from './insert-rows.js';

/** A table of the archive whose rows belong to users, and the database table that receives the converted rows. */
interface PersonalTable {
  /** Description of the table's rows that the report of the import prints. */
  readonly name: string;
  readonly archived: string;
  /** Archive column that contains the id of the user to whom the row belongs. */
  readonly userColumn: string;
  readonly table: string;
  readonly columns: InsertedColumns;
  /** Converts an archived row to database columns, without `user_id`. Returns null if the row is not imported. */
  readonly convert: (row: ArchiveRow, known: ImportedObjects) => Readonly<Record<string, unknown>> | null;
}

interface ImportedObjects {
  readonly users: ImportedUsers;
  readonly channels: ImportedChannels;
  readonly emojiIds: ReadonlySet<number>;
}

const reactionTypes = ['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'];

const personalTableImports: readonly PersonalTable[] = [
  {
    name: 'alert words',
    archived: 'zerver_alertword',
    userColumn: 'user_profile',
    table: 'alert_words',
    columns: { word: 'text', word_key: 'text' },
    convert: (row) => ({ word: row.text('word'), word_key: toTextKey(row.text('word')) }),
  },
  {
    name: 'muted users',
    archived: 'zerver_muteduser',
    userColumn: 'user_profile',
    table: 'muted_users',
    columns: { muted_user_id: 'int', date_muted: 'timestamptz' },
    convert: (row, { users }) =>
      users.has(row.id('muted_user'))
        ? { muted_user_id: row.id('muted_user'), date_muted: row.time('date_muted') }
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
      const [channelId, policy, topic] = [row.id('stream'), row.integer('visibility_policy'), row.text('topic_name')];
      if (!channels.has(channelId) || policy < 1 || policy > 3) return null;
      const updated = row.optionalTime('last_updated') ?? new Date(0).toISOString();
      return {
        channel_id: channelId,
        topic_key: toTextKey(topic),
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
      id: row.id(),
      title: row.text('title'),
      content: row.text('content'),
      date_created: row.time('date_created'),
    }),
  },
  {
    name: 'navigation views',
    archived: 'zerver_navigationview',
    userColumn: 'user',
    table: 'navigation_views',
    columns: { fragment: 'text', is_pinned: 'boolean', name: 'text' },
    convert: (row) => ({
      fragment: row.text('fragment'),
      is_pinned: row.boolean('is_pinned'),
      name: row.optionalText('name'),
    }),
  },
  {
    name: 'completed onboarding steps',
    archived: 'zerver_onboardingstep',
    userColumn: 'user',
    table: 'onboarding_steps',
    columns: { step: 'text' },
    convert: (row) => ({ step: row.text('onboarding_step').slice(0, 100) }),
  },
  {
    name: 'user statuses',
    archived: 'zerver_userstatus',
    userColumn: 'user_profile',
    table: 'user_statuses',
    columns: { status_text: 'text', emoji_name: 'text', emoji_code: 'text', reaction_type: 'text' },
    convert: (row, { emojiIds }) => {
      const emoji = [row.text('emoji_name'), row.text('emoji_code'), row.text('reaction_type')] as const;
      const [emojiName, emojiCode, reactionType] = isKnownReactionEmoji(emoji, emojiIds) ? emoji : ['', '', ''];
      const status = row.optionalText('status_text') ?? '';
      return { status_text: status, emoji_name: emojiName, emoji_code: emojiCode, reaction_type: reactionType };
    },
  },
  {
    name: 'stored values of bots',
    archived: 'zerver_botstoragedata',
    userColumn: 'bot_profile',
    table: 'bot_storage',
    columns: { key: 'text', value: 'text' },
    convert: (row) => ({ key: row.text('key'), value: row.text('value') }),
  },
];

/** Returns true if an emoji exists: a Unicode emoji, or a custom emoji whose id is in `emojiIds`. */
export function isKnownReactionEmoji(
  [name, code, type]: readonly [name: string, code: string, type: string],
  emojiIds: ReadonlySet<number>,
): boolean {
  if (name === '' || code === '' || !reactionTypes.includes(type)) return false;
  return type !== 'realm_emoji' || emojiIds.has(Number(code));
}

/** Inserts the rows of several small archived tables whose rows belong to users. */
export async function importPersonalRows(context: ImportContext, known: ImportedObjects): Promise<void> {
  const { tx, archive, report } = context;
  for (const { name, archived, userColumn, table, columns, convert } of personalTableImports) {
    for await (const rows of archive.tables.readBatches(archived)) {
      const converted = rows.flatMap((row) => {
        const userId = row.id(userColumn);
        const values = known.users.has(userId) ? convert(row, known) : null;
        return values === null ? [] : [{ user_id: userId, ...values }];
      });
      const all = { user_id: 'int', ...columns };
      const inserted = await insertRows(tx, table, all, converted, { skipsDuplicates: true });
      report.addImported(name, inserted);
      report.addSkipped(`${name} that are repeated or refer to unknown objects`, rows.length - inserted);
    }
  }
}
