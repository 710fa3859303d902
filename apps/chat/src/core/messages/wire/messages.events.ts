import { z } from 'zod';
import { RenderedEventCache } from '../../../events/rendered-event-cache.js';
import type { EventViewer } from '../../../events/event-viewer.js';
import { defineEventType } from '../../../events/define-event-type.js';
import { emptyTopicName } from '../../../events/empty-topic-name.js';
import { listMessageFlagNames } from './message-flag-bits.js';
import { messageRecordSchema } from './message-record-schema.js';
import { isEventMatchingQueueNarrow } from '../read/event-queue-narrow.js';
import { getFlagsOfRecipient, messageRecipientsSchema } from '../send/pack-message-recipients.js';
import { toWireMessage, type WireMessage, wireMessageSchema } from './wire-message.js';

const messagesEventPayload = z.strictObject({
  message: messageRecordSchema,
  /** Initial message flags of the message's recipients: the most common flags, and the exceptions. */
  receivers: messageRecipientsSchema,
  /** Event queue of the client that sent the message, and the id that this client assigned to the message locally. */
  origin: z.strictObject({ queueId: z.string(), localId: z.string() }).nullable(),
});

type MessageEventPayload = z.infer<typeof messagesEventPayload>;

const renderedMessageEventCache = new RenderedEventCache<MessageEventPayload, WireMessage>();

/** Event that informs recipients about a new message (docs/contract/chat.md 3.4). */
export const messageEvent = defineEventType({
  name: 'message',
  webhookOrder: 'conversation',
  audience:
    'All users who received the message, and for public channels queues with all_public_streams; ' +
    'not users who can read the channel but did not receive the message.',
  payload: messagesEventPayload,
}).addVariant({
  type: 'message',
  fields: {
    message: wireMessageSchema,
    flags: z.array(z.string()),
    local_message_id: z.string().optional(),
  },
  when: (reader, { message, ...stored }) =>
    isEventMatchingQueueNarrow(reader.filter.narrow, message, getFlagsForViewer(stored, reader), reader.viewer),
  render: (stored, reader) => ({
    message: renderedMessageEventCache.getOrRender(stored, getRenderedMessageCacheKey(stored, reader), () =>
      toWireMessage(stored.message, createMessageViewOptions(reader)),
    ),
    flags: listMessageFlagNames(getFlagsForViewer(stored, reader)),
    ...(stored.origin?.queueId === reader.queueId && { local_message_id: stored.origin.localId }),
  }),
});

export const messageEventTypes = [messageEvent];

/**
 * Returns the initial flags of the event's reader on the new message. Returns no flags for a user who did not receive
 * the message.
 */
function getFlagsForViewer(
  { receivers }: Pick<MessageEventPayload, 'receivers'>,
  { isAddressee, viewer }: EventViewer,
): number {
  if (!isAddressee) return 0;
  return getFlagsOfRecipient(receivers, viewer.id);
}

function createMessageViewOptions(reader: EventViewer) {
  return {
    viewer: reader.viewer,
    applyMarkdown: reader.applyMarkdown,
    clientGravatar: reader.clientGravatar,
    emptyTopicName: reader.capabilities.empty_topic_name ? null : emptyTopicName,
  };
}

/**
 * Returns a cache key that is equal for all readers who receive the same text of a message event. Visible email
 * addresses depend on the reader's role, and users always see their own address.
 */
function getRenderedMessageCacheKey({ message }: MessageEventPayload, reader: EventViewer): string {
  const { viewer } = reader;
  const isPictured = message.sender.id === viewer.id || message.participants.some(({ id }) => id === viewer.id);
  return [
    viewer.role,
    isPictured ? viewer.id : '',
    reader.applyMarkdown,
    reader.clientGravatar,
    reader.capabilities.empty_topic_name,
  ].join();
}
