import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../../../infra/http/chat-actor.js';
import { createBadNarrowError } from '../../../../errors.js';
import { selectAccessibleMessageClauses } from './accessible-messages.js';
import { parseMessageIdOperand, type NarrowTerm } from './parse-narrow-terms.js';
import { NumberedSqlParameters } from './numbered-sql-parameters.js';
import { shownTopicSql } from '../../topics/topic-row-sql.js';

/** Conversation in which a message currently is: a channel and topic, or a direct conversation. */
interface NarrowConversation {
  readonly channelId: number | null;
  readonly topic: string;
  readonly participantIds: readonly number[] | null;
}

/**
 * Terms of a narrow (filter) after the term `with` was replaced by a conversation. The property `isEmpty` is true if
 * the message named by `with` was not found and no other term names a conversation.
 */
export interface NarrowTermsAfterFollowingMessage {
  readonly terms: readonly NarrowTerm[];
  readonly isEmpty: boolean;
}

/**
 * Replaces the conversation terms of a narrow (filter) by the current conversation of the message that the term `with`
 * names (docs/contract/chat.md 5.4). Links with this term therefore work after the message was moved. Ignores a message
 * that the reader cannot see. Executes one SQL statement, or no statement if the narrow has no term `with`.
 * @throws ApplicationError BAD_NARROW for an invalid id, and for several or negated `with` terms
 */
export async function replaceWithTermByConversation(
  tx: Tx,
  actor: ChatActor,
  terms: readonly NarrowTerm[],
): Promise<NarrowTermsAfterFollowingMessage> {
  const [following, another] = terms.filter((term) => term.operator === 'with');
  if (following === undefined) return { terms, isEmpty: false };
  if (another !== undefined) throw createBadNarrowError("Duplicate 'with' operators.");
  if (following.negated) throw createBadNarrowError("'with' cannot be negated");
  const others = terms.filter((term) => term !== following);
  const conversation = await findConversationOfReadableMessage(tx, actor, parseMessageIdOperand(following));
  if (conversation === null) return { terms: others, isEmpty: !hasConversationTerm(others) };
  const rest = others.filter((term) => term.negated || !conversationNarrowOperators.has(term.operator));
  return { terms: [...rest, ...toConversationTerms(conversation)], isEmpty: false };
}

const conversationNarrowOperators: ReadonlySet<string> = new Set(['channel', 'topic', 'dm']);

function hasConversationTerm(terms: readonly NarrowTerm[]): boolean {
  const named = new Set(terms.filter((term) => !term.negated).map((term) => term.operator));
  return named.has('dm') || (named.has('channel') && named.has('topic'));
}

function toConversationTerms({ channelId, topic, participantIds }: NarrowConversation): NarrowTerm[] {
  if (channelId === null) return [{ operator: 'dm', operand: [...(participantIds ?? [])], negated: false }];
  return [
    { operator: 'channel', operand: channelId, negated: false },
    { operator: 'topic', operand: topic, negated: false },
  ];
}

async function findConversationOfReadableMessage(
  tx: Tx,
  actor: ChatActor,
  messageId: number,
): Promise<NarrowConversation | null> {
  const parameters = new NumberedSqlParameters();
  const { from, where } = selectAccessibleMessageClauses(actor, parameters);
  const { rows } = await tx.query<NarrowConversation>(
    `SELECT r.channel_id AS "channelId", ${shownTopicSql} AS topic, r.participant_ids AS "participantIds"
     FROM ${from} WHERE ${where} AND m.id = ${parameters.addValue(messageId)}::bigint`,
    parameters.values,
  );
  return rows[0] ?? null;
}
