import type { MessagePersonRecord } from '../wire/message-record-schema.js';

/** Conversation to which a message is sent: a channel and topic, or the participants of a direct conversation. */
export interface MessageConversationTarget {
  readonly recipientId: number;
  /** Subdomain of the realm (`string_id`). */
  readonly realm: string;
  readonly sender: MessagePersonRecord;
  /** Channel of the message; null for direct messages. */
  readonly channel: { readonly id: number; readonly name: string } | null;
  /** Participants of a direct message, including the sender; empty for channels. */
  readonly participants: readonly MessagePersonRecord[];
  readonly topic: string;
  /**
   * True if users other than the recipients can read the message. Event queues with `all_public_streams` also receive a
   * public message.
   */
  readonly isPublic: boolean;
}
