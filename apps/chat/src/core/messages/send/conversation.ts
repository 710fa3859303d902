import type { PersonRecord } from '../wire/message-record.js';

/** Resolved destination of a message. */
export interface Conversation {
  readonly recipientId: number;
  /** The string_id of the realm. */
  readonly realm: string;
  readonly sender: PersonRecord;
  /** Channel of the message; null for direct messages. */
  readonly channel: { readonly id: number; readonly name: string } | null;
  /** Participants of a direct message, including the sender; empty for channels. */
  readonly participants: readonly PersonRecord[];
  readonly topic: string;
  /** True if users other than recipients can read the message: queues with all_public_streams receive it too. */
  readonly isPublic: boolean;
}
