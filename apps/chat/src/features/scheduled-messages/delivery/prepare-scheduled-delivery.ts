import type { Database } from '@switchboard/database';
import type { CredentialOwner } from '../../../core/access/credential-owner.js';
import { type StoredClientNames, internalClientName, type SendMessage } from '../../../core/messages/index.js';
import type { RealmMarkdownSettings } from '../../../core/realm-markdown-settings/index.js';
import type { RealmContent } from '../../../infra/markdown/index.js';
import { type DueMessage, readAccounts } from './due-messages.repository.js';

type PreparedMessage = Awaited<ReturnType<SendMessage['prepare']>>;

/** Dependencies of {@link prepareDeliveries}. */
export interface PreparationDependencies {
  readonly database: Database;
  readonly sendMessage: Pick<SendMessage, 'prepare'>;
  readonly contents: Pick<RealmMarkdownSettings, 'get'>;
  readonly clients: Pick<StoredClientNames, 'getClientId'>;
}

/** A due message with the data that is read before any row is locked. */
export interface PreparedDelivery {
  readonly due: DueMessage;
  /** Realm of the message's author. */
  readonly realmId: number;
  /** Markdown settings of the realm, for messages of Notification Bot. */
  readonly realm: RealmContent;
  /** Id of the client row for messages that the service itself sends. */
  readonly clientId: number;
  /** The parsed message; null for reminders, and for messages that could not be parsed. */
  readonly message: PreparedMessage | null;
  /** Error that the preparation of the message threw; undefined after success. */
  readonly error: unknown;
  /**
   * True if the send may lock topic policies or uploaded files, so that it must be the last send of its transaction.
   */
  readonly endsTransaction: boolean;
}

/**
 * Prepares due messages: reads accounts, parses messages, and matches alert words. Takes no locks, because some of the
 * data is read over other connections.
 *
 * @throws Error if the database is unavailable
 */
export async function prepareDeliveries(
  parts: PreparationDependencies,
  messages: readonly DueMessage[],
): Promise<PreparedDelivery[]> {
  const accounts = await readAccounts(parts.database, [...new Set(messages.map(({ userId }) => userId))]);
  const clientId = await parts.clients.getClientId(internalClientName);
  const prepared: PreparedDelivery[] = [];
  for (const due of messages) {
    const author = accounts.get(due.userId);
    // The account, with its scheduled messages, was deleted meanwhile.
    if (author === undefined) continue;
    const realm = await parts.contents.get(author.realmId);
    prepared.push({ due, realmId: author.realmId, realm, clientId, ...(await prepareMessage(parts, author, due)) });
  }
  return prepared;
}

async function prepareMessage(
  { sendMessage }: PreparationDependencies,
  author: CredentialOwner,
  due: DueMessage,
): Promise<Pick<PreparedDelivery, 'message' | 'error' | 'endsTransaction'>> {
  const { type, topic, content, readBySender, client } = due;
  if (type === 'reminder') return { message: null, error: undefined, endsTransaction: false };
  const to = JSON.stringify(type === 'stream' ? due.toIds[0] : due.toIds);
  try {
    const parameters = { type, to, topic, content, read_by_sender: readBySender };
    const message = await sendMessage.prepare(author, parameters, { client });
    const { candidates, uploadPaths } = message.parsed;
    const mentionsUsers = candidates.some((candidate) => candidate.kind === 'user' && !candidate.silent);
    return { message, error: undefined, endsTransaction: mentionsUsers || uploadPaths.length > 0 };
  } catch (error) {
    return { message: null, error, endsTransaction: false };
  }
}
