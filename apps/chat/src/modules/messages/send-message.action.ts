import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../access/actor.js';
import { badRequest } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import type { ParametersOf } from '../../http/parameter-decorators.js';
import { isReadingClient } from '../../http/client-name.js';
import { MessageRenderer, type RenderedMessage, rendererVersion } from '../../markdown/index.js';
import { textKey } from '../../text-key.js';
import { DATABASE, RENDERER } from '../../tokens.js';
import { getChannelConversation } from './channel-conversation.js';
import { ClientNames } from './client-names.js';
import type { Conversation } from './conversation.js';
import { channelReference, userReferences } from './destination.js';
import { findDefaultChannel } from './channel-destination.repository.js';
import { getDirectDestination } from './direct-destination.repository.js';
import { insertMessage, type InsertedMessage, type Receivers } from './insert-message.repository.js';
import type { MessageRecord } from './message-record.js';
import { messageContent, messageTopic } from './message-text.js';
import { messageEvent } from './messages.events.js';
import { resolveMentions } from './resolve-mentions.repository.js';
import type { sendMessageParameters } from './send-message.schemas.js';

type Parameters = ParametersOf<typeof sendMessageParameters>;

/** Sends a message (chat-contract 5.2): message, everybody's rows and the event commit together, or not at all. */
@Injectable()
export class SendMessage {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(RENDERER) private readonly renderer: MessageRenderer,
    private readonly events: ChatEvents,
    private readonly clients: ClientNames,
  ) {}

  /** @throws AppError BAD_REQUEST, STREAM_DOES_NOT_EXIST, STREAM_WILDCARD_MENTION_NOT_ALLOWED and its like */
  async run(actor: ChatActor, parameters: Parameters, client: string): Promise<{ id: number }> {
    const content = messageContent(parameters.content);
    const parsed = this.renderer.parse(content);
    const clientId = await this.clients.getId(client);
    return this.database.inTransaction(async (tx) => {
      const names = await resolveMentions(tx, actor, parsed.mentions);
      const rendered = this.renderer.render(parsed, names);
      const conversation = await getConversation(tx, actor, parameters, rendered);
      const draft = { actor, conversation, content, rendered, clientId };
      const readBySender = parameters.read_by_sender ?? isReadingClient(client);
      const inserted = await writeMessage(tx, draft, readBySender);
      this.events.write(tx, actor.realmId, messageEvent, {
        audience: {
          users: inserted.receivers.flatMap(([, userIds]) => userIds),
          ...(conversation.isPublic && { roles: ['public-messages'] }),
        },
        payload: {
          message: recordOf(draft, inserted, client),
          receivers: packReceivers(inserted.receivers),
          origin: originOf(parameters),
        },
      });
      return { id: inserted.id };
    });
  }
}

interface Draft {
  readonly actor: ChatActor;
  readonly conversation: Conversation;
  readonly content: string;
  readonly rendered: RenderedMessage;
  readonly clientId: number;
}

async function getConversation(
  tx: Tx,
  actor: ChatActor,
  parameters: Parameters,
  rendered: RenderedMessage,
): Promise<Conversation> {
  const { type, to } = parameters;
  if (type === 'channel' || type === 'stream') {
    const reference = to === undefined ? await findDefaultChannel(tx, actor.id) : channelReference(to);
    if (reference === null) throw badRequest('Missing channel');
    return getChannelConversation(tx, actor, reference, messageTopic(parameters.topic), rendered);
  }
  if (to === undefined) throw badRequest('Message must have recipients');
  const direct = await getDirectDestination(tx, actor, userReferences(to));
  return { ...direct, channel: null, topic: '', isPublic: false };
}

function writeMessage(tx: Tx, draft: Draft, readBySender: boolean): Promise<InsertedMessage> {
  const { actor, conversation, content, rendered } = draft;
  const receivers: Receivers =
    conversation.channel === null
      ? { userIds: conversation.participants.map((person) => person.id) }
      : { channelId: conversation.channel.id };
  const message = {
    realmId: actor.realmId,
    senderId: actor.id,
    recipientId: conversation.recipientId,
    clientId: draft.clientId,
    topic: conversation.topic,
    topicKey: textKey(conversation.topic),
    content,
    rendered: rendered.html,
    renderedVersion: rendererVersion,
    isMeMessage: isMeMessage(content),
    hasLink: rendered.hasLink,
    hasAttachment: rendered.hasAttachment,
    hasImage: rendered.hasImage,
  };
  return insertMessage(tx, message, receivers, { ...rendered, readBySender });
}

function isMeMessage(content: string): boolean {
  return content.startsWith('/me ') && !content.includes('\n\n');
}

function recordOf(draft: Draft, inserted: InsertedMessage, client: string): MessageRecord {
  const { conversation } = draft;
  return {
    id: inserted.id,
    realm: conversation.realm,
    sender: conversation.sender,
    recipientId: conversation.recipientId,
    channel: conversation.channel,
    participants: [...conversation.participants],
    topic: conversation.topic,
    content: draft.content,
    rendered: draft.rendered.html,
    isMeMessage: isMeMessage(draft.content),
    client,
    sentAt: inserted.sentAt,
    editedAt: null,
    movedAt: null,
    editHistory: null,
    reactions: [],
  };
}

/** Most receivers begin with the same flags: those are said once, and only the others by name. */
function packReceivers(receivers: InsertedMessage['receivers']) {
  const bySize = receivers.toSorted(([, a], [, b]) => b.length - a.length);
  const [most, ...rest] = bySize;
  return { flags: most?.[0] ?? 0, exceptions: rest.map(([flags, userIds]) => ({ flags, userIds: [...userIds] })) };
}

/** The queue that waits for this very message; it recognises it by the id it chose. */
function originOf(parameters: Parameters) {
  const { queue_id: queueId, local_id: localId } = parameters;
  return queueId === undefined || localId === undefined ? null : { queueId, localId };
}
