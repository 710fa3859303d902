import type { Statement, Tx } from '@switchboard/database';
import { newestAnchor } from '@switchboard/pagination';
import { realmSettings, type RealmSettings } from '../realms/index.js';
import { type Anchor, type MessageSelection } from './anchor.js';
import {
  type FlaggedMessage,
  messageColumns,
  type MessageParts,
  messageParts,
  messagesOfParts,
  type TextForm,
} from './message-rows.js';
import { conversationJoins, type NarrowedMessages } from './narrow/accessible-messages.js';
import { mutedCondition } from './narrow/is-condition.js';
import { PreparedTexts } from './narrow/prepared-texts.js';
import type { SqlParameters } from './narrow/sql-text.js';

/** Messages in ascending order, and the anchor they were taken at. */
export interface MessagesPage {
  readonly messages: readonly FlaggedMessage[];
  /** Id of the anchor; {@link newestAnchor} where none was found. */
  readonly anchor: number;
  /** How much of edit histories the realm shows. */
  readonly editHistoryPolicy: RealmSettings['message_edit_history_visibility_policy'];
}

/** What messages are selected from. */
export interface PickSource {
  readonly narrowed: NarrowedMessages;
  readonly parameters: SqlParameters;
  readonly actorId: number;
  readonly realmId: number;
  /** Muted channels do not hide their unread messages from a narrow that names one. */
  readonly namesChannel: boolean;
}

/** What a page is read from. */
export interface PageSource extends PickSource {
  /** Whether the narrow searches for words. */
  readonly isSearch: boolean;
  readonly form: TextForm;
}

type Range = Extract<MessageSelection, { kind: 'range' }>;
type PageRow = MessageParts & { anchor: number | null; edit_history_policy: string | null };

const { message_edit_history_visibility_policy: editHistoryPolicy } = realmSettings.shape;

/** Reads one page of messages: a single statement, which also finds the anchor. */
export async function readMessagesPage(tx: Tx, selection: MessageSelection, source: PageSource): Promise<MessagesPage> {
  const columns = messageColumns(source.form, source.narrowed.flags);
  const text = `WITH ${pickedMessages(selection, source, columns)}
     SELECT (SELECT id FROM anchor) AS anchor,
       realm.settings ->> 'message_edit_history_visibility_policy' AS edit_history_policy, ${messageParts}
     FROM realms realm WHERE realm.id = ${source.parameters.add(source.realmId)}`;
  const { rows } = await tx.query<PageRow>(statementOf(text, source));
  const [row] = rows;
  if (row === undefined) throw new Error('The realm of an actor is not there');
  return {
    anchor: row.anchor ?? newestAnchor,
    editHistoryPolicy: editHistoryPolicy.parse(row.edit_history_policy ?? undefined),
    messages: messagesOfParts(row),
  };
}

const preparedPages = new PreparedTexts('messages-page');

/** Planning takes longer than most pages; what a search looks for is planned each time, for it decides how. */
function statementOf(text: string, { parameters, isSearch }: PageSource): Statement {
  const { values } = parameters;
  return isSearch ? { text, values, planned: 'each time' } : { ...preparedPages.statement(text), values };
}

/**
 * The expressions `anchor (id)` and `picked (id, ...)` of a statement, for its WITH: the messages that are selected, and
 * the place they were taken around.
 *
 * @param columns What of `messages m` is picked besides the id, each under a name.
 */
export function pickedMessages(selection: MessageSelection, source: PickSource, columns?: string): string {
  const picked = columns === undefined ? 'm.id' : `m.id, ${columns}`;
  return selection.kind === 'ids' ? pickedById(selection.ids, source, picked) : pickedAround(selection, source, picked);
}

function pickedById(ids: readonly number[], { narrowed, parameters }: PickSource, columns: string): string {
  return `anchor AS (SELECT NULL::bigint AS id),
    picked AS MATERIALIZED (SELECT ${columns} FROM ${narrowed.from}
      WHERE ${narrowed.where} AND m.id = ANY(${parameters.add(ids)}::bigint[]))`;
}

/**
 * The greatest ids below the anchor, the anchor itself, the smallest above: each side an index scan with a limit, and
 * none where nothing is asked for. Limits stand in the text: a plan for any limit would sort whole histories.
 */
function pickedAround(range: Range, source: PickSource, columns: string): string {
  const { narrowed } = source;
  const anchor = `coalesce((SELECT id FROM anchor), ${newestAnchor})`;
  const side = (condition: string, order: string, limit: number): string =>
    `(SELECT ${columns} FROM ${narrowed.from}
      WHERE ${narrowed.where}${condition} ORDER BY ${narrowed.id} ${order} LIMIT ${limit})`;
  const beyond = (comparison: string): string => ` AND ${narrowed.id} ${comparison} ${anchor}`;
  const { kind } = range.anchor;
  const sides: string[] = [];
  if (range.before > 0 && kind !== 'oldest') {
    sides.push(side(kind === 'newest' ? '' : beyond('<'), 'DESC', range.before));
  }
  if (range.includeAnchor && kind !== 'newest' && kind !== 'oldest') sides.push(side(beyond('='), 'ASC', 1));
  if (range.after > 0 && kind !== 'newest') {
    sides.push(side(kind === 'oldest' ? '' : beyond('>'), 'ASC', range.after));
  }
  const picked = sides.length === 0 ? side('', 'ASC', 0) : sides.join(' UNION ALL ');
  return `anchor AS (${anchorQuery(range.anchor, source)}), picked AS MATERIALIZED (${picked})`;
}

function anchorQuery(anchor: Anchor, { narrowed, parameters, actorId, realmId, namesChannel }: PickSource): string {
  switch (anchor.kind) {
    case 'id':
      return `SELECT ${parameters.add(anchor.id)}::bigint AS id`;
    case 'oldest':
      return 'SELECT 0::bigint AS id';
    case 'newest':
      return 'SELECT NULL::bigint AS id';
    case 'date':
      return `SELECT m.id FROM ${narrowed.from}
        WHERE ${narrowed.where} AND m.realm_id = ${parameters.add(realmId)}
          AND m.date_sent >= ${parameters.add(anchor.date)}::timestamptz
        ORDER BY m.date_sent, m.id LIMIT 1`;
    case 'first_unread': {
      const actor = parameters.add(actorId);
      const muted = namesChannel ? mutedTopic(actor) : mutedCondition(actor);
      // Only what was received can be unread, in whatever history is looked at.
      return `SELECT um.message_id AS id
        FROM user_messages um JOIN messages m ON m.id = um.message_id ${conversationJoins(actor)}
        WHERE um.user_id = ${actor} AND ${narrowed.where} AND um.flags & 1 = 0 AND NOT ${muted}
        ORDER BY um.message_id LIMIT 1`;
    }
  }
}

function mutedTopic(actor: string): string {
  return `EXISTS (SELECT 1 FROM user_topics ut WHERE ut.user_id = ${actor}
    AND ut.channel_id = r.channel_id AND ut.topic_key = m.topic_key AND ut.visibility_policy = 1)`;
}
