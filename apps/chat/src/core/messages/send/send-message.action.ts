import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { Outbox } from '@switchboard/queue';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { AppError } from '@switchboard/errors';
import { createBadRequestError } from '../../../errors.js';
import { ChatEvents } from '../../../events/chat-events.js';
import type { ParametersOf } from '../../../infra/http/parameter-decorators.js';
import { isReadOnlyClient } from '../../../infra/http/client-name.js';
import {
  type Linkifier,
  MessageRenderer,
  type ParsedMessage,
  type RenderedMessage,
  rendererVersion,
} from '../../../infra/markdown/index.js';
import { toTextKey } from '../../../infra/normalized-text-key.js';
import { DATABASE, OUTBOX, RENDERER } from '../../../tokens.js';
import { AlertWordAndMuteCache, type MessageMatches } from '../../alert-words-and-mutes/index.js';
import { RealmMarkdownSettings } from '../../realm-markdown-settings/index.js';
import { enqueueBotCalls } from './enqueue-bot-calls.js';
import { getChannelConversation, toChannelConversation } from './channel-conversation.js';
import { StoredClientNames } from './stored-client-names.js';
import { RestartSendError, type ChannelSendLock } from './channel-recipients.repository.js';
import type { MessageConversationTarget } from './message-conversation.js';
import { parseChannelReference, isChannelMessageType, parseUserReferences } from './parse-recipients.js';
import { linkUploadsToMessage } from './link-uploads-to-message.js';
import type { LockedSendDestinations } from './locked-send-destinations.js';
import { findDefaultChannel } from './channel-destination.repository.js';
import { getDirectDestination } from './direct-destination.repository.js';
import { insertMessage, type MessageRecipients, type SendFlags } from './insert-message.repository.js';
import type { InsertedMessage } from './inserted-message-row.js';
import { setRecipientFlags } from './set-recipient-flags.repository.js';
import { isMeMessage, messageContentSchema, normalizeTopicForSending } from './normalize-message-text.js';
import { enqueueMissedMessageCheck } from './enqueue-missed-message-check.js';
import { retryFailedSend } from './retry-failed-send.js';
import {
  findFirstSend,
  RepeatedSendError,
  type SendResult,
  storeSendKeys,
  storeTopicPolicyOfSend,
} from './stored-send-keys.repository.js';
import { createSendKeyFromLocalId, createSendKeyFromHeader, type IdempotencySendKey } from './idempotency-send-key.js';
import { resolveMarkdownNames } from './resolve-markdown-names.js';
import { applyTopicFollows, hasTopicEffects } from './apply-topic-follows.js';
import type { MessageText } from './send-message.sql.js';
import type { sendMessageParameters } from './send-message.schemas.js';
import { emitNewMessageEvent } from './emit-new-message-event.js';
import { addWidget } from './message-widgets.js';
import { lockRealmMembership } from '../../database-locks.js';

type SendMessageParameters = ParametersOf<typeof sendMessageParameters>;

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
    @Inject(DATABASE) private readonly database: Database,
    @Inject(RENDERER) private readonly renderer: MessageRenderer,
    private readonly events: ChatEvents,
    private readonly clients: StoredClientNames,
    private readonly contents: RealmMarkdownSettings,
    private readonly attention: AlertWordAndMuteCache,
    @Inject(OUTBOX) private readonly outbox: Pick<Outbox, 'add'>,
  ) {}

  /**
   * Sends a message, or returns the result of its first send if the request is repeated within a day (docs/adr/0037).
   *
   * @param first Callback that runs before the message is written, in the same transaction.
   * @throws AppError BAD_REQUEST, STREAM_DOES_NOT_EXIST, STREAM_WILDCARD_MENTION_NOT_ALLOWED and similar codes;
   * IDEMPOTENCY_KEY_REUSED
   */
  async run(
    actor: ChatActor,
    parameters: SendMessageParameters,
    client: SendingClient,
    first?: (tx: Tx) => Promise<void>,
  ): Promise<SendResult> {
    const prepared = await this.prepare(actor, parameters, client);
    try {
      return await retryFailedSend((lock) =>
        this.database.inTransaction(async (tx) => {
          // The event about a channel's first message needs the complete audience of the channel.
          if (lock === 'exclusive') await lockRealmMembership(tx, actor.realmId, 'shared');
          await first?.(tx);
          return this.insert(tx, await this.check(tx, prepared, lock));
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
    { actor, requestKey: key }: PreparedMessage,
    error: unknown,
  ): Promise<SendResult | null> {
    if (error instanceof RepeatedSendError) {
      if (key !== null) await storeSendKeys(this.database, actor.id, [key], error.result);
      return error.result;
    }
    if (key === null || !(error instanceof AppError) || error.status !== 400) return null;
    return findFirstSend(this.database, actor.id, [key]);
  }

  /**
   * Parses a message, and reads the data that can be read before the transaction begins.
   *
   * @throws AppError BAD_REQUEST for an empty message
   */
  async prepare(
    actor: ChatActor,
    parameters: SendMessageParameters,
    { client, origin, idempotencyKey = null }: SendingClient,
  ): Promise<PreparedMessage> {
    const key = idempotencyKey === null ? null : createSendKeyFromHeader(idempotencyKey, parameters);
    const content = messageContentSchema(parameters.content);
    const realm = await this.contents.get(actor.realmId, origin);
    const parsed = this.renderer.parse(content, realm);
    const clientId = await this.clients.getClientId(client);
    const matches = await this.attention.matchMessage(actor.realmId, actor.id, content);
    const message = { actor, parameters, content, linkifiers: realm.linkifiers, parsed, client, clientId, matches };
    return { ...message, requestKey: key };
  }

  /**
   * Checks that the sender may send a message, and locks the sender and the recipient row. Writes no message, so that
   * the transaction may continue after an AppError.
   *
   * @param lock With `exclusive` the caller must have locked the realm membership as the first lock of the transaction.
   * @param destinations Given if the caller has locked the sender and the channel.
   * @throws AppError as {@link run} does; RestartSendError if the transaction must be rolled back and repeated
   */
  async check(
    tx: Tx,
    message: PreparedMessage,
    lock: ChannelSendLock,
    destinations?: LockedSendDestinations,
  ): Promise<SendableMessage> {
    const { actor, parameters, parsed, client } = message;
    const names = await resolveMarkdownNames(tx, actor, parsed);
    const rendered = this.renderer.render(parsed, names);
    const flags = { ...rendered, readBySender: parameters.read_by_sender ?? isReadOnlyClient(client) };
    const conversation = await getConversation(tx, this.events, { ...message, rendered, lock }, destinations);
    return { ...message, rendered, flags, lock, conversation };
  }

  /**
   * Inserts a checked message with the rows of its recipients and its events, in the same transaction as the check.
   *
   * @throws RestartSendError if the transaction must be rolled back and repeated; RepeatedSendError
   */
  async insert(tx: Tx, message: SendableMessage): Promise<SendResult> {
    const inserted = await this.emit(tx, message, await this.insertRows(tx, message));
    const policy = await this.applyLockingEffects(tx, message, inserted);
    const keys = policy === null ? [] : createSendKeys(message);
    if (policy !== null && keys.length > 0) await storeTopicPolicyOfSend(tx, message.actor.id, keys, policy);
    return { id: inserted.id, ...(policy !== null && { automatic_new_visibility_policy: policy }) };
  }

  /**
   * Executes the first step of {@link insert}: inserts the message by one SQL statement. A transaction may send the
   * statements for several messages to the database without waiting for their results.
   *
   * @throws RestartSendError if the transaction must be rolled back and repeated; RepeatedSendError
   */
  async insertRows(tx: Tx, message: SendableMessage): Promise<InsertedMessage> {
    const inserted = await insertCheckedMessage(tx, message, createSendKeys(message));
    if (message.conversation.channel !== null && inserted.isFirst && message.lock === 'shared') {
      throw new RestartSendError('exclusive');
    }
    return inserted;
  }

  /**
   * Executes the second step of {@link insert}: sets message flags and emits events. Locks no rows of other messages.
   */
  async emit(tx: Tx, message: SendableMessage, plain: InsertedMessage): Promise<InsertedMessage> {
    const { actor, parameters, content, linkifiers, client, matches, rendered, conversation } = message;
    const inserted = await setRecipientFlags(tx, plain, matches);
    const sent = {
      realmId: actor.realmId,
      conversation,
      inserted,
      content,
      linkifiers,
      rendered: rendered.html,
      client,
      widget: await addWidget(tx, { messageId: inserted.id, senderId: actor.id, content }),
      origin: getClientOrigin(parameters),
    };
    emitNewMessageEvent(tx, this.events, sent);
    await enqueueBotCalls(tx, this.outbox, sent, rendered.userIds);
    enqueueMissedMessageCheck(tx, this.outbox, conversation, inserted);
    return inserted;
  }

  /** Returns true if {@link applyLockingEffects} may execute SQL statements for a message. */
  hasLockingEffects({ parsed, rendered, conversation }: SendableMessage, inserted: InsertedMessage): boolean {
    if (parsed.uploadPaths.length > 0) return true;
    return conversation.channel !== null && hasTopicEffects({ inserted, mentionedIds: rendered.userIds });
  }

  /**
   * Executes the last step of {@link insert}: links uploaded files and sets topic visibility policies. If
   * {@link hasLockingEffects} returns true for a message, the transaction must take no further locks after this step
   * (`lockChannelRenames`).
   *
   * @returns the new visibility policy of the sender for the topic; null if unchanged
   */
  async applyLockingEffects(tx: Tx, message: SendableMessage, inserted: InsertedMessage): Promise<2 | 3 | null> {
    const { actor, parsed, rendered, conversation } = message;
    await linkUploadsToMessage(tx, this.events, actor, inserted.id, parsed.uploadPaths);
    const written = { realmId: actor.realmId, conversation, inserted, mentionedIds: rendered.userIds };
    return applyTopicFollows(tx, this.events, written);
  }
}

/** A parsed message with the data that the check in {@link SendMessage.check} needs. */
export interface PreparedMessage {
  readonly actor: ChatActor;
  readonly parameters: SendMessageParameters;
  readonly content: string;
  readonly linkifiers: readonly Linkifier[];
  readonly parsed: ParsedMessage;
  /** Name of the client program that sends the message. */
  readonly client: string;
  readonly clientId: number;
  /** Ids of the subscribers whose alert words or muted users affect the flags of the message. */
  readonly matches: MessageMatches;
  /** Idempotency key of a request with the header `Idempotency-Key`; null if the request has no such header. */
  readonly requestKey: IdempotencySendKey | null;
}

/** A message that its sender may send, with its conversation. The transaction has locked the conversation. */
export interface SendableMessage extends PreparedMessage {
  readonly rendered: RenderedMessage;
  readonly flags: SendFlags;
  readonly lock: ChannelSendLock;
  readonly conversation: MessageConversationTarget;
}

/**
 * Returns the idempotency keys that identify repetitions of a request to send a message. A repeated request may contain
 * only the client's local id.
 */
function createSendKeys({ requestKey: key, parameters, conversation, content }: SendableMessage): IdempotencySendKey[] {
  return [key, createSendKeyFromLocalId(parameters, conversation, content)].filter((one) => one !== null);
}

/**
 * Inserts a checked message.
 *
 * @throws RepeatedSendError if a message with one of the keys was sent before
 */
async function insertCheckedMessage(
  tx: Tx,
  sendable: SendableMessage,
  keys: readonly IdempotencySendKey[],
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
  // The statement has locked the rows of the keys, so that nothing removes them.
  const result = await findFirstSend(tx, actor.id, keys, inserted.id);
  if (result === null) throw new Error('A repeated send has no row of its key');
  throw new RepeatedSendError(result);
}

/**
 * Returns the ids of the subscribers for whom a message row is written even while they are soft-deactivated. Includes
 * the sender, because scheduled messages are also sent while their sender is away.
 */
function listImmediateRecipientIds({ actor, matches }: PreparedMessage): number[] {
  return [actor.id, ...matches.alertedIds, ...matches.muterIds];
}

function createSentMessageText({ content, rendered, clientId }: SendableMessage, topic: string): MessageText {
  return {
    clientId,
    topic,
    topicKey: toTextKey(topic),
    content,
    rendered: rendered.html,
    renderedVersion: rendererVersion,
    isMeMessage: isMeMessage(content),
    hasLink: rendered.hasLink,
    hasAttachment: rendered.hasAttachment,
    hasImage: rendered.hasImage,
  };
}

async function getConversation(
  tx: Tx,
  events: ChatEvents,
  { actor, parameters, rendered, lock }: Omit<SendableMessage, 'flags' | 'conversation'>,
  destinations: LockedSendDestinations | undefined,
): Promise<MessageConversationTarget> {
  const { type, to } = parameters;
  if (isChannelMessageType(type)) {
    const reference = to === undefined ? await findDefaultChannel(tx, actor.id) : parseChannelReference(to);
    if (reference === null) throw createBadRequestError('Missing channel');
    const topic = normalizeTopicForSending(parameters.topic);
    if (destinations === undefined) return getChannelConversation(tx, actor, reference, topic, rendered, lock);
    return toChannelConversation(tx, await destinations.get(tx, actor, reference), topic, rendered);
  }
  if (to === undefined) throw createBadRequestError('Message must have recipients');
  const direct = await getDirectDestination(tx, events, actor, parseUserReferences(to));
  return { ...direct, channel: null, topic: '', isPublic: false };
}

/**
 * Returns the event queue of the client that sends a message, and the client's local id of the message. The client
 * recognizes its own message by these ids.
 */
function getClientOrigin(parameters: SendMessageParameters) {
  const { queue_id: queueId, local_id: localId } = parameters;
  return queueId === undefined || localId === undefined ? null : { queueId, localId };
}
