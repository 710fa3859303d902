import type { Tx } from '@switchboard/database';
import { AudienceUserIds } from '@switchboard/queue';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import {
  type LockedMessage,
  type MessageReaders,
  type MessageReadersWithSameFlags,
  readFirstMessages,
  emitChangedFirstMessages,
} from '../../core/message-access/index.js';
import { emitMessageDeletion, emitDeletionToWebhooks } from '../message-deletion/index.js';
import type { EmptyTopicRange, NotificationBotDependencies } from '../../core/messages/index.js';
import { writeOmittedRowsOfMessages } from '../../core/soft-deactivation/index.js';
import { type MovedTopic, moveUserTopicPolicies } from '../../core/user-topics/index.js';
import type { MessageEditRequest } from './edit-message-request.js';
import { postMessageMoveNotices } from './post-move-messages.js';
import {
  listUsersLosingAccess,
  markMovedMessagesRead,
  removeRecipientRows,
  removeTopicIfEmpty,
} from './move-messages.repository.js';
import type { MessageMovePlan } from './message-move-plan.js';
import { emitMessageUpdate } from './emit-message-update.js';
import { type MessageMoveEdit, writeMessageEdit } from './write-message-edit.repository.js';
import { writeTopicRenaming } from './write-topic-renaming.repository.js';

const emptyUserIds: ReadonlySet<number> = new Set();

/** Objects and values that {@link moveMessagesAndEmitEvents} receives from its caller. */
export interface MoveMessagesDependencies extends NotificationBotDependencies {
  readonly readers: MessageReaders;
}

/** The message for which a client requested a move, with the message's previous channel and topic. */
export type MovedMessageBeforeChange = Pick<LockedMessage, 'id' | 'realmId' | 'recipientId' | 'topicKey' | 'channel'>;

/**
 * Data for completing a move of messages: which Notification Bot messages to post, and the data that these messages
 * contain.
 */
export interface MoveCompletion {
  readonly request: Pick<MessageEditRequest, 'tellsOldThread' | 'tellsNewThread'>;
  /** Id of the database row for the client program of messages that the service itself sends. */
  readonly clientId: number;
  /** Number of messages that the move has moved in total. */
  readonly count: number;
  /** Range of message ids in which the old topic contains no messages after the move. */
  readonly empty?: EmptyTopicRange | null;
}

/**
 * Moves messages to another channel or topic. Users who can read the messages in the new channel receive an event about
 * the move. Other users receive an event about deleted messages (docs/contract/chat.md 5.7). The transaction must have
 * locked both channels.
 */
export async function moveMessagesAndEmitEvents(
  tx: Tx,
  tools: MoveMessagesDependencies,
  message: MovedMessageBeforeChange,
  edit: MessageMoveEdit,
  end: Omit<MoveCompletion, 'count'>,
): Promise<void> {
  await moveAndEmitOldestMessages(tx, tools.events, edit.move, async () => {
    const lost = await moveMessagesOfPlan(tx, tools, message, edit);
    await completeMessageMove(
      tx,
      tools,
      message,
      edit.move,
      { ...end, count: countMovedMessages(edit.move) },
      async () => lost,
    );
  });
}

/**
 * Calls a function that moves messages between two channels. Emits the new oldest message of each channel whose oldest
 * message has changed.
 */
async function moveAndEmitOldestMessages(
  tx: Tx,
  events: ChatEventWriter,
  plan: MessageMovePlan,
  work: () => Promise<void>,
): Promise<void> {
  const channels = [plan.source, planToMoveDestination(plan)];
  const firstBefore = plan.changesChannel ? await readFirstMessages(tx, channels) : null;
  await work();
  if (firstBefore !== null) await emitChangedFirstMessages(tx, events, channels, firstBefore);
}

/**
 * Emits the oldest message of both channels at the end of a move that needs several batches. Almost every batch changes
 * the oldest message of a channel. If each batch emitted this change, senders of messages would wait each time while
 * all users who see the channels are listed.
 */
export async function emitOldestMessagesOfChannels(
  tx: Tx,
  events: ChatEventWriter,
  plan: MessageMovePlan,
): Promise<void> {
  if (plan.changesChannel)
    await emitChangedFirstMessages(tx, events, [plan.source, planToMoveDestination(plan)], new Map());
}

/**
 * Moves the messages that a plan contains, which may be one batch of several.
 *
 * @returns ids of the users who can no longer read these messages
 */
export async function moveMessagesOfPlan(
  tx: Tx,
  tools: MoveMessagesDependencies,
  message: MovedMessageBeforeChange,
  edit: MessageMoveEdit,
): Promise<ReadonlySet<number>> {
  const { move: plan } = edit;
  if (plan.changesChannel) await writeOmittedRowsOfMessages(tx, plan.source.recipient_id, plan.messageIds);
  if (plan.changesChannel) await markMovedMessagesRead(tx, plan.messageIds, plan.destination.channel.id);
  // A batch that changes the channel has few recipient rows, because these rows count towards its size.
  const areMany =
    !plan.changesChannel &&
    (await tools.readers.hasTooManyRecipients(tx, plan.source, countMovedMessages(plan), message.id));
  const readers = await tools.readers.listByFlags(tx, {
    messageIds: areMany ? [message.id] : listMovedMessageIds(plan),
    flagsOf: message.id,
    channel: plan.source,
    areMany,
  });
  if (plan.renaming === null) await writeMessageEdit(tx, message, edit);
  else await writeTopicRenaming(tx, message.id, plan.renaming.topicId, edit);
  const lost = plan.changesChannel
    ? await removeFromHistoriesOfExcludedUsers(tx, tools.events, message, plan, readers)
    : emptyUserIds;
  emitMessageUpdate(tx, tools, message, edit, excludeUserIds(readers, lost));
  return lost;
}

/**
 * Completes a move after its last message was moved: moves the visibility policies of the topic, and posts Notification
 * Bot messages.
 *
 * @param listLost lists the users who cannot read the topic in its new channel
 */
export async function completeMessageMove(
  tx: Tx,
  tools: NotificationBotDependencies,
  message: MovedMessageBeforeChange,
  plan: MessageMovePlan,
  { empty = null, ...end }: MoveCompletion,
  listLost: () => Promise<ReadonlySet<number>>,
): Promise<void> {
  const { realmId } = message;
  const wholeTopic = await removeEmptiedTopic(tx, message, plan, empty);
  if (wholeTopic) await moveUserTopicPolicies(tx, tools.events, planToMovedTopic(message, plan, await listLost()));
  await postMessageMoveNotices(tx, tools, { realmId, plan, wholeTopic, ...end });
}

/**
 * Returns the number of messages that a plan moves. If the plan renames a topic, returns the number of messages in that
 * topic.
 */
function countMovedMessages({ renaming, messageIds }: MessageMovePlan): number {
  return renaming?.messages.reduce((sum, { ids }) => sum + ids.length, 0) ?? messageIds.length;
}

function listMovedMessageIds({ renaming, messageIds }: MessageMovePlan): readonly number[] {
  return renaming?.messages.flatMap(({ ids }) => ids) ?? messageIds;
}

function planToMoveDestination({ source, destination }: MessageMovePlan) {
  const { channel, recipientId } = destination;
  return {
    id: channel.id,
    name: channel.name,
    realm_id: source.realm_id,
    is_archived: false,
    recipient_id: recipientId,
  };
}

/**
 * Removes moved messages from the histories of users who cannot read the new channel.
 *
 * @returns ids of the users whose histories were changed
 */
async function removeFromHistoriesOfExcludedUsers(
  tx: Tx,
  events: ChatEventWriter,
  message: MovedMessageBeforeChange,
  plan: MessageMovePlan,
  readers: MessageReadersWithSameFlags,
): Promise<ReadonlySet<number>> {
  const readersBefore = readers.users.ids;
  const people = { receivers: readers.receivers, readers: readersBefore };
  const lost = await listUsersLosingAccess(tx, plan.destination.channel.id, people);
  const { source, topicBefore: topic, destination, messageIds } = plan;
  const conversation = { channelId: source.id, topic, newChannelId: destination.channel.id };
  const users = [...readersBefore].filter((user) => lost.has(user));
  const remainingReaders = new Set([...readersBefore].filter((user) => !lost.has(user)));
  const hidden = { messageIds, conversation, remainingReaders };
  if (users.length > 0) emitMessageDeletion(tx, events, message.realmId, { users, ...hidden });
  else emitDeletionToWebhooks(tx, events, message.realmId, hidden);
  if (lost.size === 0) return lost;
  // Most readers of a large channel have no row for these messages.
  await removeRecipientRows(
    tx,
    plan.messageIds,
    [...readers.receivers].filter((user) => lost.has(user)),
  );
  return lost;
}

function excludeUserIds(readers: MessageReadersWithSameFlags, lost: ReadonlySet<number>): MessageReadersWithSameFlags {
  if (lost.size === 0) return readers;
  const { users, byFlags, receivers } = readers;
  return {
    users: new AudienceUserIds(users.ids.filter((user) => !lost.has(user))),
    byFlags: byFlags
      .map(([flags, userIds]): [number, number[]] => [flags, userIds.filter((user) => !lost.has(user))])
      .filter(([, userIds]) => userIds.length > 0),
    receivers,
  };
}

/**
 * Removes the old topic of a move if the topic is empty.
 *
 * @returns true if the topic has no messages, or if only the case of its name changed
 */
async function removeEmptiedTopic(
  tx: Tx,
  message: MovedMessageBeforeChange,
  plan: MessageMovePlan,
  empty: EmptyTopicRange | null,
): Promise<boolean> {
  if (!plan.changesChannel && normalizeTextForComparison(plan.topic) === message.topicKey) return true;
  return removeTopicIfEmpty(tx, plan.source.recipient_id, message.topicKey, empty);
}

function planToMovedTopic(
  message: MovedMessageBeforeChange,
  plan: MessageMovePlan,
  lost: ReadonlySet<number>,
): MovedTopic {
  return {
    realmId: message.realmId,
    from: { channelId: plan.source.id, topic: plan.topicBefore },
    to: { channelId: plan.destination.channel.id, topic: plan.topic },
    lost,
  };
}
