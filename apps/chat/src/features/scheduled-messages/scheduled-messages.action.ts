import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { ChatConfig } from '../../config.js';
import { lockUserRow } from '../../core/database-locks.js';
import { validateMessage, normalizeMessageContent } from '../../core/messages/index.js';
import { RealmMarkdownSettingsCache } from '../../core/realm-markdown-settings/index.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { areClientMessagesMarkedRead } from '../../infra/http/client-name.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { MessageRenderer, type ParsedMessage } from '../../infra/markdown/index.js';
import { requireUserRowsBelowLimit, requireScheduledBytesBelowLimit } from '../../infra/personal-limits/index.js';
import { CHAT_CONFIG_TOKEN, CLOCK_TOKEN, DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import {
  scheduledMessagesAddEvent,
  scheduledMessagesRemoveEvent,
  scheduledMessagesUpdateEvent,
} from './scheduled-messages.events.js';
import {
  insertScheduledMessage,
  listScheduledMessages,
  type LockedScheduledMessage,
  lockScheduledMessage,
  removeScheduledMessage,
  type ScheduledMessageColumns,
  updateScheduledMessage,
} from './scheduled-messages.repository.js';
import type { addScheduledMessageParameters, updateScheduledMessageParameters } from './scheduled-messages.schemas.js';
import { WakeScheduledMessageWorkers } from './wake-scheduled-message-worker.js';
import type { WireScheduledMessage } from './wire-scheduled-message.js';

type AddScheduledParameters = DecodedParametersOfDefinition<typeof addScheduledMessageParameters>;
type UpdateScheduledParameters = DecodedParametersOfDefinition<typeof updateScheduledMessageParameters>;

/** Maximum number and total size in bytes of the scheduled messages and reminders of one user. */
export type ScheduledMessageLimits = Pick<
  ChatConfig,
  'SCHEDULED_MESSAGES_PER_USER' | 'SCHEDULED_MESSAGES_BYTES_PER_USER'
>;

/** Lists, adds, changes and removes messages that are sent at a later time (docs/contract/chat.md 2.D). */
@Injectable()
export class ScheduledMessagesService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: ScheduledMessageLimits,
    private readonly events: ChatEventWriter,
    private readonly contents: RealmMarkdownSettingsCache,
    private readonly delivery: WakeScheduledMessageWorkers,
  ) {}

  /** Lists the actor's scheduled messages, ordered by due time. */
  async list(actor: ChatActor): Promise<{ scheduled_messages: WireScheduledMessage[] }> {
    return { scheduled_messages: await listScheduledMessages(this.database, actor.id) };
  }

  /**
   * Adds a scheduled message for the actor.
   *
   * @throws ApplicationError for the errors of `SendMessage`; BAD_REQUEST for a time in the past
   */
  async add(actor: ChatActor, sent: AddScheduledParameters, client: string): Promise<{ scheduled_message_id: number }> {
    const deliverAt = requireFutureDeliveryTime(sent.scheduled_delivery_timestamp, this.clock);
    const content = normalizeMessageContent(sent.content);
    const parsed = this.renderer.parse(content, await this.contents.get(actor.realmId));
    const recipient = parseScheduledRecipient(toStoredType(sent.type), sent.to, sent.topic);
    const stored = await this.database.inTransaction(async (tx) => {
      const checked = await this.#check(tx, actor, parsed, recipient);
      const isToSelf = checked.type === 'private' && checked.toIds.every((id) => id === actor.id);
      const readBySender = sent.read_by_sender ?? (areClientMessagesMarkedRead(client) && !isToSelf);
      const message = { ...checked, content, client, deliverAt, readBySender };
      const wire = await insertScheduledMessage(tx, actor.id, message);
      await rejectTooManyScheduled(tx, actor.id, this.config);
      const payload = { scheduled_messages: [wire] };
      this.events.write(tx, actor.realmId, scheduledMessagesAddEvent, { audience: { users: [actor.id] }, payload });
      return wire;
    });
    this.delivery.wakeAllWorkers();
    return { scheduled_message_id: stored.scheduled_message_id };
  }

  /**
   * Changes a scheduled message. A failed message needs a new time, and is then sent again.
   *
   * @throws ApplicationError NOT_FOUND, also for a message that has already been sent; BAD_REQUEST and others as
   * `SendMessage` does
   */
  async update(actor: ChatActor, id: number, sent: UpdateScheduledParameters, client: string): Promise<void> {
    requireScheduledMessageChange(sent);
    const { scheduled_delivery_timestamp: timestamp } = sent;
    if (timestamp !== undefined) requireFutureDeliveryTime(timestamp, this.clock);
    const realm = await this.contents.get(actor.realmId);
    await this.database.inTransaction(async (tx) => {
      const before = await lockScheduledMessage(tx, actor.id, id);
      if (before === null) throw createNoSuchScheduledMessageError();
      if (before.failed && timestamp === undefined) throw createDeliveryInPastError();
      const content = sent.content === undefined ? before.content : normalizeMessageContent(sent.content);
      const { type, to, topic } = sent;
      const changesMessage = [type, to, topic, sent.content].some((value) => value !== undefined);
      const checked = changesMessage
        ? await this.#check(
            tx,
            actor,
            this.renderer.parse(content, realm),
            getScheduledRecipientAfterChange(before, sent),
          )
        : before;
      const deliverAt = timestamp ?? before.deliverAt;
      const readBySender = sent.read_by_sender ?? before.readBySender;
      const changed = { ...before, ...checked, content, client, deliverAt, readBySender };
      const payload = { scheduled_message: await updateScheduledMessage(tx, id, changed) };
      if (countStoredBytes(changed) > countStoredBytes(before)) {
        await lockUserRow(tx, actor.id);
        await requireScheduledBytesBelowLimit(tx, actor.id, this.config.SCHEDULED_MESSAGES_BYTES_PER_USER);
      }
      this.events.write(tx, actor.realmId, scheduledMessagesUpdateEvent, { audience: { users: [actor.id] }, payload });
    });
    this.delivery.wakeAllWorkers();
  }

  /**
   * Removes a scheduled message of the actor.
   *
   * @throws ApplicationError NOT_FOUND, also for a message that has already been sent
   */
  async remove(actor: ChatActor, id: number): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      if (!(await removeScheduledMessage(tx, actor.id, id))) throw createNoSuchScheduledMessageError();
      const payload = { scheduled_message_id: id };
      this.events.write(tx, actor.realmId, scheduledMessagesRemoveEvent, { audience: { users: [actor.id] }, payload });
    });
  }

  async #check(
    tx: Tx,
    actor: ChatActor,
    parsed: ParsedMessage,
    recipient: ScheduledRecipient,
  ): Promise<Pick<ScheduledMessageColumns, 'type' | 'toIds' | 'topic' | 'html'>> {
    const { topic, html, participantIds } = await validateMessage(tx, this.renderer, actor, { parsed, recipient });
    if ('channelId' in recipient) return { type: 'stream', toIds: [recipient.channelId], topic, html };
    const others = participantIds.filter((id) => id !== actor.id);
    return { type: 'private', toIds: others.length === 0 ? [actor.id] : others, topic, html };
  }
}

/**
 * Throws if the user exceeds a limit after the transaction inserted a scheduled message or reminder. Waits for
 * concurrent requests of the user, so that rows of these requests are also counted.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export async function rejectTooManyScheduled(tx: Tx, userId: number, limits: ScheduledMessageLimits): Promise<void> {
  await lockUserRow(tx, userId);
  await requireUserRowsBelowLimit(tx, userId, {
    table: 'scheduled_messages',
    limit: limits.SCHEDULED_MESSAGES_PER_USER,
  });
  await requireScheduledBytesBelowLimit(tx, userId, limits.SCHEDULED_MESSAGES_BYTES_PER_USER);
}

function countStoredBytes({ content, html }: Pick<ScheduledMessageColumns, 'content' | 'html'>): number {
  return Buffer.byteLength(content) + Buffer.byteLength(html);
}

type ScheduledRecipient =
  | { readonly channelId: number; readonly topic: string | undefined }
  | { readonly userIds: readonly number[] };

/** Converts the type of a scheduled message in a request to the stored type, `stream` or `private`. */
function toStoredType(type: AddScheduledParameters['type'] | LockedScheduledMessage['type']): 'stream' | 'private' {
  return type === 'channel' || type === 'stream' ? 'stream' : 'private';
}

/**
 * Parses the recipient of a scheduled message.
 *
 * @throws ApplicationError BAD_REQUEST if `to` is not a valid recipient for the type of the message
 */
function parseScheduledRecipient(
  type: 'stream' | 'private',
  to: number | readonly number[],
  topic: string | undefined,
): ScheduledRecipient {
  if (type === 'stream') {
    if (typeof to !== 'number') throw createBadRequestError('Invalid data type for channel ID');
    return { channelId: to, topic };
  }
  if (typeof to === 'number') throw createBadRequestError('Invalid data type for recipients');
  if (to.length === 0) throw createBadRequestError('Message must have recipients');
  return { userIds: [...new Set(to)] };
}

/** Returns the recipient that a scheduled message has after the requested change. */
function getScheduledRecipientAfterChange(
  before: LockedScheduledMessage,
  { type, to, topic }: UpdateScheduledParameters,
): ScheduledRecipient {
  const kind = toStoredType(type ?? before.type);
  const [channelId = 0] = before.toIds;
  return parseScheduledRecipient(kind, to ?? (kind === 'stream' ? channelId : before.toIds), topic ?? before.topic);
}

/**
 * Checks that a request to change a scheduled message has an effect.
 *
 * @throws ApplicationError BAD_REQUEST for a request that changes nothing, or a new type without a recipient
 */
function requireScheduledMessageChange(sent: UpdateScheduledParameters): void {
  if (Object.values(sent).every((value) => value === undefined)) throw createBadRequestError('Nothing to change');
  if (sent.type === undefined) return;
  if (sent.to === undefined)
    throw createBadRequestError('A recipient is required to change the type of a scheduled message.');
  if (toStoredType(sent.type) === 'stream' && sent.topic === undefined) {
    throw createBadRequestError('A topic is required to change the type of a scheduled message to channel.');
  }
}

/**
 * Returns the time at which a message is to be sent.
 *
 * @throws ApplicationError BAD_REQUEST for a time that has passed
 */
export function requireFutureDeliveryTime(timestamp: number, clock: Pick<Clock, 'now'>): number {
  if (timestamp * 1000 <= clock.now()) throw createDeliveryInPastError();
  return timestamp;
}

function createDeliveryInPastError(): Error {
  return createBadRequestError('Scheduled delivery time must be in the future.');
}

function createNoSuchScheduledMessageError(): Error {
  return chatErrors.create('NOT_FOUND', { message: 'Scheduled message does not exist' });
}
