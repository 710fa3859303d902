import type { Tx } from '@switchboard/database';
import { newestAnchor } from '@switchboard/pagination';
import { realmSettings, type RealmSettings } from '../realms/index.js';
import { type Anchor, type MessageSelection } from './anchor.js';
import type { MessageRecord } from './message-record.js';
import { messageColumns, messageJoins, messageOfRow, type MessageRow } from './message-rows.js';
import { mutedCondition } from './narrow/narrow-conditions.js';
import type { NarrowedMessages } from './narrow/narrowed-messages.js';
import type { SqlParameters } from './narrow/sql-text.js';

/** A message and the reader's flags on it, as bits. */
export interface FlaggedMessage {
  readonly message: MessageRecord;
  readonly flags: number;
}

/** Messages in ascending order, and the anchor they were taken at. */
export interface MessagesPage {
  readonly messages: readonly FlaggedMessage[];
  /** Id of the anchor; {@link newestAnchor} where none was found. */
  readonly anchor: number;
  /** How much of edit histories the realm shows. */
  readonly editHistoryPolicy: RealmSettings['message_edit_history_visibility_policy'];
}

/** What a page is read from. */
export interface PageSource {
  readonly narrowed: NarrowedMessages;
  readonly parameters: SqlParameters;
  readonly actorId: number;
  readonly realmId: number;
  /** Muted channels do not hide their unread messages from a narrow that names one. */
  readonly namesChannel: boolean;
  readonly applyMarkdown: boolean;
}

type Range = Extract<MessageSelection, { kind: 'range' }>;
type PageRow = MessageRow & {
  anchor: number | null;
  flags: number;
  picked: number | null;
  edit_history_policy: string | null;
};

const { message_edit_history_visibility_policy: editHistoryPolicy } = realmSettings.shape;

/** Reads one page of messages: a single statement, which also finds the anchor. */
export async function readMessagesPage(tx: Tx, selection: MessageSelection, source: PageSource): Promise<MessagesPage> {
  const picked = selection.kind === 'ids' ? pickedById(selection.ids, source) : pickedAround(selection, source);
  const { rows } = await tx.query<PageRow>(
    `WITH ${picked}
     SELECT (SELECT id FROM anchor) AS anchor, picked.id AS picked, picked.flags, message.*,
       (SELECT settings ->> 'message_edit_history_visibility_policy' FROM realms
        WHERE id = ${source.parameters.add(source.realmId)}) AS edit_history_policy
     FROM (SELECT 1) one LEFT JOIN picked ON true
     LEFT JOIN LATERAL (
       SELECT ${messageColumns(source.applyMarkdown)} FROM messages m ${messageJoins} WHERE m.id = picked.id
     ) message ON true
     ORDER BY picked.id`,
    source.parameters.values,
  );
  return {
    anchor: rows[0]?.anchor ?? newestAnchor,
    editHistoryPolicy: editHistoryPolicy.parse(rows[0]?.edit_history_policy ?? undefined),
    messages: rows
      .filter((row) => row.picked !== null)
      .map((row) => ({ message: messageOfRow(row), flags: row.flags })),
  };
}

function pickedById(ids: readonly number[], { narrowed, parameters }: PageSource): string {
  return `anchor AS (SELECT NULL::bigint AS id),
    picked AS (SELECT m.id, ${narrowed.flags} AS flags FROM ${narrowed.from}
      WHERE ${narrowed.where} AND m.id = ANY(${parameters.add(ids)}::bigint[]))`;
}

/** The greatest ids below the anchor, the anchor itself, the smallest above: each side an index scan with a limit. */
function pickedAround(range: Range, source: PageSource): string {
  const { narrowed, parameters } = source;
  const anchor = `coalesce((SELECT id FROM anchor), ${newestAnchor})`;
  const side = (comparison: string, order: string, limit: number): string =>
    `(SELECT ${narrowed.id} AS id, ${narrowed.flags} AS flags FROM ${narrowed.from}
      WHERE ${narrowed.where} AND ${narrowed.id} ${comparison} ${anchor}
      ORDER BY ${narrowed.id} ${order} LIMIT ${parameters.add(limit)})`;
  return `anchor AS (${anchorQuery(range.anchor, source)}),
    picked AS (
      ${side('<', 'DESC', range.before)}
      UNION ALL ${side('=', 'ASC', range.includeAnchor ? 1 : 0)}
      UNION ALL ${side('>', 'ASC', range.after)})`;
}

function anchorQuery(anchor: Anchor, { narrowed, parameters, actorId, realmId, namesChannel }: PageSource): string {
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
      return `SELECT um.message_id AS id FROM ${narrowed.from}
        WHERE ${narrowed.where} AND um.flags & 1 = 0 AND NOT ${muted}
        ORDER BY um.message_id LIMIT 1`;
    }
  }
}

function mutedTopic(actor: string): string {
  return `EXISTS (SELECT 1 FROM user_topics ut WHERE ut.user_id = ${actor}
    AND ut.channel_id = r.channel_id AND ut.topic_key = m.topic_key AND ut.visibility_policy = 1)`;
}
