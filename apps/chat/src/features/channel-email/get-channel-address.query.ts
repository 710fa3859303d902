import { Inject, Injectable } from '@nestjs/common';
import type { PepperedSecretDigester } from '@switchboard/auth';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ChatConfig } from '../../config.js';
import { createPepperFromConfig, type PepperEnvironmentVariables } from '../../infra/key-ring.js';
import { createBadRequestError } from '../../errors.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { listChannels } from '../../core/channels/index.js';
import { getChannelDestination } from '../../core/messages/index.js';
import { createChannelEmailLocalPart } from './channel-email-address.js';

/** Returns the email addresses of channels, to which users can send messages (docs/contract/chat.md 2.E). */
@Injectable()
export class GetChannelEmailAddress {
  readonly #pepper: PepperedSecretDigester;

  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: PepperEnvironmentVariables &
      Pick<ChatConfig, 'INCOMING_MAIL_DOMAIN'>,
  ) {
    this.#pepper = createPepperFromConfig(config);
  }

  /**
   * Returns a channel's email address for the requester. The address encodes recipient and sender, and cannot be
   * forged. Nothing is stored.
   *
   * @param origin origin of the request, for realms without a host
   * @throws ApplicationError BAD_REQUEST for a hidden channel, or one that the requester may not read or post to
   */
  run(actor: ChatActor, channelId: number, senderId: number | undefined, origin: string): Promise<{ email: string }> {
    return this.database.inTransaction(async (tx) => {
      const [row] = await listChannels(tx, actor, { channelIds: [channelId] });
      if (row?.content_readable !== true) throw createBadRequestError('Invalid channel ID');
      const { channel } = await getChannelDestination(tx, actor, { id: channelId });
      const { sender, host } = await getChannelEmailSender(tx, actor, senderId);
      const ids = { channelId, creatorId: actor.id, senderId: sender };
      const mailbox = createChannelEmailLocalPart(this.#pepper, actor.realmId, channel.name, ids);
      return { email: `${mailbox}@${this.config.INCOMING_MAIL_DOMAIN ?? host ?? new URL(origin).hostname}` };
    });
  }
}

/**
 * Returns the account that sends messages for emails to a channel's address. The default is Notification Bot, or the
 * requesting user in a realm without that bot.
 *
 * @throws ApplicationError BAD_REQUEST
 */
async function getChannelEmailSender(tx: Tx, actor: ChatActor, senderId: number | undefined) {
  const { rows } = await tx.query<{ sender: number; host: string | null }>(
    `SELECT u.id AS sender, r.host FROM users u JOIN realms r ON r.id = u.realm_id
     WHERE r.id = $1 AND u.is_active AND CASE WHEN $3::bigint IS NULL
       THEN u.id = $2 OR (u.is_system_bot AND u.delivery_email_key LIKE 'notification-bot@%')
       ELSE u.id = $3 AND (u.id = $2 OR u.bot_owner_id = $2
         OR (u.is_system_bot AND u.delivery_email_key LIKE 'notification-bot@%')) END
     ORDER BY u.is_system_bot DESC LIMIT 1`,
    [actor.realmId, actor.id, senderId ?? null],
  );
  const [row] = rows;
  if (row === undefined) throw createBadRequestError('Invalid sender_id');
  return row;
}
