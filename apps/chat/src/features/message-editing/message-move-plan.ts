import type { LockedChannel } from '../../core/channels/index.js';
import type { ChannelDestination } from '../../core/messages/index.js';
import type { PackedMessageIds } from './read-topic-messages.repository.js';
import type { MessageMove } from './update-message.events.js';

/** The channel that messages are moved to, and the user who moves them. */
interface MoveTarget extends Pick<ChannelDestination, 'recipientId' | 'channel' | 'isPublic'> {
  readonly sender: { readonly id: number; readonly fullName: string };
}

/** A topic that is renamed as a whole, with the ids of its messages, ascending. */
interface RenamedTopic {
  readonly topicId: number;
  readonly messages: readonly PackedMessageIds[];
}

/** A permitted move of locked messages, with all its changes. */
export interface MovePlan {
  readonly source: LockedChannel;
  /** New channel; the same one if only the topic changes. */
  readonly destination: MoveTarget;
  readonly changesChannel: boolean;
  readonly topicBefore: string;
  readonly topic: string;
  readonly changesTopic: boolean;
  /** Set if the move only marks the topic as resolved or unresolved. The limits of moves do not apply then. */
  readonly resolution: 'resolved' | 'unresolved' | null;
  readonly propagateMode: MessageMove['propagateMode'];
  /** Topic that is renamed as a whole; null if messages are moved one by one. */
  readonly renaming: RenamedTopic | null;
  /** Ids of the messages to move, ascending; empty for a renamed topic. */
  readonly messageIds: readonly number[];
  /** True if the messages reach the limit of one transaction, so that more messages may follow in another. */
  readonly isFull: boolean;
}
