import type { SqlStatement, Tx } from '@switchboard/database';
import { newestAnchorId } from '@switchboard/pagination';
import { realmSettingsSchema, type RealmSettings } from '../../realms/index.js';
import {
  type MessageWithReaderFlags,
  hasFewReactionsSql,
  createMessageColumnsSql,
  type MessageSqlParts,
  messagePartsSql,
  messageSizesSql,
  convertRowToMessages,
  type MessageTextForm,
} from '../wire/message-rows-sql.js';
import type { NarrowedMessagesSql } from './narrow/accessible-messages.js';
import { createMessageIndexOrderBy } from './narrow/message-id-index-ranges.js';
import { PreparedStatementNames } from './narrow/prepared-statement-names.js';
import type { SelectedMessageIds } from './narrow/select-messages-of-narrow.js';
import type { NumberedSqlParameters } from './narrow/numbered-sql-parameters.js';

/** Messages of a page in ascending order of ids, and the anchor message around which the page was selected. */
export interface MessagesPage {
  readonly messages: readonly MessageWithReaderFlags[];
  /** Message id of the anchor, around which the page was selected; {@link newestAnchorId} if no message was found. */
  readonly anchor: number;
  /**
   * Ids of the selected messages in ascending order. The list `messages` omits a selected message that was deleted
   * before it was read.
   */
  readonly ids: readonly number[];
  /** Realm setting that decides which parts of a message's edit history a response contains. */
  readonly editHistoryPolicy: RealmSettings['message_edit_history_visibility_policy'];
  /**
   * Sizes of the page's messages if the messages are too large to be loaded together; otherwise null. If set,
   * `messages` is empty.
   */
  readonly sizes: readonly MessageSize[] | null;
}

/** Id of a message, and its size in bytes including its reactions and submessages. */
export type MessageSize = readonly [id: number, bytes: number];

/** SQL clauses that select the messages of a page, with the parameters of the SQL. */
export interface MessageSelectionSql {
  readonly narrowed: NarrowedMessagesSql;
  readonly parameters: NumberedSqlParameters;
}

/** SQL clauses that select the messages of a page, and the size limits of the page. */
export interface MessagesPageSelectionSql extends MessageSelectionSql {
  readonly realmId: number;
  readonly form: MessageTextForm;
  /** Maximum total size, in bytes, of the messages that one SQL statement loads; undefined for no limit. */
  readonly maxBytes?: number;
}

/** Maximum number of messages of a page for which the service does not check the total size of the messages. */
const maxMessagesWithoutSizeCheck = 100;
/**
 * Maximum number of reactions, and of submessages, of a page for which the service does not check the total size of the
 * messages.
 */
const maxPartsWithoutSizeCheck = 10_000;

type IndexRangeOfSelectedMessages = Extract<SelectedMessageIds, { kind: 'range' }>;
type MessagesPageRow = MessageSqlParts & {
  anchor: number | null;
  edit_history_policy: string | null;
  sizes: MessageSize[] | null;
};

const { message_edit_history_visibility_policy: editHistoryPolicy } = realmSettingsSchema.shape;

/** Reads one page of messages in a single SQL statement. */
export async function readMessagesPage(
  tx: Tx,
  selection: SelectedMessageIds,
  source: MessagesPageSelectionSql,
): Promise<MessagesPage> {
  const { parameters, form } = source;
  const columns = createMessageColumnsSql(source.narrowed.flags);
  const measured = createSizeCheckedMessagesSql(selection, source);
  const text = `WITH ${selectedMessagesSql(selection, source, columns)}${measured.expression}
     SELECT (SELECT id FROM anchor) AS anchor, ${measured.sizes} AS sizes,
       realm.settings ->> 'message_edit_history_visibility_policy' AS edit_history_policy,
       ${messagePartsSql(form, measured.isSmall)}
     FROM realms realm WHERE realm.id = ${parameters.addValue(source.realmId)}`;
  const statement: SqlStatement =
    getMaxSelectedMessageCount(selection) > maxPreparedPageSize
      ? { text, planned: 'each time' }
      : preparedPageStatements.createNamedStatement(text);
  const { rows } = await tx.query<MessagesPageRow>({ ...statement, values: parameters.values });
  const [row] = rows;
  if (row === undefined) throw new Error('The realm of the actor does not exist');
  const messages = convertRowToMessages(row);
  const picked = row.sizes?.map(([id]) => id) ?? messages.map(({ message }) => message.id);
  return {
    anchor: row.anchor ?? newestAnchorId,
    ids: selection.kind === 'ids' ? selection.ids : picked,
    sizes: row.sizes,
    editHistoryPolicy: editHistoryPolicy.parse(row.edit_history_policy ?? undefined),
    messages,
  };
}

/** Returns the maximum number of messages that a request's message selection can contain. */
function getMaxSelectedMessageCount(selection: SelectedMessageIds): number {
  return selection.kind === 'ids' ? selection.ids.length : selection.before + selection.after + 1;
}

/**
 * Returns SQL parts for reading a page. If the page is too large to load, the SQL reads only the sizes of its messages.
 * A page with few messages is too large only if it has very many reactions or submessages.
 */
function createSizeCheckedMessagesSql(selection: SelectedMessageIds, { form, maxBytes }: MessagesPageSelectionSql) {
  if (maxBytes === undefined) return { expression: '', sizes: 'NULL::json', isSmall: 'true' };
  const isSmall =
    getMaxSelectedMessageCount(selection) <= maxMessagesWithoutSizeCheck
      ? hasFewReactionsSql(maxPartsWithoutSizeCheck)
      : `(SELECT coalesce(sum(bytes), 0) <= ${maxBytes} FROM sizes)`;
  return {
    expression: `, sizes AS MATERIALIZED (${messageSizesSql(form)}),
      total AS MATERIALIZED (SELECT ${isSmall} AS is_small)`,
    sizes: `(SELECT json_agg(json_build_array(id, bytes) ORDER BY id) FROM sizes
       WHERE NOT (SELECT is_small FROM total))`,
    isSmall: '(SELECT is_small FROM total)',
  };
}

/**
 * Maximum number of messages that a prepared statement reads for one page. PostgreSQL plans the statement for a larger
 * page at each execution. A generic plan assumes an average history or topic, and for a larger page would read and sort
 * a whole long history.
 */
const maxPreparedPageSize = 200;

/**
 * Names of the prepared statements that read pages of messages. Planning such a statement takes longer than reading
 * most pages.
 */
const preparedPageStatements = new PreparedStatementNames('messages-page');

/**
 * Returns two expressions for the WITH clause of an SQL statement. `anchor (id)` selects the anchor message, and
 * `picked (id, ...)` selects the messages of the page.
 *
 * @param columns Further columns of `messages m` to select, each with an alias.
 */
export function selectedMessagesSql(
  selection: SelectedMessageIds,
  source: MessageSelectionSql,
  columns?: string,
): string {
  const picked = columns === undefined ? 'm.id' : `m.id, ${columns}`;
  return selection.kind === 'ids'
    ? selectMessagesByIdSql(selection, source, picked)
    : selectMessagesAroundAnchorSql(selection, source, picked);
}

function selectMessagesByIdSql(
  { ids, anchor }: Extract<SelectedMessageIds, { kind: 'ids' }>,
  { narrowed, parameters }: MessageSelectionSql,
  columns: string,
): string {
  return `anchor AS (SELECT ${parameters.addValue(anchor)}::bigint AS id),
    picked AS MATERIALIZED (SELECT ${columns} FROM ${narrowed.from}
      WHERE ${narrowed.where} AND ${narrowed.id} = ANY(${parameters.addValue(ids)}::bigint[]))`;
}

/**
 * Returns SQL that selects the messages around an anchor: the greatest ids below the anchor, the anchor itself, and the
 * smallest ids above the anchor. Each side is an index scan with a limit. The SQL omits a side without requested
 * messages. The limits are literals. With parameters, PostgreSQL would plan for any limit and sort whole histories.
 */
function selectMessagesAroundAnchorSql(
  range: IndexRangeOfSelectedMessages,
  { narrowed, parameters }: MessageSelectionSql,
  columns: string,
): string {
  const { kind } = range.anchor;
  const anchor = range.anchor.kind === 'id' ? `${parameters.addValue(range.anchor.id)}::bigint` : null;
  const side = (comparison: string, order: 'ASC' | 'DESC', limit: number): string =>
    `(SELECT ${columns} FROM ${narrowed.from}
      WHERE ${narrowed.where}${anchor === null ? '' : ` AND ${narrowed.id} ${comparison} ${anchor}`}
      ORDER BY ${createMessageIndexOrderBy(narrowed, order)} LIMIT ${limit})`;
  const sides: string[] = [];
  if (range.before > 0 && kind !== 'oldest') sides.push(side('<', 'DESC', range.before));
  if (range.includeAnchor && kind === 'id') sides.push(side('=', 'ASC', 1));
  if (range.after > 0 && kind !== 'newest') sides.push(side('>', 'ASC', range.after));
  const picked = sides.length === 0 ? side('=', 'ASC', 0) : sides.join(' UNION ALL ');
  const anchorId = kind === 'oldest' ? '0::bigint' : (anchor ?? 'NULL::bigint');
  return `anchor AS (SELECT ${anchorId} AS id), picked AS MATERIALIZED (${picked})`;
}
