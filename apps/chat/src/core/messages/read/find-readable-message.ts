import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import type { MessageRecord } from '../wire/message-record-schema.js';
import { readMessagesPage } from './messages-page.repository.js';
import { selectAccessibleMessageClauses } from './narrow/accessible-messages.js';
import { NumberedSqlParameters } from './narrow/numbered-sql-parameters.js';

/**
 * Returns a message with its Markdown source. Returns null if the message does not exist or the actor cannot read it.
 */
export async function findReadableMessage(tx: Tx, actor: ChatActor, id: number): Promise<MessageRecord | null> {
  const parameters = new NumberedSqlParameters();
  const page = await readMessagesPage(
    tx,
    { kind: 'ids', anchor: null, ids: [id] },
    {
      narrowed: selectAccessibleMessageClauses(actor, parameters),
      parameters,
      realmId: actor.realmId,
      form: 'markdown',
    },
  );
  return page.messages[0]?.message ?? null;
}
