import { createHash } from 'node:crypto';
import type { DecodedParametersOfDefinition } from '../../../infra/http/parameter-decorators.js';
import type { MessageConversationTarget } from './message-conversation.js';
import { parseChannelReference, isChannelMessageType, parseUserReferences } from './parse-recipients.js';
import type { sendMessageParameters } from './send-message.schemas.js';

type SendMessageParameters = DecodedParametersOfDefinition<typeof sendMessageParameters>;

/**
 * Key that identifies repeated requests of one sender to send the same message. A key is valid for a day
 * (docs/adr/0037).
 */
export interface MessageSendIdempotencyKey {
  /**
   * SHA-256 digest of the client's header `Idempotency-Key`. Without the header, the digest of the client's local
   * message id and the message.
   */
  readonly key: Buffer;
  /**
   * SHA-256 digest of the request parameters, which must be equal in each repeated request. Null if the key already
   * depends on the message.
   */
  readonly request: Buffer | null;
}

/**
 * Returns the key of a request to send a message with the header `Idempotency-Key`. Requests that differ only in older
 * type names or in the notation of recipients are considered equal.
 *
 * @throws ApplicationError BAD_REQUEST for recipients that cannot be parsed
 */
export function createSendKeyFromHeader(
  idempotencyKey: string,
  parameters: SendMessageParameters,
): MessageSendIdempotencyKey {
  const { type, to, content, topic, queue_id: queueId, local_id: localId, read_by_sender: readBySender } = parameters;
  const isChannel = isChannelMessageType(type);
  const recipient = isChannel ? parseChannelReference : parseAndSortUserReferences;
  const request = [
    isChannel ? 'channel' : 'direct',
    to === undefined ? null : recipient(to),
    ...[topic, content, queueId, localId, readBySender].map((value) => value ?? null),
  ];
  return { key: digestJson(['request', idempotencyKey]), request: digestJson(request) };
}

/**
 * Returns the idempotency key of a request to send a message, which the client's `queue_id` and `local_id` determine.
 * Returns null if one of the two parameters is absent. The key depends on the message, because clients reuse a local id
 * for several messages.
 */
export function createSendKeyFromLocalId(
  { queue_id: queueId, local_id: localId }: SendMessageParameters,
  { recipientId, topic }: MessageConversationTarget,
  content: string,
): MessageSendIdempotencyKey | null {
  if (queueId === undefined || localId === undefined) return null;
  return { key: digestJson(['local', queueId, localId, recipientId, topic, content]), request: null };
}

function parseAndSortUserReferences(to: string): unknown[] {
  return parseUserReferences(to).toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
}

function digestJson(values: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(values)).digest();
}
