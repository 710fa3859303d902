import type { Database } from '@switchboard/database';
import type { CredentialOwner } from '../../../core/access/credential-owner.js';
import { type ClientProgramIdCache, internalClientName, type SendMessage } from '../../../core/messages/index.js';
import type { RealmMarkdownSettingsCache } from '../../../core/realm-markdown-settings/index.js';
import type { RealmMarkdownRenderingSettings } from '../../../infra/markdown/index.js';
import { type DueMessage, readAccounts } from './due-messages.repository.js';

type MessagePreparedForSending = Awaited<ReturnType<SendMessage['parseMessageBeforeTransaction']>>;

export interface PrepareScheduledDeliveryDependencies {
  readonly database: Database;
  readonly sendMessage: Pick<SendMessage, 'parseMessageBeforeTransaction'>;
  readonly contents: Pick<RealmMarkdownSettingsCache, 'get'>;
  readonly clients: Pick<ClientProgramIdCache, 'getClientId'>;
}

/** A due scheduled message with the data that are read before rows are locked. */
export interface PreparedScheduledMessage {
  readonly due: DueMessage;
  /** Id of the realm of the scheduled message's author. */
  readonly realmId: number;
  /** Markdown settings of the author's realm, with which messages of Notification Bot are rendered. */
  readonly realm: RealmMarkdownRenderingSettings;
  /** Database id of the client program under which the service itself sends messages. */
  readonly clientId: number;
  /** The parsed scheduled message; null for reminders, and for messages that could not be parsed. */
  readonly message: MessagePreparedForSending | null;
  /** Error that the preparation of the scheduled message threw; undefined after success. */
  readonly error: unknown;
  /**
   * True if sending the message may lock topic policies or uploaded files. The send must then be the last send of the
   * transaction.
   */
  readonly endsTransaction: boolean;
}

/**
 * Prepares due messages: reads accounts, parses messages, and matches alert words. Acquires no row locks, because some
 * of the data is read over other database connections.
 *
 * @throws Error if the database is unavailable
 */
export async function prepareScheduledMessages(
  parts: PrepareScheduledDeliveryDependencies,
  messages: readonly DueMessage[],
): Promise<PreparedScheduledMessage[]> {
  const accounts = await readAccounts(parts.database, [...new Set(messages.map(({ userId }) => userId))]);
  const clientId = await parts.clients.getClientId(internalClientName);
  const prepared: PreparedScheduledMessage[] = [];
  for (const due of messages) {
    const author = accounts.get(due.userId);
    // The account and its scheduled messages were deleted after the messages were listed.
    if (author === undefined) continue;
    const realm = await parts.contents.get(author.realmId);
    prepared.push({
      due,
      realmId: author.realmId,
      realm,
      clientId,
      ...(await prepareScheduledMessageForSending(parts, author, due)),
    });
  }
  return prepared;
}

async function prepareScheduledMessageForSending(
  { sendMessage }: PrepareScheduledDeliveryDependencies,
  author: CredentialOwner,
  due: DueMessage,
): Promise<Pick<PreparedScheduledMessage, 'message' | 'error' | 'endsTransaction'>> {
  const { type, topic, content, readBySender, client } = due;
  if (type === 'reminder') return { message: null, error: undefined, endsTransaction: false };
  const to = JSON.stringify(type === 'stream' ? due.toIds[0] : due.toIds);
  try {
    const parameters = { type, to, topic, content, read_by_sender: readBySender };
    const message = await sendMessage.parseMessageBeforeTransaction(author, parameters, { client });
    const { candidates, uploadPaths } = message.parsed;
    const mentionsUsers = candidates.some((candidate) => candidate.kind === 'user' && !candidate.silent);
    return { message, error: undefined, endsTransaction: mentionsUsers || uploadPaths.length > 0 };
  } catch (error) {
    return { message: null, error, endsTransaction: false };
  }
}
