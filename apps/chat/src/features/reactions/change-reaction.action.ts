import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { findUsers } from '../../core/access/find-users.js';
import {
  checkEmojiReference,
  completeEmojiReference,
  type CustomEmojiRecord,
  type EmojiReference,
  findEmojiByReference,
  isEmojiCode,
  parseEmojiTypeName,
} from '../../infra/emoji/emoji-reference.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { getConversationOfMessage } from '../../events/event-sink-interface.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { type LockedMessage, lockMessage, MessageReaders } from '../../core/message-access/index.js';
import { findCustomEmoji } from '../custom-emoji/index.js';
import { historicalMessageFlagBits, type MessagePersonRecord } from '../../core/messages/index.js';
import { reactionAddEvent, reactionRemoveEvent } from './reactions.events.js';
import {
  addReaction,
  findEmojiNameOfReaction,
  type ReactionRemovalSelection,
  removeReaction,
} from './reactions.repository.js';
import type { addReactionParameters, removeReactionParameters } from './reactions.schemas.js';

/** Adds and removes reactions (docs/contract/chat.md 2.C, chat-4.16). */
@Injectable()
export class ReactionService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
    private readonly readers: MessageReaders,
  ) {}

  /**
   * Adds a reaction to a message.
   *
   * @throws ApplicationError BAD_REQUEST, REACTION_ALREADY_EXISTS
   */
  add(
    actor: ChatActor,
    messageId: number,
    parameters: DecodedParametersOfDefinition<typeof addReactionParameters>,
  ): Promise<void> {
    return this.database.inTransaction(async (tx) => {
      const person = await lockReactingUser(tx, actor);
      const message = await lockAccessibleMessage(tx, actor, messageId);
      const custom = await findCustomEmoji(tx, actor.realmId, parameters);
      const emoji = completeEmojiReference(parameters, custom);
      const usualName = await findEmojiNameOfReaction(tx, messageId, emoji);
      // Users may repeat a reaction of others, even if the emoji was renamed or removed since.
      if (usualName === null) checkEmojiReference(emoji, custom);
      const named = { ...emoji, emojiName: usualName ?? emoji.emojiName };
      const isNew = await addReaction(tx, messageId, actor.id, { flags: historicalMessageFlagBits }, named);
      if (!isNew) throw chatErrors.create('REACTION_ALREADY_EXISTS');
      await this.#emitEvent(tx, person, message, reactionAddEvent, named);
    });
  }

  /**
   * Removes a reaction from a message.
   *
   * @throws ApplicationError BAD_REQUEST, REACTION_DOES_NOT_EXIST
   */
  remove(
    actor: ChatActor,
    messageId: number,
    parameters: DecodedParametersOfDefinition<typeof removeReactionParameters>,
  ) {
    return this.database.inTransaction(async (tx) => {
      const selection = toReactionSelection(parameters, await findCustomEmoji(tx, actor.realmId, parameters));
      const person = await lockReactingUser(tx, actor);
      const message = await lockAccessibleMessage(tx, actor, messageId);
      const removed = await removeReaction(tx, messageId, actor.id, selection);
      if (removed === null) throw createReactionNotFoundError(selection);
      await this.#emitEvent(tx, person, message, reactionRemoveEvent, removed);
    });
  }

  async #emitEvent(
    tx: Tx,
    person: MessagePersonRecord,
    message: LockedMessage,
    event: typeof reactionAddEvent,
    { emojiName, emojiCode, reactionType }: EmojiReference,
  ): Promise<void> {
    const users = await this.readers.list(tx, message.id, message.channel);
    this.events.write(tx, message.realmId, event, {
      audience: { users },
      payload: {
        message_id: message.id,
        user_id: person.id,
        emoji_name: emojiName,
        emoji_code: emojiCode,
        reaction_type: reactionType,
        person,
      },
      conversation: getConversationOfMessage(message),
    });
  }
}

/**
 * Returns the actor's data for reaction events, and locks the actor's row until the transaction ends. The user row must
 * be locked before the channel of the message, to avoid deadlocks with sends and deactivations.
 */
async function lockReactingUser(tx: Tx, actor: ChatActor): Promise<MessagePersonRecord> {
  const user = (await findUsers(tx, actor, [actor.id], { lock: true })).get(actor.id);
  if (user === undefined) throw new Error(`User ${actor.id} has no row`);
  const { isActive: _isActive, isHidden: _isHidden, ...person } = user;
  return person;
}

async function lockAccessibleMessage(tx: Tx, actor: ChatActor, messageId: number): Promise<LockedMessage> {
  const message = await lockMessage(tx, actor, messageId, { purpose: 'messages' });
  if (message.channel?.is_archived === true) throw createBadRequestError('This channel has been archived.');
  return message;
}

function toReactionSelection(
  parameters: DecodedParametersOfDefinition<typeof removeReactionParameters>,
  custom: readonly CustomEmojiRecord[],
): ReactionRemovalSelection {
  const { emoji_name: emojiName, emoji_code: sentCode, reaction_type: type } = parameters;
  if (emojiName === undefined && sentCode === undefined) {
    throw createBadRequestError('At least one of emoji_name and emoji_code is required');
  }
  return {
    emojiName,
    emojiCode: sentCode ?? findEmojiByReference(emojiName ?? '', custom)?.emojiCode,
    isCodeSent: sentCode !== undefined,
    reactionType: type === undefined ? undefined : parseEmojiTypeName(type),
  };
}

/**
 * Creates the error for a reaction that does not exist. The error distinguishes an unknown emoji from a known emoji
 * with which the user did not react.
 */
function createReactionNotFoundError({
  emojiName,
  emojiCode,
  isCodeSent,
  reactionType,
}: ReactionRemovalSelection): Error {
  if (emojiCode === undefined) return createBadRequestError(`Emoji '${emojiName}' does not exist`);
  const types =
    reactionType === undefined ? (['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji'] as const) : [reactionType];
  const isKnown = types.some((type) => isEmojiCode(emojiCode, type));
  return isCodeSent && !isKnown
    ? createBadRequestError('Invalid emoji code.')
    : chatErrors.create('REACTION_DOES_NOT_EXIST');
}
