import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { getConversationOfMessage } from '../../events/event-sink-interface.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { type LockedMessage, lockMessage, MessageReaders } from '../../core/message-access/index.js';
import { addSubmessage } from '../../core/messages/index.js';
import { submessageAddEvent } from './submessages.events.js';
import type { addSubmessageParameters } from './submessages.schemas.js';

/**
 * Adds an entry to the poll or to-do list of a message: a vote, an option or a ticked task (docs/contract/chat.md 2.C).
 */
@Injectable()
export class AddSubmessage {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
    private readonly readers: MessageReaders,
  ) {}

  /**
   * Adds the entry to the poll or to-do list of the message.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  run(actor: ChatActor, parameters: DecodedParametersOfDefinition<typeof addSubmessageParameters>): Promise<void> {
    const { message_id: messageId, content } = parameters;
    return this.database.inTransaction(async (tx) => {
      const message = await lockMessage(tx, actor, messageId, { purpose: 'messages' });
      checkSubmessagePermission(actor, message, content);
      await checkSubmessageSize(tx, messageId, content);
      const added = await addSubmessage(tx, { messageId, senderId: actor.id, content });
      const users = await this.readers.list(tx, messageId, message.channel);
      this.events.write(tx, actor.realmId, submessageAddEvent, {
        audience: { users },
        payload: {
          message_id: messageId,
          submessage_id: added.id,
          sender_id: actor.id,
          msg_type: added.msg_type,
          content,
        },
        conversation: getConversationOfMessage(message),
      });
    });
  }
}

/**
 * Maximum total number of characters of all entries in a message's poll or to-do list. Each client that fetches the
 * message receives all entries.
 */
const maxSubmessageLength = 1_000_000;

/**
 * Checks that the entries of a message's poll or to-do list remain within the maximum total size. The caller must have
 * locked the message.
 *
 * @throws ApplicationError BAD_REQUEST
 */
async function checkSubmessageSize(tx: Tx, messageId: number, content: string): Promise<void> {
  const { rows } = await tx.query<{ length: number }>(
    'SELECT coalesce(sum(length(content)), 0)::int AS length FROM submessages WHERE message_id = $1',
    [messageId],
  );
  if ((rows[0]?.length ?? 0) + content.length > maxSubmessageLength)
    throw createBadRequestError('This message has too many submessages.');
}

/**
 * Checks that the actor may add an entry to a poll or to-do list. Only the sender of the message may change the
 * question or title. All readers may add votes and tasks.
 */
function checkSubmessagePermission(actor: ChatActor, message: LockedMessage, content: string): void {
  if (message.channel?.is_archived === true) throw createBadRequestError('This channel has been archived.');
  const entry = parseSubmessageContent(content);
  const isSender = message.senderId === actor.id;
  if (!message.hasWidget && !isSender) throw createBadRequestError('You cannot attach a submessage to this message.');
  const isQuestion =
    typeof entry === 'object' && entry !== null && 'type' in entry && senderOnlySubmessageTypes.has(entry.type);
  if (isQuestion && !isSender) throw createBadRequestError('Only the sender of a widget may change what it asks.');
}

const senderOnlySubmessageTypes: ReadonlySet<unknown> = new Set(['question', 'new_task_list_title']);

function parseSubmessageContent(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw createBadRequestError('Invalid json for submessage');
  }
}
