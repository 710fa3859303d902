import type { PersonRecord } from '../wire/message-record.js';

/** Resolved destination of a message. */
export interface Conversation {
  readonly recipientId: number;
  /** string_id of the realm. */
  readonly realm: string;
  readonly sender: PersonRecord;
  /** Null for direct messages. */
  readonly channel: { readonly id: number; readonly name: string } | null;
  /** The people of a direct message, the sender among them; empty for channels. */
  readonly participants: readonly PersonRecord[];
  readonly topic: string;
  /** Whether people who do not receive it may read it: queues for all public channels get it too. */
  readonly isPublic: boolean;
}
