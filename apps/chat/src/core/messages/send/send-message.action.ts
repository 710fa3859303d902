import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { Outbox } from '@switchboard/queue';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { ApplicationError } from '@switchboard/errors';
import { createBadRequestError } from '../../../errors.js';
import { ChatEventWriter } from '../../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../../infra/http/parameter-decorators.js';
import { areClientMessagesMarkedRead } from '../../../infra/http/client-name.js';
import {
  type Linkifier,
  MessageRenderer,
  type ParsedMessage,
  type RenderedMessage,
  rendererVersion,
} from '../../../infra/markdown/index.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import { DATABASE_TOKEN, OUTBOX_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../../tokens.js';
import { AlertWordAndMuteCache, type AlertedAndMutingUsers } from '../../alert-words-and-mutes/index.js';
import { RealmMarkdownSettingsCache } from '../../realm-markdown-settings/index.js';
import { enqueueBotCalls } from './enqueue-bot-calls.js';
import { lockAndGetChannelConversation, createLockedChannelConversation } from './channel-conversation.js';
import { ClientProgramIdCache } from './stored-client-names.js';
import { RestartSendError, type ChannelSendLock } from './channel-recipients.repository.js';
import type { MessageConversationTarget } from './message-conversation.js';
import { parseChannelReference, isChannelMessageType, parseUserReferences } from './parse-recipients.js';
import { linkUploadsToMessage } from './link-uploads-to-message.js';
import type { LockedSendDestinations } from './locked-send-destinations.js';
import { findDefaultChannelOfBot } from './channel-destination.repository.js';
import { lockDirectMessageParticipants } from './direct-destination.repository.js';
import { insertMessage, type MessageRecipients, type InitialMessageFlags } from './insert-message.repository.js';
import type { InsertedMessage } from './inserted-message-row.js';
import { setRecipientMessageFlags } from './set-recipient-flags.repository.js';
import { isMeMessage, normalizeMessageContent, normalizeTopicForSending } from './normalize-message-text.js';
import { enqueueMissedMessageCheck } from './enqueue-missed-message-check.js';
import { retryFailedMessageSend } from './retry-failed-send.js';
import {
  findFirstMessageSendResult,
  RepeatedMessageSendError,
  type MessageSendResult,
  storeSendKeys,
  storeTopicPolicyOfSend,
} from './stored-send-keys.repository.js';
import {
  createSendKeyFromLocalId,
  createSendKeyFromHeader,
  type MessageSendIdempotencyKey,
} from './idempotency-send-key.js';
import { resolveMarkdownNames } from './resolve-markdown-names.js';
import { updateTopicPoliciesAfterSend, mayMessageChangeTopicPolicies } from './apply-topic-follows.js';
import type { MessageText } from './send-message.sql.js';
import type { sendMessageParameters } from './send-message.schemas.js';
import { emitNewMessageEvent } from './emit-new-message-event.js';
import { insertMessageWidget } from './message-widgets.js';
import { lockRealmMembership } from '../../database-locks.js';

type SendMessageParameters = DecodedParametersOfDefinition<typeof sendMessageParameters>;

/**
 * Client that sends a message: the name of the client program, and properties of the HTTP request if the message is
 * sent by a request.
 */
export interface SendingClient {
  readonly client: string;
  readonly origin?: string;
  /** Value of the request header `Idempotency-Key`; null if the request has no such header. */
  readonly idempotencyKey?: string | null;
}

/**
 * Sends a message (docs/contract/chat.md 5.2). One transaction writes the message, the rows of its recipients and the
 * event.
 */
@Injectable()
export class SendMessage {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
    private readonly clients: ClientProgramIdCache,
    private readonly contents: RealmMarkdownSettingsCache,
    private readonly attention: AlertWordAndMuteCache,
    @Inject(OUTBOX_TOKEN) private readonly outbox: Pick<Outbox, 'add'>,
  ) {}

  /**
   * Sends a message, or returns the result of its first send if the request is repeated within a day (docs/adr/0037).
   *
   * @param first Callback that runs before the message is written, in the same transaction.
   * @throws ApplicationError BAD_REQUEST, STREAM_DOES_NOT_EXIST, STREAM_WILDCARD_MENTION_NOT_ALLOWED and similar codes;
   * IDEMPOTENCY_KEY_REUSED
   */
  async run(
    actor: ChatActor,
    parameters: SendMessageParameters,
    client: SendingClient,
    first?: (tx: Tx) => Promise<void>,
  ): Promise<MessageSendResult> {
    const prepared = await this.parseMessageBeforeTransaction(actor, parameters, client);
    try {
      return await retryFailedMessageSend((lock) =>
        this.database.inTransaction(async (tx) => {
          // The event about a channel's first message needs the complete audience of the channel.
          if (lock === 'exclusive') await lockRealmMembership(tx, actor.realmId, 'shared');
          await first?.(tx);
          return this.insertMessageAndEvents(tx, await this.checkMessageAndLockRecipients(tx, prepared, lock));
        }),
      );
    } catch (error) {
      const earlier = await this.findFirstSendResult(prepared, error);
      if (earlier === null) throw error;
      return earlier;
    }
  }

  /**
   * Returns the result of the first request if a failed request to send a message repeats it, otherwise null. Repeated
   * requests also succeed if the sender is no longer allowed to send the message.
   */
  private async findFirstSendResult(
    { actor, requestKey: key }: ParsedMessageBeforeCheck,
    error: unknown,
  ): Promise<MessageSendResult | null> {
    if (error instanceof RepeatedMessageSendError) {
      if (key !== null) await storeSendKeys(this.database, actor.id, [key], error.result);
      return error.result;
    }
    if (key === null || !(error instanceof ApplicationError) || error.status !== 400) return null;
    return findFirstMessageSendResult(this.database, actor.id, [key]);
  }

  /**
   * Parses a message, and reads the data that can be read before the transaction begins.
   *
   * @throws ApplicationError BAD_REQUEST for an empty message
   */
  async parseMessageBeforeTransaction(
    actor: ChatActor,
    parameters: SendMessageParameters,
    { client, origin, idempotencyKey = null }: SendingClient,
  ): Promise<ParsedMessageBeforeCheck> {
    const key = idempotencyKey === null ? null : createSendKeyFromHeader(idempotencyKey, parameters);
    const content = normalizeMessageContent(parameters.content);
    const realm = await this.contents.get(actor.realmId, origin);
    const parsed = this.renderer.parse(content, realm);
    const clientId = await this.clients.getClientId(client);
    const matches = await this.attention.findAlertedAndMutingUsers(actor.realmId, actor.id, content);
    const message = { actor, parameters, content, linkifiers: realm.linkifiers, parsed, client, clientId, matches };
    return { ...message, requestKey: key };
  }

  /**
   * Checks that the sender may send a message, and locks the sender and the recipient row. Writes no message, so that
   * the transaction may continue after an ApplicationError.
   *
   * @param lock If `exclusive`, the first lock of the transaction must have been the lock of the realm membership.
   * @param destinations Given if the caller has locked the sender and the channel.
   * @throws ApplicationError as {@link run} does; RestartSendError if the transaction must be rolled back and repeated
   */
  async checkMessageAndLockRecipients(
    tx: Tx,
    message: ParsedMessageBeforeCheck,
    lock: ChannelSendLock,
    destinations?: LockedSendDestinations,
  ): Promise<CheckedMessageWithConversation> {
    const { actor, parameters, parsed, client } = message;
    const names = await resolveMarkdownNames(tx, actor, parsed);
    const rendered = this.renderer.render(parsed, names);
    const flags = { ...rendered, readBySender: parameters.read_by_sender ?? areClientMessagesMarkedRead(client) };
    const conversation = await lockConversationOfNewMessage(
      tx,
      this.events,
      { ...message, rendered, lock },
      destinations,
    );
    return { ...message, rendered, flags, lock, conversation };
  }

  /**
   * Inserts a checked message with the recipients' rows and the events, in the same transaction as the check.
   *
   * @throws RestartSendError if the transaction must be rolled back and repeated; RepeatedMessageSendError
   */
  async insertMessageAndEvents(tx: Tx, message: CheckedMessageWithConversation): Promise<MessageSendResult> {
    const inserted = await this.setFlagsAndEmitEvents(tx, message, await this.insertMessageRows(tx, message));
    const policy = await this.linkUploadsAndSetPolicies(tx, message, inserted);
    const keys = policy === null ? [] : createSendIdempotencyKeys(message);
    if (policy !== null && keys.length > 0) await storeTopicPolicyOfSend(tx, message.actor.id, keys, policy);
    return { id: inserted.id, ...(policy !== null && { automatic_new_visibility_policy: policy }) };
  }

  /**
   * Executes the first step of {@link insertMessageAndEvents}: inserts the message by one SQL statement. A transaction
   * may send the statements for several messages to the database without waiting for their results.
   *
   * @throws RestartSendError if the transaction must be rolled back and repeated; RepeatedMessageSendError
   */
  async insertMessageRows(tx: Tx, message: CheckedMessageWithConversation): Promise<InsertedMessage> {
    const inserted = await insertCheckedMessage(tx, message, createSendIdempotencyKeys(message));
    if (message.conversation.channel !== null && inserted.isFirst && message.lock === 'shared') {
      throw new RestartSendError('exclusive');
    }
    return inserted;
  }

  /**
   * Executes the second step of {@link insertMessageAndEvents}: sets message flags and emits events. Locks no rows of
   * other messages.
   */
  async setFlagsAndEmitEvents(
    tx: Tx,
    message: CheckedMessageWithConversation,
    plain: InsertedMessage,
  ): Promise<InsertedMessage> {
    const { actor, parameters, content, linkifiers, client, matches, rendered, conversation } = message;
    const inserted = await setRecipientMessageFlags(tx, plain, matches);
    const sent = {
      realmId: actor.realmId,
      conversation,
      inserted,
      content,
      linkifiers,
      rendered: rendered.html,
      client,
      widget: await insertMessageWidget(tx, { messageId: inserted.id, senderId: actor.id, content }),
      origin: getSendingEventQueue(parameters),
    };
    emitNewMessageEvent(tx, this.events, sent);
    await enqueueBotCalls(tx, this.outbox, sent, rendered.userIds);
    enqueueMissedMessageCheck(tx, this.outbox, conversation, inserted);
    return inserted;
  }

  /** Returns true if {@link linkUploadsAndSetPolicies} may execute SQL statements for a message. */
  hasUploadOrTopicEffects(
    { parsed, rendered, conversation }: CheckedMessageWithConversation,
    inserted: InsertedMessage,
  ): boolean {
    if (parsed.uploadPaths.length > 0) return true;
    return conversation.channel !== null && mayMessageChangeTopicPolicies({ inserted, mentionedIds: rendered.userIds });
  }

  /**
   * Executes the last step of {@link insertMessageAndEvents}: links uploaded files and sets topic visibility policies.
   * If {@link hasUploadOrTopicEffects} returns true for a message, the transaction must take no further locks after
   * this step (`lockChannelRenames`).
   *
   * @returns the new visibility policy of the sender for the topic; null if unchanged
   */
  async linkUploadsAndSetPolicies(
    tx: Tx,
    message: CheckedMessageWithConversation,
    inserted: InsertedMessage,
  ): Promise<2 | 3 | null> {
    const { actor, parsed, rendered, conversation } = message;
    await linkUploadsToMessage(tx, this.events, actor, inserted.id, parsed.uploadPaths);
    const written = { realmId: actor.realmId, conversation, inserted, mentionedIds: rendered.userIds };
    return updateTopicPoliciesAfterSend(tx, this.events, written);
  }
}

/** A parsed message with the data that the check in {@link SendMessage.checkMessageAndLockRecipients} needs. */
export interface ParsedMessageBeforeCheck {
  readonly actor: ChatActor;
  readonly parameters: SendMessageParameters;
  readonly content: string;
  readonly linkifiers: readonly Linkifier[];
  readonly parsed: ParsedMessage;
  /** Name of the client program that sends the message. */
  readonly client: string;
  readonly clientId: number;
  /** Ids of the subscribers whose alert words or muted users affect the flags of the message. */
  readonly matches: AlertedAndMutingUsers;
  /** Idempotency key of a request with the header `Idempotency-Key`; null if the request has no such header. */
  readonly requestKey: MessageSendIdempotencyKey | null;
}

/** A message that the sender may send, with its conversation. The transaction has locked the conversation. */
export interface CheckedMessageWithConversation extends ParsedMessageBeforeCheck {
  readonly rendered: RenderedMessage;
  readonly flags: InitialMessageFlags;
  readonly lock: ChannelSendLock;
  readonly conversation: MessageConversationTarget;
}

/**
 * Returns the idempotency keys that identify repetitions of a request to send a message. A repeated request may contain
 * only the client's local id.
 */
function createSendIdempotencyKeys({
  requestKey: key,
  parameters,
  conversation,
  content,
}: CheckedMessageWithConversation): MessageSendIdempotencyKey[] {
  return [key, createSendKeyFromLocalId(parameters, conversation, content)].filter((one) => one !== null);
}

/**
 * Inserts a checked message.
 *
 * @throws RepeatedMessageSendError if a message with one of the keys was sent before
 */
async function insertCheckedMessage(
  tx: Tx,
  sendable: CheckedMessageWithConversation,
  keys: readonly MessageSendIdempotencyKey[],
): Promise<InsertedMessage> {
  const { actor, flags, conversation } = sendable;
  const receivers: MessageRecipients =
    conversation.channel === null
      ? { userIds: conversation.participants.map((person) => person.id) }
      : { channelId: conversation.channel.id, attentiveIds: listImmediateRecipientIds(sendable) };
  const message = {
    ...createSentMessageText(sendable, conversation.topic),
    realmId: actor.realmId,
    senderId: actor.id,
    recipientId: conversation.recipientId,
  };
  const inserted = await insertMessage(tx, message, receivers, flags, keys);
  if (!inserted.isRepeated) return inserted;
  // The statement has locked the rows of the keys, so that no other transaction removes these rows.
  const result = await findFirstMessageSendResult(tx, actor.id, keys, inserted.id);
  if (result === null) throw new Error('A repeated send has no row of its key');
  throw new RepeatedMessageSendError(result);
}

/**
 * Returns the ids of the subscribers for whom a message row is written even while they are soft-deactivated. Includes
 * the sender, because scheduled messages are also sent while their sender is away.
 */
function listImmediateRecipientIds({ actor, matches }: ParsedMessageBeforeCheck): number[] {
  return [actor.id, ...matches.alertedIds, ...matches.muterIds];
}

function createSentMessageText(
  { content, rendered, clientId }: CheckedMessageWithConversation,
  topic: string,
): MessageText {
  return {
    clientId,
    topic,
    topicKey: normalizeTextForComparison(topic),
    content,
    rendered: rendered.html,
    renderedVersion: rendererVersion,
    isMeMessage: isMeMessage(content),
    hasLink: rendered.hasLink,
    hasAttachment: rendered.hasAttachment,
    hasImage: rendered.hasImage,
  };
}

async function lockConversationOfNewMessage(
  tx: Tx,
  events: ChatEventWriter,
  { actor, parameters, rendered, lock }: Omit<CheckedMessageWithConversation, 'flags' | 'conversation'>,
  destinations: LockedSendDestinations | undefined,
): Promise<MessageConversationTarget> {
  const { type, to } = parameters;
  if (isChannelMessageType(type)) {
    const reference = to === undefined ? await findDefaultChannelOfBot(tx, actor.id) : parseChannelReference(to);
    if (reference === null) throw createBadRequestError('Missing channel');
    const topic = normalizeTopicForSending(parameters.topic);
    if (destinations === undefined) return lockAndGetChannelConversation(tx, actor, reference, topic, rendered, lock);
    return createLockedChannelConversation(
      tx,
      await destinations.getDestinationForSender(tx, actor, reference),
      topic,
      rendered,
    );
  }
  if (to === undefined) throw createBadRequestError('Message must have recipients');
  const direct = await lockDirectMessageParticipants(tx, events, actor, parseUserReferences(to));
  return { ...direct, channel: null, topic: '', isPublic: false };
}

/**
 * Returns the event queue of the client that sends a message, and the client's local id of the message. The client
 * recognizes its own message by these ids.
 */
function getSendingEventQueue(parameters: SendMessageParameters) {
  const { queue_id: queueId, local_id: localId } = parameters;
  return queueId === undefined || localId === undefined ? null : { queueId, localId };
}
