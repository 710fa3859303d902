import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { MessageRenderer, defaultRealmMarkdownSettings } from '../../infra/markdown/index.js';
import { MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import type { AddedSubscription, LockedChannel } from '../../core/channels/index.js';
import { postSystemBotMessage } from '../../core/messages/index.js';
import { removeAsterisksFromName } from './channel-change-notices.js';
import { groupUsersByChannel } from './write-subscriptions.js';

/**
 * Maximum number of new subscribers to notify in one request (`max_bulk_new_subscription_messages` of
 * docs/contract/chat.md 4.3).
 */
const maxNotifiedSubscribersPerRequest = 100;

/**
 * New subscriptions, and the channels of the subscriptions, about which users are notified. The rows of the users are
 * locked.
 */
export interface NewSubscriptionsToAnnounce {
  readonly added: readonly AddedSubscription[];
  readonly channels: readonly LockedChannel[];
  /** Database id of the client program under which the service itself sends messages. */
  readonly clientId: number;
}

/**
 * Notifies newly subscribed users by direct message. The message names the user who subscribed the recipient, and the
 * channels.
 */
@Injectable()
export class NewSubscriberNotifier {
  constructor(
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Sends a direct message to each new subscriber except the actor and bots.
   *
   * @returns false, without sending, if there are too many subscribers
   */
  async sendNewSubscriptionMessages(
    tx: Tx,
    actor: ChatActor,
    { added, channels, clientId }: NewSubscriptionsToAnnounce,
  ): Promise<boolean> {
    const others = added.filter((row) => row.user_id !== actor.id);
    const people = await listSubscribersToNotify(tx, actor, [...new Set(others.map((row) => row.user_id))]);
    if (people.ids.length > maxNotifiedSubscribersPerRequest) return false;
    const subscribed = groupUsersByChannel(others);
    for (const userId of people.ids) {
      const names = channels.filter(({ id }) => subscribed.get(id)?.includes(userId)).map(formatChannelName);
      await postSystemBotMessage(
        tx,
        { events: this.events, renderer: this.renderer, realm: defaultRealmMarkdownSettings },
        {
          realmId: actor.realmId,
          bot: 'notification-bot',
          userId,
          content: createNewSubscriptionMessageText(people.actor, names),
          clientId,
        },
      );
    }
    return true;
  }
}

/**
 * Lists the newly subscribed users, sorted by id, without bots. All transactions lock conversations in this order,
 * which avoids deadlocks. Also returns the mention of the actor.
 */
async function listSubscribersToNotify(
  tx: Tx,
  actor: ChatActor,
  userIds: readonly number[],
): Promise<{ actor: string; ids: readonly number[] }> {
  if (userIds.length === 0) return { actor: '', ids: [] };
  const { rows } = await tx.query<{ full_name: string; ids: number[] | null }>(
    `SELECT full_name, (SELECT array_agg(id ORDER BY id) FROM users WHERE id = ANY($2) AND bot_type IS NULL) AS ids
     FROM users WHERE id = $1`,
    [actor.id, userIds],
  );
  const [row] = rows;
  return { actor: `@_**${row?.full_name ?? ''}|${actor.id}**`, ids: row?.ids ?? [] };
}

/**
 * Returns the name of a channel as Markdown. Private channels are not linked, because the bot that sends the message
 * cannot read private channels.
 */
function formatChannelName({ name, is_private: isPrivate }: LockedChannel): string {
  return isPrivate ? `**${removeAsterisksFromName(name)}**` : `#**${name}**`;
}

function createNewSubscriptionMessageText(who: string, names: readonly string[]): string {
  if (names.length === 1) return `${who} subscribed you to the channel ${names[0]}.`;
  return [`${who} subscribed you to these channels:`, '', ...names.map((name) => `* ${name}`)].join('\n');
}
