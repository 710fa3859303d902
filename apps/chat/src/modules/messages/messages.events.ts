import { z } from 'zod';
import { defineEvent, type EventReader } from '../../events/event-type.js';
import { Variants } from '../../events/variants.js';
import { emptyTopicName } from '../realms/index.js';
import { flagNames } from './message-flags.js';
import { messageRecord } from './message-record.js';
import { matchesNarrow } from './queue-narrow.js';
import { toWireMessage, type WireMessage, wireMessage } from './wire-message.js';

const payload = z.strictObject({
  message: messageRecord,
  /** The flags that most receivers begin with, and who begins with others. */
  receivers: z.strictObject({
    flags: z.int(),
    exceptions: z.array(z.strictObject({ flags: z.int(), userIds: z.array(z.int()) })),
  }),
  /** The queue that sent it, and the id by which it knows it. */
  origin: z.strictObject({ queueId: z.string(), localId: z.string() }).nullable(),
});

type Payload = z.infer<typeof payload>;

const forms = new Variants<Payload, WireMessage>();

/**
 * A new message (chat-contract 3.4). For everybody with a row; for public channels also for queues that look at all of
 * them. Not for people who may read the channel and did not receive it.
 */
export const messageEvent = defineEvent({
  name: 'message',
  type: 'message',
  payload,
  wire: z.strictObject({
    type: z.literal('message'),
    message: wireMessage,
    flags: z.array(z.string()),
    local_message_id: z.string().optional(),
  }),
  render(stored, reader) {
    const flags = reader.isAddressee ? flagsOf(stored, reader.viewer.id) : 0;
    if (!matchesNarrow(reader.filter.narrow, stored.message, flags, reader.viewer)) return null;
    const { origin } = stored;
    return {
      type: 'message' as const,
      message: forms.get(stored, formKey(stored, reader), () => toWireMessage(stored.message, viewOf(reader))),
      flags: flagNames(flags),
      ...(origin?.queueId === reader.queueId && { local_message_id: origin.localId }),
    };
  },
});

function flagsOf({ receivers }: Payload, userId: number): number {
  return receivers.exceptions.find(({ userIds }) => userIds.includes(userId))?.flags ?? receivers.flags;
}

function viewOf(reader: EventReader) {
  return {
    viewer: reader.viewer,
    applyMarkdown: reader.applyMarkdown,
    clientGravatar: reader.clientGravatar,
    emptyTopicName: reader.capabilities.empty_topic_name ? null : emptyTopicName,
  };
}

/** Addresses look different by role, and one's own is never hidden from oneself. */
function formKey({ message }: Payload, reader: EventReader): string {
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
