import type { Database, Tx } from '@switchboard/database';
import { type ClientProgramIdCache, internalClientName, postSystemBotMessage } from '../../core/messages/index.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import { defaultRealmMarkdownSettings, type MessageRenderer } from '../../infra/markdown/index.js';
import { recordDeliveredMail } from './delivered-channel-mail.repository.js';

export interface MailRefusalNotificationDependencies {
  readonly database: Database;
  readonly events: ChatEventWriter;
  readonly renderer: MessageRenderer;
  readonly clients: Pick<ClientProgramIdCache, 'getClientId'>;
}

/** An email that could not be posted to one of its recipients, although the server confirms the email. */
export interface RefusedChannelMail {
  /** Address of the channel to which the email was not posted. */
  readonly recipient: string;
  /** User id of the user for whom the channel's address was created. */
  readonly creatorId: number;
  /** Text of the email's From header. */
  readonly from: string;
  readonly subject: string;
  /** Reason of the refusal, as a sentence or error message. */
  readonly reason: string;
  /** Digest of the recipient and the email, which identifies repetitions of the email. */
  readonly digest: string;
}

/**
 * Sends a message of Notification Bot about an email that was not posted to one of its recipients. The message is sent
 * to the user for whom the channel's address was created, or to the organization's owners if this user is deactivated.
 * A repeated email causes no second message.
 */
export async function notifyOfRefusedMail(
  { database, events, renderer, clients }: MailRefusalNotificationDependencies,
  refused: RefusedChannelMail,
): Promise<void> {
  const clientId = await clients.getClientId(internalClientName);
  const content = createMailRefusalText(refused);
  await database.inTransaction(async (tx) => {
    if (!(await recordDeliveredMail(tx, refused.digest))) return;
    for (const { id: userId, realmId } of await listRefusalRecipients(tx, refused.creatorId)) {
      const notice = { realmId, bot: 'notification-bot', userId, content, clientId } as const;
      await postSystemBotMessage(tx, { events, renderer, realm: defaultRealmMarkdownSettings }, notice);
    }
  });
}

/** Lists the users who are notified of refused emails. The list is empty if the organization is deactivated. */
async function listRefusalRecipients(tx: Tx, creatorId: number): Promise<{ id: number; realmId: number }[]> {
  const { rows } = await tx.query<{ id: number; realmId: number }>(
    `SELECT u.id, u.realm_id AS "realmId"
     FROM users creator JOIN realms r ON r.id = creator.realm_id JOIN users u ON u.realm_id = r.id
     WHERE creator.id = $1 AND NOT r.deactivated AND u.is_active AND u.bot_type IS NULL
       AND (u.id = creator.id OR (NOT creator.is_active AND u.role = ${userRoleNumbers.owner}))
     ORDER BY u.id`,
    [creatorId],
  );
  return rows;
}

/** Returns the text of the message. A code block contains the header values, because the sender chose them. */
function createMailRefusalText({ recipient, from, subject, reason }: RefusedChannelMail): string {
  const headers = Object.entries({ From: from, Subject: subject, To: recipient });
  const lines = headers.map(([name, value]) => `${name}: ${toSingleLine(value)}`);
  return `An email to a channel was not posted: ${reason}\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\``;
}

function toSingleLine(value: string): string {
  return value
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, 500)
    .toWellFormed();
}
