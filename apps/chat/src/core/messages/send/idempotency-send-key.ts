import { createHash } from 'node:crypto';
import type { ParametersOf } from '../../../infra/http/parameter-decorators.js';
import type { Conversation } from './message-conversation.js';
import { channelReference, isChannelType, userReferences } from './parse-recipients.js';
import type { sendMessageParameters } from './send-message.schemas.js';

type SendMessageParameters = ParametersOf<typeof sendMessageParameters>;

/** Key by which a repeated send of the same sender is recognized for a day (docs/adr/0037). */
export interface SendKey {
  /** SHA-256 of the client's `Idempotency-Key`, or of the client's local message id together with the message. */
  readonly key: Buffer;
  /**
   * SHA-256 of the request parameters, which must be the same in each repetition; null if the key already depends on
   * the message.
   */
  readonly request: Buffer | null;
}

/**
 * Returns the key of a send with the header `Idempotency-Key`. Requests that differ only in older type names or in the
 * notation of recipients are equal.
 *
 * @throws AppError BAD_REQUEST for recipients that cannot be parsed
 */
export function sendKeyOfHeader(idempotencyKey: string, parameters: SendMessageParameters): SendKey {
  const { type, to, content, topic, queue_id: queueId, local_id: localId, read_by_sender: readBySender } = parameters;
  const isChannel = isChannelType(type);
  const recipient = isChannel ? channelReference : sortedReferences;
  const request = [
    isChannel ? 'channel' : 'direct',
    to === undefined ? null : recipient(to),
    ...[topic, content, queueId, localId, readBySender].map((value) => value ?? null),
  ];
  return { key: jsonDigest(['request', idempotencyKey]), request: jsonDigest(request) };
}

/**
 * Returns the key of a send with the `queue_id` and `local_id` of the client; null if one of them is absent. The key
 * depends on the message, because clients reuse a local id for several messages.
 */
export function sendKeyOfLocalId(
  { queue_id: queueId, local_id: localId }: SendMessageParameters,
  { recipientId, topic }: Conversation,
  content: string,
): SendKey | null {
  if (queueId === undefined || localId === undefined) return null;
  return { key: jsonDigest(['local', queueId, localId, recipientId, topic, content]), request: null };
}

function sortedReferences(to: string): unknown[] {
  return userReferences(to).toSorted((a, b) => (String(a) < String(b) ? -1 : 1));
}

function jsonDigest(values: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(values)).digest();
}
