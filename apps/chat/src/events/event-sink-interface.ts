import type { Tx } from '@switchboard/database';
import type { Audience } from '@switchboard/queue';
import type { EventTypeOfUnknownPayload } from './define-event-type.js';

/** Conversation of the messages that an event is about: a channel with a topic, or direct messages. */
export type ConversationOfEvent =
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
export function getConversationOfMessage({
  channel,
  topic,
  recipientId,
}: {
  readonly channel: { readonly id: number } | null;
  readonly topic: string;
  readonly recipientId: number;
}): ConversationOfEvent {
  return channel === null ? { recipientId } : { channelId: channel.id, topic };
}

/** An event that was written to the event log of a realm. */
export interface EventWrittenToLog {
  readonly realmId: number;
  readonly type: EventTypeOfUnknownPayload;
  readonly audience: Audience;
  readonly payload: object;
  /** Conversation of the messages that the event is about; undefined for an event that is not about messages. */
  readonly conversation: ConversationOfEvent | undefined;
  /**
   * Ids of users who are not recipients of the event and can still read the messages that it reports as removed, see
   * `EventToWrite.remainingReaders`.
   */
  readonly remainingReaders: ReadonlySet<number> | undefined;
}

/** Additional receiver of events, called in the transaction that writes the events to the event log. */
export interface AdditionalEventReceiver {
  add(tx: Tx, event: EventWrittenToLog): void;
}
