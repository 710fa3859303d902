import { serializePayload } from '../payload-json.js';
import { QueueUsageError } from '../queue-usage-error.js';
import type { OutboxMessageType } from './outbox-message-type.js';
import type { OutboxAddOptions } from './outbox-options.js';
import type { NewOutboxRow } from './outbox-row-buffer.js';

/**
 * Returns the outbox row to insert for a message.
 *
 * @throws ZodError when the payload does not match the schema
 * @throws QueueUsageError when an ordered message type gets no key, or the payload cannot be written as JSON
 */
export function createOutboxRowOfMessage<P, I>(
  topic: OutboxMessageType<P, I>,
  payload: I,
  options: OutboxAddOptions,
): Omit<NewOutboxRow, 'context'> {
  if (topic.order === 'key' && options.key === undefined) {
    throw new QueueUsageError(`Outbox messages ${topic.name} are ordered by key: a key is required`);
  }
  const { text, parsed } = serializePayload(topic.payload, payload);
  return {
    parsed,
    locksKey: topic.locksKeys,
    isOrdered: topic.order === 'key',
    topic: topic.name,
    realm: '',
    version: topic.version,
    payload: text,
    key: options.key ?? null,
    notBefore: options.notBefore ?? null,
    audience: null,
    weight: 1,
  };
}
