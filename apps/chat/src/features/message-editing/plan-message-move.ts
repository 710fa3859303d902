import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { ChannelRights, type LockedChannel } from '../../core/channels/index.js';
import { type LockedMessage, maxMessageBatchSize, hasSharedHistory } from '../../core/message-access/index.js';
import {
  type ChannelDestination,
  getChannelDestination,
  doesTopicExist,
  checkEmptyTopicPolicy,
} from '../../core/messages/index.js';
import type { MessageEditRequest } from './edit-message-request.js';
import { type MessageEditingUser, getOldestEditableMessageTime } from './get-message-editor.js';
import {
  isFirstMovedMessageBefore,
  lockMovedMessages,
  type MovableMessageSelection,
} from './move-messages.repository.js';
import type { MessageMovePlan } from './message-move-plan.js';
import { MoveInProgressError } from './move-in-progress-error.js';
import { MovedMessagesTooOldError } from './too-old-messages-error.js';
import { findUnfinishedMoveOfTopics } from './stored-message-moves.repository.js';
import { findTopicResolutionChange } from './topic-resolution.js';
import { readTopicMessageIds, type TopicMessageIdsReadOptions } from './read-topic-messages.repository.js';

/**
 * Plans the move that a request contains. Returns null if the request contains no move, or if the messages are already
 * in the requested channel and topic (docs/contract/chat.md 5.7).
 *
 * @throws ApplicationError BAD_REQUEST, STREAM_DOES_NOT_EXIST
 * @throws MoveInProgressError, MovedMessagesTooOldError, LargeTopicError
 */
export async function planMessageMove(
  editor: MessageEditingUser,
  message: LockedMessage,
  request: MessageEditRequest,
  reading: TopicMessageIdsReadOptions,
): Promise<MessageMovePlan | null> {
  const source = message.channel;
  if (source === null) return rejectMoveOfDirectMessages(request);
  const changesChannel = request.channelId !== undefined && request.channelId !== source.id;
  if (!changesChannel && (request.topic === undefined || request.topic === message.topic)) return null;
  const { tx, actor } = editor;
  const target = changesChannel ? request.channelId : source.id;
  const may = new ChannelRights(source, editor.rights, message.isSubscribed);
  if (source.is_archived) throw createMessageMoveDeniedError();
  if (changesChannel) requireChannelMovePermission(editor, may);
  const destination = await getChannelDestination(tx, actor, { id: target ?? source.id }, { sends: changesChannel });
  const topic = checkEmptyTopicPolicy(request.topic ?? message.topic, destination.topicsPolicy);
  const changesTopic = topic !== message.topic;
  if (!changesChannel && !changesTopic) return null;
  const resolution = findTopicResolution(message, topic, request, changesChannel);
  if (changesTopic) requireTopicMovePermission(editor, may, resolution);
  if (resolution === null) await requireTopicCreationPermission(editor, message, destination, topic);
  await rejectDuringUnfinishedMove(editor, message, destination, topic);
  const movable = selectMovableMessages(message, request.propagateMode);
  const changes = { changesChannel, changesTopic };
  if (resolution === null) await checkAgeOfMovedMessages(editor, message, movable, changes);
  const plan = {
    source,
    destination,
    changesChannel,
    topicBefore: message.topic,
    topic,
    changesTopic,
    resolution,
    propagateMode: request.propagateMode,
  };
  const topicId = changesChannel ? null : await findRenamedTopic(editor, message, plan);
  if (topicId !== null) {
    const renaming = { topicId, messages: await readTopicMessageIds(tx, topicId, reading) };
    return { ...plan, renaming, messageIds: [], isFull: false };
  }
  const counted = willMoveChangeUserMessages(source, changesChannel);
  const batch = { countsRecipients: counted, size: maxMessageBatchSize, found: null };
  const { messages, isFull } = await lockMovedMessages(tx, actor, movable, batch);
  return {
    ...plan,
    renaming: null,
    messageIds: messages.map(({ id }) => id),
    isFull: request.propagateMode !== 'change_one' && isFull,
  };
}

/**
 * Returns the id of a topic that can be renamed as a whole, because no messages exist under the new name; otherwise
 * null. Renaming requires a channel with shared history, in which the actor can read all messages.
 */
async function findRenamedTopic(
  { tx }: MessageEditingUser,
  { topicId, topicKey }: LockedMessage,
  {
    source,
    destination,
    topic,
    propagateMode,
  }: Pick<MessageMovePlan, 'source' | 'destination' | 'topic' | 'propagateMode'>,
): Promise<number | null> {
  if (propagateMode !== 'change_all' || !hasSharedHistory(source)) return null;
  const isSameTopic = normalizeTextForComparison(topic) === topicKey;
  return isSameTopic || !(await doesTopicExist(tx, destination, topic)) ? topicId : null;
}

/**
 * Returns true if a move of messages changes rows of `user_messages`. In a channel without shared history, these rows
 * determine which users receive the event about the move.
 */
export function willMoveChangeUserMessages(source: LockedChannel, changesChannel: boolean): boolean {
  return changesChannel || !hasSharedHistory(source);
}

async function rejectDuringUnfinishedMove(
  { tx }: MessageEditingUser,
  message: LockedMessage,
  destination: ChannelDestination,
  topic: string,
): Promise<void> {
  const from = { channelId: message.channel?.id ?? 0, topicKey: message.topicKey };
  const id = await findUnfinishedMoveOfTopics(tx, from, {
    channelId: destination.channel.id,
    topicKey: normalizeTextForComparison(topic),
  });
  if (id !== undefined) throw new MoveInProgressError(id);
}

function selectMovableMessages(
  message: LockedMessage,
  mode: MessageMovePlan['propagateMode'],
): MovableMessageSelection {
  const { id, recipientId, topicKey } = message;
  return { mode, id, recipientId, topicKey, after: mode === 'change_later' ? id - 1 : 0 };
}

function rejectMoveOfDirectMessages({ topic, channelId }: MessageEditRequest): null {
  if (topic !== undefined) throw createBadRequestError('Direct messages cannot have topics.');
  if (channelId !== undefined) throw createBadRequestError('Direct messages cannot be moved to channels.');
  return null;
}

function findTopicResolution(
  message: LockedMessage,
  topic: string,
  request: MessageEditRequest,
  changesChannel: boolean,
) {
  if (changesChannel || request.propagateMode !== 'change_all') return null;
  return findTopicResolutionChange(message.topic, topic);
}

function requireChannelMovePermission({ rights }: MessageEditingUser, may: ChannelRights): void {
  const allowed =
    rights.hasRealmPermission('can_move_messages_between_channels_group') ||
    may.hasPermission('can_move_messages_out_of_channel_group');
  if (!allowed) throw createMessageMoveDeniedError();
}

function requireTopicMovePermission(
  { rights }: MessageEditingUser,
  may: ChannelRights,
  resolution: MessageMovePlan['resolution'],
): void {
  const mayMove =
    rights.hasRealmPermission('can_move_messages_between_topics_group') ||
    may.hasPermission('can_move_messages_within_channel_group');
  const mayResolve =
    rights.hasRealmPermission('can_resolve_topics_group') || may.hasPermission('can_resolve_topics_group');
  if (resolution === null ? !mayMove : !mayResolve) throw createMessageMoveDeniedError();
}

async function requireTopicCreationPermission(
  { tx }: MessageEditingUser,
  message: LockedMessage,
  destination: ChannelDestination,
  topic: string,
): Promise<void> {
  if (destination.mayCreateTopics) return;
  const isSameTopic =
    message.recipientId === destination.recipientId && normalizeTextForComparison(topic) === message.topicKey;
  if (isSameTopic || (await doesTopicExist(tx, destination, topic))) return;
  throw createBadRequestError('You do not have permission to create new topics in this channel.');
}

/** Throws if a move includes messages that are too old, unless the actor is a moderator or administrator. */
async function checkAgeOfMovedMessages(
  editor: MessageEditingUser,
  message: LockedMessage,
  movable: MovableMessageSelection,
  changes: { readonly changesChannel: boolean; readonly changesTopic: boolean },
): Promise<void> {
  const { rights, settings } = editor;
  if (rights.role <= userRoleNumbers.moderator) return;
  const oldest = Math.max(
    changes.changesTopic
      ? getOldestEditableMessageTime(editor, settings.move_messages_within_stream_limit_seconds)
      : -Infinity,
    changes.changesChannel
      ? getOldestEditableMessageTime(editor, settings.move_messages_between_streams_limit_seconds)
      : -Infinity,
  );
  if (message.sentAtMs < oldest) {
    const what = changes.changesChannel ? 'channel' : 'topic';
    throw createBadRequestError(`The time limit for editing this message's ${what} has passed.`);
  }
  if (movable.mode !== 'change_all' || oldest === -Infinity) return;
  const limit = new Date(oldest);
  if (await isFirstMovedMessageBefore(editor.tx, editor.actor, movable, limit))
    throw new MovedMessagesTooOldError(movable, limit);
}

function createMessageMoveDeniedError(): Error {
  return createBadRequestError("You don't have permission to move this message");
}
