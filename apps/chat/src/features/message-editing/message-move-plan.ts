import type { LockedChannel } from '../../core/channels/index.js';
import type { ChannelDestination } from '../../core/messages/index.js';
import type { PackedMessageIds } from './read-topic-messages.repository.js';
import type { MessageMove } from './update-message.events.js';

/** The channel to which messages are moved, and the user who moves the messages. */
interface MessageMoveDestination extends Pick<ChannelDestination, 'recipientId' | 'channel' | 'isPublic'> {
  readonly sender: { readonly id: number; readonly fullName: string };
}

/** A topic that is renamed as a whole, with the ascending ids of its messages. */
interface WholeTopicRenaming {
  readonly topicId: number;
  readonly messages: readonly PackedMessageIds[];
}

/** A permitted move of locked messages, with all changes that the move makes. */
export interface MessageMovePlan {
  readonly source: LockedChannel;
  /** Channel to which the messages are moved. Equals the source channel if only the topic changes. */
  readonly destination: MessageMoveDestination;
  readonly changesChannel: boolean;
  readonly topicBefore: string;
  readonly topic: string;
  readonly changesTopic: boolean;
  /**
   * Set if the move only marks the topic as resolved or unresolved. In this case the limits for moves do not apply.
   * Null for any other move.
   */
  readonly resolution: 'resolved' | 'unresolved' | null;
  readonly propagateMode: MessageMove['propagateMode'];
  /** Topic that is renamed as a whole; null if the move changes individual messages. */
  readonly renaming: WholeTopicRenaming | null;
  /** Ids of the messages to move, in ascending order; empty if the topic is renamed as a whole. */
  readonly messageIds: readonly number[];
  /**
   * True if the number of messages reaches the limit of one transaction, so that another transaction may have to move
   * further messages.
   */
  readonly isFull: boolean;
}
