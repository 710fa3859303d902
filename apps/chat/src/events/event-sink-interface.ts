import type { Tx } from '@switchboard/database';
import type { Audience } from '@switchboard/queue';
import type { AnyEventType } from './define-event-type.js';

/** Conversation of the messages that an event is about: a channel with a topic, or direct messages. */
export type EventConversation =
  | {
      readonly channelId: number;
      readonly topic: string;
      /** Channel to which the messages were moved; absent if they remain in their channel. */
      readonly newChannelId?: number | undefined;
    }
  | {
      /** Id of the recipient row of the participants. */
      readonly recipientId: number;
    };

/** Returns the conversation of a message: its channel and topic, or the participants of a direct message. */
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
  /** Undefined for an event that is not about messages. */
  readonly conversation: EventConversation | undefined;
  /** See `OutgoingEvent.remainingReaders`. */
  readonly remainingReaders: ReadonlySet<number> | undefined;
}

/** A further recipient of events, in the transaction that writes them to the event log. */
export interface EventSink {
  add(tx: Tx, event: WrittenEvent): void;
}
