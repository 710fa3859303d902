import { createHash } from 'node:crypto';
import { createBadRequestError, chatErrors } from '../../errors.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { normalizeMessageContent, normalizeTopicForSending } from '../../core/messages/index.js';
import type { editMessageParameters } from './edit-message.schemas.js';
import type { MessageMove } from './update-message.events.js';

/** A request to edit a message. All checks that need no database have been made. */
export interface MessageEditRequest {
  readonly content: string | undefined;
  readonly previousSha256: string | undefined;
  readonly topic: string | undefined;
  readonly channelId: number | undefined;
  readonly propagateMode: MessageMove['propagateMode'];
  readonly tellsOldThread: boolean;
  readonly tellsNewThread: boolean;
}

/** Content that the service stores for a message if a user edits its content to an empty string. */
const deletedMessageContent = '(deleted)';

/**
 * Parses a request to edit a message.
 *
 * @throws ApplicationError BAD_REQUEST for parameters that change nothing or contradict each other
 * (docs/contract/chat.md 5.7)
 */
export function parseMessageEditRequest(
  parameters: DecodedParametersOfDefinition<typeof editMessageParameters>,
): MessageEditRequest {
  const { content, topic, stream_id: channelId, propagate_mode: propagateMode } = parameters;
  const moves = topic !== undefined || channelId !== undefined;
  if (content === undefined && !moves) throw createBadRequestError('Nothing to change');
  if (propagateMode !== 'change_one' && !moves)
    throw createBadRequestError('Invalid propagate_mode without topic edit');
  if (content !== undefined && channelId !== undefined) {
    throw createBadRequestError('Cannot change message content while changing channel');
  }
  return {
    content: content?.trim() === '' ? deletedMessageContent : content && normalizeMessageContent(content),
    previousSha256: parameters.prev_content_sha256,
    topic: topic === undefined ? undefined : normalizeTopicForSending(topic),
    channelId,
    propagateMode,
    tellsOldThread: parameters.send_notification_to_old_thread,
    tellsNewThread: parameters.send_notification_to_new_thread,
  };
}

/**
 * Checks that the client edited the current content of a message. Compares the digest that the client sent with the
 * digest of the current content.
 *
 * @throws ApplicationError EXPECTATION_MISMATCH if the content has changed since the client read it
 */
export function checkPreviousContent(content: string, sha256: string | undefined): void {
  if (sha256 === undefined) return;
  if (createHash('sha256').update(content).digest('hex') === sha256.toLowerCase()) return;
  throw chatErrors.create('EXPECTATION_MISMATCH', {
    message: "'prev_content_sha256' value does not match the expected value.",
  });
}
