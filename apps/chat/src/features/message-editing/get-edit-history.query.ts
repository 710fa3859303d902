import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { createInvalidMessagesError } from '../../core/message-access/index.js';
import {
  selectAccessibleMessageClauses,
  type EditHistory,
  mapWithEventLoopPauses,
  maxEditHistoryEntries,
  shownHistorySql,
  shownTopicSql,
  NumberedSqlParameters,
  selectVisibleEditHistory,
} from '../../core/messages/index.js';
import { emptyTopicName } from '../../events/empty-topic-name.js';
import { getRealmRow } from '../../core/realms/index.js';
import { createHtmlDiff, maxDiffComparisonsPerResponse } from './message-html-diff.js';
import type { messageVersionSchema, messageHistoryParameters } from './edit-message.schemas.js';

type MessageVersion = z.infer<typeof messageVersionSchema>;

interface MessageHistoryRow {
  sender_id: number;
  sent_at: number;
  is_direct: boolean;
  topic: string;
  content: string;
  rendered_content: string;
  edit_history: EditHistory | null;
}

/**
 * Handles GET /messages/{message_id}/history: returns the versions of a message that the realm's settings allow the
 * user to see.
 */
@Injectable()
export class GetMessageEditHistory {
  constructor(@Inject(DATABASE_TOKEN) private readonly database: Database) {}

  /**
   * Returns the versions of a message.
   *
   * @throws ApplicationError BAD_REQUEST for a message that does not exist or that the actor cannot read, or if the
   * realm hides edit histories
   */
  async run(
    actor: ChatActor,
    id: number,
    parameters: DecodedParametersOfDefinition<typeof messageHistoryParameters>,
  ): Promise<{ message_history: MessageVersion[] }> {
    const { settings } = await getRealmRow(this.database, actor.realmId);
    const policy = settings.message_edit_history_visibility_policy;
    if (policy === 'none') throw createBadRequestError('Message edit history is disabled in this organization');
    const row = await this.#read(actor, id);
    const history = selectVisibleEditHistory(row.edit_history?.slice(0, maxEditHistoryEntries) ?? null, policy) ?? [];
    const shown = (topic: string): string =>
      topic === '' && !row.is_direct && !parameters.allow_empty_topic_name ? emptyTopicName : topic;
    return { message_history: await listEarlierVersions(row, history, shown) };
  }

  async #read(actor: ChatActor, id: number): Promise<MessageHistoryRow> {
    const sql = new NumberedSqlParameters();
    const { from, where } = selectAccessibleMessageClauses(actor, sql);
    const { rows } = await this.database.query<MessageHistoryRow>(
      `SELECT m.sender_id, floor(extract(epoch FROM m.date_sent))::bigint AS sent_at, r.channel_id IS NULL AS is_direct,
         ${shownTopicSql} AS topic, x.content, x.rendered_content, ${shownHistorySql('m')} AS edit_history
       FROM ${from} JOIN message_texts x ON x.message_id = m.id WHERE ${where} AND m.id = ${sql.addValue(id)}`,
      sql.values,
    );
    const [row] = rows;
    if (row === undefined) throw createInvalidMessagesError();
    return row;
  }
}

/** Computes the earlier versions of a message. Starts with the current version, and reverses one edit after another. */
async function listEarlierVersions(
  row: MessageHistoryRow,
  history: EditHistory,
  shown: (topic: string) => string,
): Promise<MessageVersion[]> {
  const budget = { ...maxDiffComparisonsPerResponse };
  let { topic, content, rendered_content } = row;
  const newestFirst = await mapWithEventLoopPauses(
    history,
    ({ prev_topic, topic: _topic, ...entry }): MessageVersion => {
      const before = entry.prev_rendered_content;
      const diff = before === undefined ? {} : { content_html_diff: createHtmlDiff(before, rendered_content, budget) };
      const snapshot = { ...entry, topic: shown(topic), content, rendered_content, ...diff };
      content = entry.prev_content ?? content;
      rendered_content = entry.prev_rendered_content ?? rendered_content;
      topic = prev_topic ?? topic;
      return prev_topic === undefined ? snapshot : { ...snapshot, prev_topic: shown(prev_topic) };
    },
  );
  const first = { topic: shown(topic), content, rendered_content, user_id: row.sender_id, timestamp: row.sent_at };
  return [...newestFirst, first].toReversed();
}
