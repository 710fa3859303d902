import { Inject, Injectable } from '@nestjs/common';
import { Pepper } from '@switchboard/auth';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/actor.js';
import type { ChatConfig } from '../../config.js';
import { badRequest } from '../../errors.js';
import { CHAT_CONFIG, DATABASE } from '../../tokens.js';
import { listChannels } from '../../core/channels/index.js';
import { getChannelDestination } from '../../core/messages/index.js';

/**
 * Number of hexadecimal digits of the digest in a channel's email address: 80 bits, the most that a mailbox name has
 * room for.
 */
const digestLength = 20;

/** Maximum length of the channel name in a channel's email address. */
const longestName = 20;

/** Returns email addresses of channels (docs/contract/chat.md 2.E). */
@Injectable()
export class GetChannelAddress {
  readonly #pepper: Pepper;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CHAT_CONFIG) config: Pick<ChatConfig, 'SECRET_PEPPERS'>,
  ) {
    this.#pepper = new Pepper(Object.fromEntries(config.SECRET_PEPPERS));
  }

  /**
   * Returns a channel's email address for the requester. The address encodes recipient and sender, and cannot be
   * forged. Nothing is stored.
   *
   * @param origin origin of the request, for realms without a host
   * @throws AppError BAD_REQUEST for a hidden channel, or one that the requester may not read or post to
   */
  run(actor: ChatActor, channelId: number, senderId: number | undefined, origin: string): Promise<{ email: string }> {
    return this.database.inTransaction(async (tx) => {
      const [row] = await listChannels(tx, actor, { channelIds: [channelId] });
      if (row?.content_readable !== true) throw badRequest('Invalid channel ID');
      const { channel } = await getChannelDestination(tx, actor, { id: channelId });
      const { sender, host } = await getSender(tx, actor, senderId);
      const ids = [channelId, actor.id, sender].map((id) => id.toString(36)).join('-');
      const { digest } = this.#pepper.digest(`channel-email:${actor.realmId}:${ids}`);
      const token = `${ids}-${digest.slice(0, digestLength)}`;
      const name = nameOf(channel.name);
      const mailbox = [...(name === '' ? [] : [name]), token, 'show-sender'].join('.');
      return { email: `${mailbox}@${host ?? new URL(origin).hostname}` };
    });
  }
}

/**
 * Returns the account that counts as the sender of emails to the address. By default this is Notification Bot.
 *
 * @throws AppError BAD_REQUEST
 */
async function getSender(tx: Tx, actor: ChatActor, senderId: number | undefined) {
  const { rows } = await tx.query<{ sender: number; host: string | null }>(
    `SELECT u.id AS sender, r.host FROM users u JOIN realms r ON r.id = u.realm_id
     WHERE r.id = $1 AND u.is_active AND CASE WHEN $3::bigint IS NULL
       THEN u.is_system_bot AND u.delivery_email_key LIKE 'notification-bot@%'
       ELSE u.id = $3 AND (u.id = $2 OR u.bot_owner_id = $2
         OR (u.is_system_bot AND u.delivery_email_key LIKE 'notification-bot@%')) END`,
    [actor.realmId, actor.id, senderId ?? null],
  );
  const [row] = rows;
  if (row === undefined) throw badRequest('Invalid sender_id');
  return row;
}

/** Returns the channel name as it appears in the address, without characters that confuse mail programs. */
function nameOf(channel: string): string {
  const words = channel.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, longestName);
}
