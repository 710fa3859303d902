import type { Tx } from '@switchboard/database';
import type { Audience } from '@switchboard/queue';
import type { AnyEventType } from './define-event-type.js';

/** Conversation of the messages that an event is about: a channel with a topic, or direct messages. */
export type EventConversation =
  | {
      readonly channelId: number;
      readonly topic: string;
      /** Channel to which the messages were moved; absent if the messages remain in their channel. */
      readonly newChannelId?: number | undefined;
    }
  | {
      /** Id of the database row that represents the participants of the direct conversation. */
      readonly recipientId: number;
    };

/** Returns the conversation of a message: the channel and topic, or the participants of a direct message. */
export function getEventConversation({
  channel,
  topic,
  recipientId,
}: {
  readonly channel: { readonly id: number } | null;
  readonly topic: string;
  readonly recipientId: number;
}): EventConversation {
  return channel === null ? { recipientId } : { channelId: channel.id, topic };
}

/** An event that was written to the event log of a realm. */
export interface WrittenEvent {
  readonly realmId: number;
  readonly type: AnyEventType;
  readonly audience: Audience;
  readonly payload: object;
  /** Conversation of the messages that the event is about; undefined for an event that is not about messages. */
  readonly conversation: EventConversation | undefined;
  /**
   * Ids of users who are not recipients of the event and can still read the messages that it reports as removed, see
   * `OutgoingEvent.remainingReaders`.
   */
  readonly remainingReaders: ReadonlySet<number> | undefined;
}

/** Additional receiver of events, called in the transaction that writes the events to the event log. */
export interface EventSink {
  add(tx: Tx, event: WrittenEvent): void;
}
