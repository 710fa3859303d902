import { roleNumbers } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import { toTextKey } from '../../infra/normalized-text-key.js';
import { ChannelRights, type LockedChannel } from '../../core/channels/index.js';
import { type LockedMessage, maxMessageBatchSize, hasSharedHistory } from '../../core/message-access/index.js';
import {
  type ChannelDestination,
  getChannelDestination,
  doesTopicExist,
  checkEmptyTopicPolicy,
} from '../../core/messages/index.js';
import type { EditRequest } from './edit-message-request.js';
import { type MessageEditor, getOldestEditableTime } from './get-message-editor.js';
import { isFirstMovedMessageBefore, lockMovedMessages, type MovableMessages } from './move-messages.repository.js';
import type { MovePlan } from './message-move-plan.js';
import { MoveInProgressError } from './move-in-progress-error.js';
import { TooOldMessagesError } from './too-old-messages-error.js';
import { findUnfinishedMove } from './stored-message-moves.repository.js';
import { findTopicResolutionChange } from './topic-resolution.js';
import { readTopicMessages, type TopicReadOptions } from './read-topic-messages.repository.js';

/**
 * Plans the move that a request contains. Returns null if the request contains no move, or if the messages are already
 * in the requested channel and topic (docs/contract/chat.md 5.7).
 *
 * @throws AppError BAD_REQUEST, STREAM_DOES_NOT_EXIST
 * @throws MoveInProgressError, TooOldMessagesError, LargeTopicError
 */
export async function planMessageMove(
  editor: MessageEditor,
  message: LockedMessage,
  request: EditRequest,
  reading: TopicReadOptions,
): Promise<MovePlan | null> {
  const source = message.channel;
  if (source === null) return rejectDirectMessages(request);
  const changesChannel = request.channelId !== undefined && request.channelId !== source.id;
  if (!changesChannel && (request.topic === undefined || request.topic === message.topic)) return null;
  const { tx, actor } = editor;
  const target = changesChannel ? request.channelId : source.id;
  const may = new ChannelRights(source, editor.rights, message.isSubscribed);
  if (source.is_archived) throw createMoveError();
  if (changesChannel) requireChannelMove(editor, may);
  const destination = await getChannelDestination(tx, actor, { id: target ?? source.id }, { sends: changesChannel });
  const topic = checkEmptyTopicPolicy(request.topic ?? message.topic, destination.topicsPolicy);
  const changesTopic = topic !== message.topic;
  if (!changesChannel && !changesTopic) return null;
  const resolution = findTopicResolution(message, topic, request, changesChannel);
  if (changesTopic) requireTopicMove(editor, may, resolution);
  if (resolution === null) await requireTopicCreation(editor, message, destination, topic);
  await rejectDuringStoredMove(editor, message, destination, topic);
  const movable = selectMovableMessages(message, request.propagateMode);
  const changes = { changesChannel, changesTopic };
  if (resolution === null) await checkMovableAge(editor, message, movable, changes);
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
    const renaming = { topicId, messages: await readTopicMessages(tx, topicId, reading) };
    return { ...plan, renaming, messageIds: [], isFull: false };
  }
  const counted = moveChangesUserMessages(source, changesChannel);
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
  { tx }: MessageEditor,
  { topicId, topicKey }: LockedMessage,
  { source, destination, topic, propagateMode }: Pick<MovePlan, 'source' | 'destination' | 'topic' | 'propagateMode'>,
): Promise<number | null> {
  if (propagateMode !== 'change_all' || !hasSharedHistory(source)) return null;
  const isSameTopic = toTextKey(topic) === topicKey;
  return isSameTopic || !(await doesTopicExist(tx, destination, topic)) ? topicId : null;
}

/**
 * Returns true if a move of messages changes rows of `user_messages`. In a channel without shared history, these rows
 * determine which users receive the event about the move.
 */
export function moveChangesUserMessages(source: LockedChannel, changesChannel: boolean): boolean {
  return changesChannel || !hasSharedHistory(source);
}

async function rejectDuringStoredMove(
  { tx }: MessageEditor,
  message: LockedMessage,
  destination: ChannelDestination,
  topic: string,
): Promise<void> {
  const from = { channelId: message.channel?.id ?? 0, topicKey: message.topicKey };
  const id = await findUnfinishedMove(tx, from, { channelId: destination.channel.id, topicKey: toTextKey(topic) });
  if (id !== undefined) throw new MoveInProgressError(id);
}

function selectMovableMessages(message: LockedMessage, mode: MovePlan['propagateMode']): MovableMessages {
  const { id, recipientId, topicKey } = message;
  return { mode, id, recipientId, topicKey, after: mode === 'change_later' ? id - 1 : 0 };
}

function rejectDirectMessages({ topic, channelId }: EditRequest): null {
  if (topic !== undefined) throw createBadRequestError('Direct messages cannot have topics.');
  if (channelId !== undefined) throw createBadRequestError('Direct messages cannot be moved to channels.');
  return null;
}

function findTopicResolution(message: LockedMessage, topic: string, request: EditRequest, changesChannel: boolean) {
  if (changesChannel || request.propagateMode !== 'change_all') return null;
  return findTopicResolutionChange(message.topic, topic);
}

function requireChannelMove({ rights }: MessageEditor, may: ChannelRights): void {
  const allowed =
    rights.hasRealmPermission('can_move_messages_between_channels_group') ||
    may.hasPermission('can_move_messages_out_of_channel_group');
  if (!allowed) throw createMoveError();
}

function requireTopicMove({ rights }: MessageEditor, may: ChannelRights, resolution: MovePlan['resolution']): void {
  const mayMove =
    rights.hasRealmPermission('can_move_messages_between_topics_group') ||
    may.hasPermission('can_move_messages_within_channel_group');
  const mayResolve =
    rights.hasRealmPermission('can_resolve_topics_group') || may.hasPermission('can_resolve_topics_group');
  if (resolution === null ? !mayMove : !mayResolve) throw createMoveError();
}

async function requireTopicCreation(
  { tx }: MessageEditor,
  message: LockedMessage,
  destination: ChannelDestination,
  topic: string,
): Promise<void> {
  if (destination.mayCreateTopics) return;
  const isSameTopic = message.recipientId === destination.recipientId && toTextKey(topic) === message.topicKey;
  if (isSameTopic || (await doesTopicExist(tx, destination, topic))) return;
  throw createBadRequestError('You do not have permission to create new topics in this channel.');
}

/** Throws if a move includes messages that are too old, unless the actor is a moderator or administrator. */
async function checkMovableAge(
  editor: MessageEditor,
  message: LockedMessage,
  movable: MovableMessages,
  changes: { readonly changesChannel: boolean; readonly changesTopic: boolean },
): Promise<void> {
  const { rights, settings } = editor;
  if (rights.role <= roleNumbers.moderator) return;
  const oldest = Math.max(
    changes.changesTopic
      ? getOldestEditableTime(editor, settings.move_messages_within_stream_limit_seconds)
      : -Infinity,
    changes.changesChannel
      ? getOldestEditableTime(editor, settings.move_messages_between_streams_limit_seconds)
      : -Infinity,
  );
  if (message.sentAtMs < oldest) {
    const what = changes.changesChannel ? 'channel' : 'topic';
    throw createBadRequestError(`The time limit for editing this message's ${what} has passed.`);
  }
  if (movable.mode !== 'change_all' || oldest === -Infinity) return;
  const limit = new Date(oldest);
  if (await isFirstMovedMessageBefore(editor.tx, editor.actor, movable, limit))
    throw new TooOldMessagesError(movable, limit);
}

function createMoveError(): Error {
  return createBadRequestError("You don't have permission to move this message");
}
