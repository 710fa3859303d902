import type { Tx } from '@switchboard/database';
import {
  type NotificationBotMessage,
  type NotificationBotDependencies,
  postNotificationBotMessage,
} from '../../core/messages/index.js';
import type { MessageEditRequest } from './edit-message-request.js';
import type { MessageMovePlan } from './message-move-plan.js';

/** A completed move of messages, with the data that Notification Bot messages about the move contain. */
export interface CompletedMove {
  readonly realmId: number;
  readonly plan: MessageMovePlan;
  readonly request: Pick<MessageEditRequest, 'tellsOldThread' | 'tellsNewThread'>;
  /** True if the move included all messages of the topic. */
  readonly wholeTopic: boolean;
  /** Number of messages that the move has moved in total. */
  readonly count: number;
  /** Id of the database row for the client program of messages that the service itself sends. */
  readonly clientId: number;
}

/**
 * Posts Notification Bot messages about a move of messages to the new topic and then to the old topic, if requested
 * (docs/contract/chat.md 5.7).
 */
export async function postMessageMoveNotices(
  tx: Tx,
  tools: NotificationBotDependencies,
  move: CompletedMove,
): Promise<void> {
  const { plan, request } = move;
  const { sender, channel } = plan.destination;
  const who = `@_**${sender.fullName}|${sender.id}**`;
  if (plan.resolution !== null) {
    const notice = createNoticeForNewTopic(move, `${who} has marked this topic as ${plan.resolution}.`);
    await postNotificationBotMessage(tx, tools, { ...notice, isResolution: true });
    return;
  }
  if (request.tellsNewThread) {
    const from = `#**${plan.source.name}>${plan.topicBefore}**`;
    const what = move.wholeTopic ? 'this topic' : formatMessageCount(move);
    await postNotificationBotMessage(
      tx,
      tools,
      createNoticeForNewTopic(move, `${who} moved ${what} here from ${from}.`),
    );
  }
  if (request.tellsOldThread) {
    const to = `#**${channel.name}>${plan.topic}**`;
    const what = move.wholeTopic ? 'this topic' : formatMessageCount(move);
    await postNotificationBotMessage(tx, tools, createNoticeForOldTopic(move, `${who} moved ${what} to ${to}.`));
  }
}

function formatMessageCount({ count }: CompletedMove): string {
  return count === 1 ? 'one message' : `${count} messages`;
}

function createNoticeForNewTopic({ realmId, plan, clientId }: CompletedMove, content: string): NotificationBotMessage {
  const { recipientId, channel, isPublic } = plan.destination;
  return { realmId, recipientId, channel, isPublic, topic: plan.topic, content, clientId };
}

function createNoticeForOldTopic({ realmId, plan, clientId }: CompletedMove, content: string): NotificationBotMessage {
  const { recipient_id: recipientId, id, name, is_private: isPrivate } = plan.source;
  return {
    realmId,
    recipientId,
    channel: { id, name },
    isPublic: !isPrivate,
    topic: plan.topicBefore,
    content,
    clientId,
  };
}
