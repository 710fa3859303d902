import type { Tx } from '@switchboard/database';
import type { MessageAnchor, MessageSelection } from '../parse-message-anchor.js';
import { findMessageIdsOfNarrow } from './find-message-ids-of-narrow.js';
import { excludesUnreadMessages, indexedFlagOperandsOfIs } from './narrow-index-ranges.js';
import { createMutedCondition, createMutedTopicCondition } from './narrow-is-condition.js';
import type { NarrowedMessagesSql } from './accessible-messages.js';
import { createNarrowedMessages, type ResolvedNarrow } from './narrow-sql.js';
import { type NarrowTerm, parseTextOperand } from './parse-narrow-terms.js';
import type { ParsedAndCheckedNarrow } from './prepare-narrow.js';
import { NumberedSqlParameters } from './numbered-sql-parameters.js';

type MessageRangeSelection = Extract<MessageSelection, { kind: 'range' }>;

/**
 * Messages of a page in one of two forms. The forms are a range of an index that contains the messages in order, and a
 * list of message ids.
 */
export type SelectedMessageIds =
  | (MessageRangeSelection & { readonly anchor: MessageIdAnchor })
  | { readonly kind: 'ids'; readonly anchor: number | null; readonly ids: readonly number[] };

type MessageIdAnchor = Exclude<MessageAnchor, { kind: 'first_unread' } | { kind: 'date' }>;

/**
 * Finds the anchor message of a page. Also finds the ids of the page's messages, unless one index contains these
 * messages in order. Executes no SQL statement if this index exists and the request contains the anchor's id.
 */
export async function findAnchorAndPageMessages(
  tx: Tx,
  narrow: ParsedAndCheckedNarrow,
  selection: MessageSelection,
): Promise<SelectedMessageIds> {
  if (selection.kind === 'ids')
    return { kind: 'ids', anchor: null, ids: await selectIdsMatchingNarrow(tx, narrow, selection.ids) };
  if (narrow.isEmpty) return { kind: 'ids', anchor: getAnchorWithoutMatch(selection.anchor), ids: [] };
  const anchor = await findMessageAnchorId(tx, narrow, selection.anchor);
  const range = { ...selection, anchor };
  if (isNarrowServedByIndex(narrow)) return range;
  return { kind: 'ids', anchor: resolveAnchorId(anchor), ids: await selectIdsAroundAnchor(tx, narrow, range) };
}

function getAnchorWithoutMatch(anchor: MessageAnchor): number | null {
  return anchor.kind === 'id' || anchor.kind === 'oldest' ? resolveAnchorId(anchor) : null;
}

/** Returns the message id of an anchor; null if the anchor is the newest message. */
function resolveAnchorId(anchor: MessageIdAnchor): number | null {
  if (anchor.kind === 'id') return anchor.id;
  return anchor.kind === 'oldest' ? 0 : null;
}

async function findMessageAnchorId(
  tx: Tx,
  narrow: ParsedAndCheckedNarrow,
  anchor: MessageAnchor,
): Promise<MessageIdAnchor> {
  if (anchor.kind !== 'first_unread' && anchor.kind !== 'date') return anchor;
  const id =
    anchor.kind === 'date'
      ? await findFirstMessageSince(tx, narrow, anchor.date)
      : await findFirstUnreadMessageId(tx, narrow);
  return id === undefined ? { kind: 'newest' } : { kind: 'id', id };
}

/**
 * Returns the id of the first unread message that matches a narrow (filter). Searches only received messages, because
 * only received messages can be unread.
 */
async function findFirstUnreadMessageId(tx: Tx, narrow: ParsedAndCheckedNarrow): Promise<number | undefined> {
  if (narrow.terms.some(excludesUnreadMessages)) return undefined;
  const unread: NarrowTerm = { operator: 'is', operand: 'unread', negated: false };
  const muted = narrow.namesChannel ? createMutedTopicCondition : createMutedCondition;
  const [id] = await findMessageIdsOfNarrow(tx, {
    narrow: { ...narrow, terms: [...narrow.terms, unread] },
    order: 'ASC',
    beyond: null,
    more: (actor) => `NOT ${muted(actor)}`,
    limit: 1,
  });
  return id;
}

/**
 * Number of neighboring message ids that are checked to find the first message after a time. Of two messages that are
 * sent concurrently, the later message may have the smaller id.
 */
const neighborMessageIdsToCheck = 200;

async function findFirstMessageSince(tx: Tx, narrow: ParsedAndCheckedNarrow, date: Date): Promise<number | undefined> {
  const { rows } = await tx.query<{ id: number | null }>(
    `SELECT min(id) AS id FROM (
       SELECT id FROM messages WHERE realm_id = $1 AND date_sent >= $2 ORDER BY date_sent LIMIT ${neighborMessageIdsToCheck}) next`,
    [narrow.actor.realmId, date],
  );
  const from = rows[0]?.id ?? null;
  if (from === null) return undefined;
  const [id] = await findMessageIdsOfNarrow(tx, {
    narrow,
    order: 'ASC',
    beyond: from - 1,
    more: (_actor, parameters) => `m.date_sent >= ${parameters.addValue(date)}::timestamptz`,
    limit: 1,
  });
  return id;
}

/**
 * Returns SQL clauses that read the messages that {@link findAnchorAndPageMessages} found. The clauses omit the
 * searched words, which were already checked.
 */
export function createSelectedMessagesSql(
  { actor, names, terms }: ResolvedNarrow,
  parameters: NumberedSqlParameters,
): NarrowedMessagesSql {
  const left = terms.filter((term) => term.negated || term.operator !== 'search');
  return createNarrowedMessages({ actor, names, terms: left }, parameters);
}

/**
 * Returns true if one index contains exactly the messages that match a narrow (filter), in order. Such a narrow names a
 * channel, a topic, the reader's history or a message flag.
 */
function isNarrowServedByIndex({ terms, names }: ResolvedNarrow): boolean {
  const filtering = terms.filter((term) => !isUnrestrictedTerm(term));
  const [first, second] = filtering;
  if (first === undefined) return true;
  if (filtering.length > 2 || filtering.some((term) => term.negated)) return false;
  if (second === undefined) {
    if (first.operator === 'is') return indexedFlagOperandsOfIs.has(parseTextOperand(first));
    return first.operator === 'channel' && names.channel(first).historyReadable;
  }
  const channel = filtering.find((term) => term.operator === 'channel');
  return channel !== undefined && names.channel(channel).historyReadable && filtering.some(isSingleTopicTerm);
}

/** Returns true if a term of a narrow (filter) matches every message. */
function isUnrestrictedTerm({ operator, operand, negated }: NarrowTerm): boolean {
  return operator === 'near' || (operator === 'in' && operand === 'all' && !negated);
}

function isSingleTopicTerm({ operator }: NarrowTerm): boolean {
  return operator === 'topic';
}

async function selectIdsAroundAnchor(
  tx: Tx,
  narrow: ParsedAndCheckedNarrow,
  range: MessageRangeSelection & { anchor: MessageIdAnchor },
): Promise<number[]> {
  const { anchor, before, after, includeAnchor } = range;
  const id = resolveAnchorId(anchor);
  const older =
    anchor.kind === 'oldest'
      ? []
      : await findMessageIdsOfNarrow(tx, { narrow, order: 'DESC', beyond: id, limit: before });
  const at = anchor.kind === 'id' && includeAnchor ? await selectIdsMatchingNarrow(tx, narrow, [anchor.id]) : [];
  const newer = id === null ? [] : await findMessageIdsOfNarrow(tx, { narrow, order: 'ASC', beyond: id, limit: after });
  return [...older.toReversed(), ...at, ...newer];
}

/** Returns those of the given message ids whose messages match the narrow (filter). */
async function selectIdsMatchingNarrow(
  tx: Tx,
  narrow: ParsedAndCheckedNarrow,
  ids: readonly number[],
): Promise<number[]> {
  if (narrow.isEmpty) return [];
  const parameters = new NumberedSqlParameters();
  const { from, where, id } = createNarrowedMessages(narrow, parameters);
  const { rows } = await tx.query<{ id: number }>(
    `SELECT m.id FROM ${from} WHERE ${where} AND ${id} = ANY(${parameters.addValue(ids)}::bigint[]) ORDER BY m.id`,
    parameters.values,
  );
  return rows.map((row) => row.id);
}
