import type { PersonRecord } from '../wire/message-record-schema.js';

/** Channel and topic, or participants, to which a message is sent. */
export interface MessageConversationTarget {
  readonly recipientId: number;
  /** Subdomain of the realm (`string_id`). */
  readonly realm: string;
  readonly sender: PersonRecord;
  /** Channel of the message; null for direct messages. */
  readonly channel: { readonly id: number; readonly name: string } | null;
  /** Participants of a direct message, including the sender; empty for channels. */
  readonly participants: readonly PersonRecord[];
  readonly topic: string;
  /**
   * True if users other than recipients can read the message. Event queues with `all_public_streams` then receive it
   * too.
   */
  readonly isPublic: boolean;
}
