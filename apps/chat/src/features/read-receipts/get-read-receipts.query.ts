import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { listUsersHiddenFromViewer } from '../../core/access/user-visibility.js';
import { createBadRequestError } from '../../errors.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { createInvalidMessagesError } from '../../core/message-access/index.js';
import { selectAccessibleMessageClauses, messageFlagBits, NumberedSqlParameters } from '../../core/messages/index.js';
import { omittedMessageRowsSql } from '../../core/soft-deactivation/index.js';
import { getRealmRow } from '../../core/realms/index.js';

/** Query class that returns the result of GET /messages/{message_id}/read_receipts (docs/contract/chat.md 2.C). */
@Injectable()
export class GetReadReceipts {
  constructor(@Inject(DATABASE_TOKEN) private readonly database: Database) {}

  /**
   * Lists the ids of users who have read a message, in ascending order. The list excludes the sender and users who send
   * no read receipts. The list also excludes users who muted the actor or whom the actor muted.
   * @throws ApplicationError BAD_REQUEST for a message that does not exist or is inaccessible, or if the realm disables
   * read receipts
   */
  async run(actor: ChatActor, messageId: number): Promise<{ user_ids: number[] }> {
    const { settings } = await getRealmRow(this.database, actor.realmId);
    const sql = new NumberedSqlParameters();
    const { from, where } = selectAccessibleMessageClauses(actor, sql);
    const reader = sql.addValue(actor.id);
    const { rows } = await this.database.query<{ user_ids: number[] }>(
      `SELECT ARRAY(
         SELECT receipt.user_id FROM (
           SELECT user_id, flags FROM user_messages WHERE message_id = m.id AND flags >= 0
           UNION ALL SELECT user_id, flags FROM (${omittedMessageRowsSql('ARRAY[m.id]')}) missing
         ) receipt JOIN users u ON u.id = receipt.user_id
         WHERE receipt.flags & ${messageFlagBits.read} <> 0 AND u.id <> m.sender_id AND u.is_active
           AND coalesce((u.settings ->> 'send_read_receipts')::boolean, true)
           AND NOT EXISTS (
             SELECT 1 FROM muted_users mute
             WHERE (mute.user_id, mute.muted_user_id) IN ((u.id, ${reader}), (${reader}, u.id)))
         ORDER BY receipt.user_id) AS user_ids
       FROM ${from} WHERE ${where} AND m.id = ${sql.addValue(messageId)}`,
      sql.values,
    );
    const [row] = rows;
    if (row === undefined) throw createInvalidMessagesError();
    if (!settings.enable_read_receipts) throw createBadRequestError('Read receipts are disabled in this organization.');
    const hidden = await listUsersHiddenFromViewer(this.database, actor);
    return { user_ids: row.user_ids.filter((id) => !hidden.has(id)) };
  }
}
