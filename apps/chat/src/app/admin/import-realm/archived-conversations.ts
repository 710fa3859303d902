import type { Tx } from '@switchboard/database';
import { createDirectConversationLookupKey } from '../../../core/messages/index.js';
import { AdminError } from '../admin-error.js';
import type { RealmImportContext, ImportedChannels, ImportedUsers } from './import-context.js';

/** Numbers in the column `type` of archived recipients for personal, channel and group conversations. */
const archivedRecipientTypeNumbers = { personal: 1, channel: 2, group: 3 } as const;

/**
 * A conversation in the archive: a channel, or a direct conversation with the user ids of its participants in ascending
 * order.
 */
export type ArchivedConversation = { readonly channelId: number } | { readonly participants: readonly number[] };

type ArchivedRecipient = { readonly channelId: number } | { readonly userId: number } | { readonly groupOf: number[] };

/**
 * Maps recipients in the archive to recipients in this service. The archive has one recipient per user, for all direct
 * messages to that user. This service has one recipient per pair of users.
 */
export class ArchivedConversationMap {
  readonly #recipients = new Map<number, ArchivedRecipient>();
  readonly #idsByChannel = new Map<number, number>();
  readonly #idsByParticipants = new Map<string, number>();

  private constructor(private readonly realmId: number) {}

  /** Reads the recipients of the archive, and the recipient rows of the imported channels. */
  static async read(
    { tx, realmId, archive: { tables } }: RealmImportContext,
    users: ImportedUsers,
    channels: ImportedChannels,
  ): Promise<ArchivedConversationMap> {
    const conversations = new ArchivedConversationMap(realmId);
    const recipients = conversations.#recipients;
    for await (const rows of tables.readTableInBatches('zerver_recipient')) {
      for (const row of rows) {
        const [type, target] = [row.readInteger('type'), row.readId('type_id')];
        if (type === archivedRecipientTypeNumbers.channel && channels.has(target))
          recipients.set(row.readId(), { channelId: target });
        if (type === archivedRecipientTypeNumbers.personal && users.has(target))
          recipients.set(row.readId(), { userId: target });
        if (type === archivedRecipientTypeNumbers.group) recipients.set(row.readId(), { groupOf: [] });
      }
    }
    for (const bot of await tables.readTable('zerver_userprofile_crossrealm')) {
      const id = bot.readOptionalId('recipient_id');
      if (id !== null && users.has(bot.readId())) recipients.set(id, { userId: bot.readId() });
    }
    for await (const rows of tables.readTableInBatches('zerver_subscription')) {
      for (const row of rows) {
        const recipient = recipients.get(row.readId('recipient'));
        const userId = row.readId('user_profile');
        if (recipient !== undefined && 'groupOf' in recipient && users.has(userId)) recipient.groupOf.push(userId);
      }
    }
    const { rows } = await tx.query<{ id: number; channel_id: number }>(
      'SELECT id, channel_id FROM recipients WHERE realm_id = $1',
      [realmId],
    );
    for (const row of rows) conversations.#idsByChannel.set(row.channel_id, row.id);
    return conversations;
  }

  /** Returns the conversation of an archived message or draft; null if the archive does not contain its recipient. */
  find(recipientId: number, senderId: number): ArchivedConversation | null {
    const recipient = this.#recipients.get(recipientId);
    if (recipient === undefined) return null;
    if ('channelId' in recipient) return recipient;
    const ids = 'userId' in recipient ? [recipient.userId, senderId] : recipient.groupOf;
    return ids.length === 0 ? null : { participants: [...new Set(ids)].toSorted((a, b) => a - b) };
  }

  /** Creates recipient rows for direct conversations that have no recipient row yet. */
  async addMissingRecipientRows(tx: Tx, conversations: readonly ArchivedConversation[]): Promise<void> {
    const missing = new Map<string, readonly number[]>();
    for (const conversation of conversations) {
      if (!('participants' in conversation)) continue;
      const key = createDirectConversationLookupKey(conversation.participants);
      if (!this.#idsByParticipants.has(key)) missing.set(key, conversation.participants);
    }
    if (missing.size === 0) return;
    const rows = [...missing].map(([key, ids]) => ({ key, ids }));
    const { rows: added } = await tx.query<{ id: number; participants_key: string }>(
      `INSERT INTO recipients (realm_id, participants_key, participant_ids)
       SELECT $1, sent.key, sent.ids FROM json_to_recordset($2::json) AS sent(key text, ids int[])
       RETURNING id, participants_key`,
      [this.realmId, JSON.stringify(rows)],
    );
    for (const { id, participants_key: key } of added) this.#idsByParticipants.set(key, id);
  }

  /**
   * Returns the id of the recipient row of a conversation. Must be called after {@link addMissingRecipientRows}, which
   * creates missing rows.
   */
  getRecipientId(conversation: ArchivedConversation): number {
    const id =
      'channelId' in conversation
        ? this.#idsByChannel.get(conversation.channelId)
        : this.#idsByParticipants.get(createDirectConversationLookupKey(conversation.participants));
    if (id === undefined) throw new AdminError('The archive refers to a conversation that it does not contain.');
    return id;
  }

  /**
   * Returns the id of the channel that an archived recipient represents; null if the recipient represents direct
   * messages.
   */
  findChannelIdOfRecipient(recipientId: number): number | null {
    const recipient = this.#recipients.get(recipientId);
    return recipient !== undefined && 'channelId' in recipient ? recipient.channelId : null;
  }
}
