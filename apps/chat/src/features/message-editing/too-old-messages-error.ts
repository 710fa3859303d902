import type { Database } from '@switchboard/database';
import { chatErrors } from '../../errors.js';
import {
  countMovableMessages,
  type MovableMessageSelection,
  type ActorMovingMessages,
} from './move-messages.repository.js';

/**
 * Thrown if a move includes messages that are too old to be moved. The service counts the messages for the error
 * response only after it has unlocked the channel.
 */
export class MovedMessagesTooOldError extends Error {
  /** @param oldest earliest time of sending that allows a move */
  constructor(
    readonly movable: MovableMessageSelection,
    readonly oldest: Date,
  ) {
    super('The topic has messages that are too old to be moved');
  }
}

/**
 * Creates the error response for a move that includes messages that are too old. The response contains the number of
 * messages that can be moved.
 */
export async function createTooOldMessagesResponse(
  database: Database,
  actor: ActorMovingMessages,
  { movable, oldest }: MovedMessagesTooOldError,
): Promise<Error> {
  const { total, allowed, firstAllowed } = await countMovableMessages(database, actor, movable, oldest);
  const fields = {
    first_message_id_allowed_to_move: firstAllowed ?? movable.id,
    total_messages_in_topic: total,
    total_messages_allowed_to_move: allowed,
  };
  return chatErrors.create('MOVE_MESSAGES_TIME_LIMIT_EXCEEDED', { params: fields, fields });
}
