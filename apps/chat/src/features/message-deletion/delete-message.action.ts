import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { type ActorRights, loadActorRights } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { CLOCK_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { ChannelRights } from '../../core/channels/index.js';
import { type LockedMessage, lockMessage, MessageReaders } from '../../core/message-access/index.js';
import { getRealmRow } from '../../core/realms/index.js';
import { deleteMessages } from './delete-messages.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Deletes a message on request of a user (docs/contract/chat.md 5.8). */
@Injectable()
export class DeleteMessage {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    readonly events: ChatEventWriter,
    readonly readers: MessageReaders,
  ) {}

  /**
   * Deletes the message with the given id.
   *
   * @throws ApplicationError BAD_REQUEST for a message that does not exist, that the actor cannot read, or that the
   * actor may not delete any more
   */
  run(actor: ChatActor, id: number): Promise<void> {
    const { realmId } = actor;
    return this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, realmId, 'shared');
      const message = await lockMessage(tx, actor, id, { purpose: 'settings' });
      const rights = await loadActorRights(tx, actor);
      if (!canDeleteAnyMessage(rights, message)) {
        requireOwnMessageDeletionPermission(actor, rights, message);
        const { settings } = await getRealmRow(tx, realmId);
        this.#checkAge(message, settings.message_content_delete_limit_seconds);
      }
      const { channel, topic, recipientId } = message;
      await deleteMessages(tx, this, { realmId, channel, recipientId, topics: [{ topic, messageIds: [id] }] });
    });
  }

  #checkAge(message: LockedMessage, limitSeconds: number | null): void {
    if (limitSeconds === null || this.clock.now() - message.sentAtMs <= limitSeconds * 1000) return;
    throw createBadRequestError('The time limit for deleting this message has passed');
  }
}

function canDeleteAnyMessage(rights: ActorRights, message: LockedMessage): boolean {
  if (message.channel?.is_archived === true) throw createDeletionError();
  return (
    rights.hasRealmPermission('can_delete_any_message_group') ||
    hasChannelDeletionPermission(rights, message, 'can_delete_any_message_group')
  );
}

/**
 * Throws unless the actor may delete own messages, and has sent the message personally or through a bot that the actor
 * owns.
 */
function requireOwnMessageDeletionPermission(actor: ChatActor, rights: ActorRights, message: LockedMessage): void {
  const isOwn = message.senderId === actor.id || message.senderOwnerId === actor.id;
  const mayDelete =
    rights.hasRealmPermission('can_delete_own_message_group') ||
    hasChannelDeletionPermission(rights, message, 'can_delete_own_message_group');
  if (!isOwn || !mayDelete) throw createDeletionError();
}

function hasChannelDeletionPermission(
  rights: ActorRights,
  { channel, isSubscribed }: LockedMessage,
  permission: 'can_delete_any_message_group' | 'can_delete_own_message_group',
): boolean {
  return channel !== null && new ChannelRights(channel, rights, isSubscribed).hasPermission(permission);
}

function createDeletionError(): Error {
  return createBadRequestError("You don't have permission to delete this message");
}
