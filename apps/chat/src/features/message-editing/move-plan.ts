import type { LockedChannel } from '../../core/channels/index.js';
import type { ChannelDestination } from '../../core/messages/index.js';
import type { PackedIds } from './topic-messages.repository.js';
import type { MessageMove } from './update-message.events.js';

/** The channel that messages go to, and the account that moves them there. */
interface MoveTarget extends Pick<ChannelDestination, 'recipientId' | 'channel' | 'isPublic'> {
  readonly sender: { readonly id: number; readonly fullName: string };
}

/** A topic that is renamed as a whole, and its messages, ascending. */
interface RenamedTopic {
  readonly topicId: number;
  readonly messages: readonly PackedIds[];
}

/** A move that the actor may make, of messages that are locked. */
export interface MovePlan {
  readonly source: LockedChannel;
  /** New channel; the same one if only the topic changes. */
  readonly destination: MoveTarget;
  readonly changesChannel: boolean;
  readonly topicBefore: string;
  readonly topic: string;
  readonly changesTopic: boolean;
  /** Set if the topic is only marked as resolved, or as open again: no limits of moves apply. */
  readonly resolution: 'resolved' | 'unresolved' | null;
  readonly propagateMode: MessageMove['propagateMode'];
  /** The topic that is renamed as a whole; null for a move of messages. */
  readonly renaming: RenamedTopic | null;
  /** Messages that are moved, ascending; none for a renamed topic. */
  readonly messageIds: readonly number[];
  /** True if more messages may follow than one transaction moves. */
  readonly isFull: boolean;
}
