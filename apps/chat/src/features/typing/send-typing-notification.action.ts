import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { findUsers, type UserFoundByReference } from '../../core/access/find-users.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { listChannels } from '../../core/channels/index.js';
import { normalizeMessageTopic, rejectHiddenRecipients } from '../../core/messages/index.js';
import { channelTypingEvents, directMessageTypingEvents } from './typing.events.js';
import {
  listChannelTypingRecipientIds,
  filterDirectMessageTypingRecipients,
  readTypingUser,
  type TypingUser,
} from './typing.repository.js';
import type { typingNotificationParameters } from './typing.schemas.js';

type SendTypingNotificationParameters = DecodedParametersOfDefinition<typeof typingNotificationParameters>;

/** Notifies other users that the actor is typing (chat-4.2). The notification is not stored in the database. */
@Injectable()
export class SendTypingNotification {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Sends a typing notification.
   *
   * @throws ApplicationError BAD_REQUEST, REQUEST_VARIABLE_MISSING
   */
  async run(actor: ChatActor, parameters: SendTypingNotificationParameters): Promise<void> {
    const isDirect = parameters.type === 'direct' || parameters.type === 'private';
    await this.database.inTransaction((tx) =>
      isDirect ? this.#notifyRecipients(tx, actor, parameters) : this.#notifyChannel(tx, actor, parameters),
    );
  }

  async #notifyRecipients(tx: Tx, actor: ChatActor, { op, to }: SendTypingNotificationParameters): Promise<void> {
    if (to === undefined) {
      const fields = { var_name: 'to' };
      throw chatErrors.create('REQUEST_VARIABLE_MISSING', { params: fields, fields });
    }
    if (to.length === 0) throw createBadRequestError("Empty 'to' list");
    const { sender, consent } = await readTypingUser(tx, actor.id);
    if (!consent.direct) throw createBadRequestError('User has disabled typing notifications for direct messages');
    const participants = await listDirectMessageParticipants(tx, actor, to);
    const users = await filterDirectMessageTypingRecipients(
      tx,
      participants.map(({ id }) => id),
    );
    const payload = { sender, participants };
    this.events.write(tx, actor.realmId, directMessageTypingEvents[op], { audience: { users }, payload });
  }

  async #notifyChannel(tx: Tx, actor: ChatActor, parameters: SendTypingNotificationParameters): Promise<void> {
    const { op, stream_id: channelId, topic } = parameters;
    if (channelId === undefined) throw createBadRequestError('Missing stream_id');
    if (topic === undefined) throw createBadRequestError('Missing topic');
    const { sender, consent } = await readTypingUser(tx, actor.id);
    if (!consent.channel) throw createBadRequestError('User has disabled typing notifications for channel messages');
    const [channel] = await listChannels(tx, actor, { channelIds: [channelId] });
    if (channel === undefined || !channel.content_readable) throw createBadRequestError('Invalid channel ID');
    const users = await listChannelTypingRecipientIds(tx, channelId);
    const payload = { sender, channelId, topic: normalizeMessageTopic(topic) };
    if (users.length > 0) {
      this.events.write(tx, actor.realmId, channelTypingEvents[op], { audience: { users }, payload });
    }
  }
}

/** Lists the participants of a direct message, including the actor, sorted by id. */
async function listDirectMessageParticipants(tx: Tx, actor: ChatActor, to: readonly number[]): Promise<TypingUser[]> {
  const ids = [...new Set([...to, actor.id])].toSorted((a, b) => a - b);
  const found = await findUsers(tx, actor, ids, { lock: false, includeHidden: true });
  rejectHiddenRecipients(found.values());
  return ids.map((id) => convertToTypingUser(found.get(id), id));
}

function convertToTypingUser(user: UserFoundByReference | undefined, id: number): TypingUser {
  if (user === undefined) throw createBadRequestError(`Invalid user ID ${id}`);
  const { deliveryEmail, emailVisibility, isBot } = user;
  return { id, deliveryEmail, emailVisibility, isBot };
}
