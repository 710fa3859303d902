import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { MessageRenderer, defaultRealmMarkdownSettings } from '../../infra/markdown/index.js';
import { MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import {
  type ChannelChangeWithAudiences,
  ChannelNotificationMessagePoster,
  type LockedChannel,
} from '../../core/channels/index.js';
import {
  ClientProgramIdCache,
  internalClientName,
  postNotificationBotMessage,
  checkEmptyTopicPolicy,
} from '../../core/messages/index.js';
import { createChannelChangeSentences } from './channel-change-notices.js';

/** Name of the topic of Notification Bot's messages about changes of a channel. */
const channelChangeMessagesTopicName = 'channel events';

/** Posts messages of Notification Bot about changes of a channel to a fixed topic of the channel. */
@Injectable()
export class ChannelChangeMessagePoster extends ChannelNotificationMessagePoster {
  constructor(
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
    private readonly clients: ClientProgramIdCache,
  ) {
    super();
  }

  createInternalClientRow(): Promise<number> {
    return this.clients.getClientId(internalClientName);
  }

  /** Posts one message of Notification Bot to a channel for each changed property of the channel. */
  async postChannelChanges(
    tx: Tx,
    actor: ChatActor,
    change: ChannelChangeWithAudiences,
    clientId: number,
  ): Promise<void> {
    if (await areChannelNotificationsDisabled(tx, change.channel)) return;
    const texts = await createChannelChangeSentences(tx, await formatSilentMention(tx, actor), change);
    const channel: LockedChannel = { ...change.channel, ...change.columns };
    for (const content of texts) await this.#post(tx, channel, content, clientId);
  }

  async postChannelArchived(tx: Tx, actor: ChatActor, channel: LockedChannel, clientId: number): Promise<void> {
    if (await areChannelNotificationsDisabled(tx, channel)) return;
    await this.#post(tx, channel, `${await formatSilentMention(tx, actor)} archived this channel.`, clientId);
  }

  #post(tx: Tx, channel: LockedChannel, content: string, clientId: number): Promise<void> {
    return postNotificationBotMessage(
      tx,
      { events: this.events, renderer: this.renderer, realm: defaultRealmMarkdownSettings },
      {
        realmId: channel.realm_id,
        recipientId: channel.recipient_id,
        channel: { id: channel.id, name: channel.name },
        isPublic: !channel.is_private,
        topic: checkEmptyTopicPolicy(channelChangeMessagesTopicName, channel.topics_policy),
        content,
        clientId,
      },
    );
  }
}

/**
 * Returns true if the channel gets no messages about changes. Either the realm disables the messages
 * (`send_channel_events_messages`), or the channel has no messages yet.
 */
async function areChannelNotificationsDisabled(tx: Tx, channel: LockedChannel): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT 1 FROM realms r
     WHERE r.id = $2 AND coalesce((r.settings ->> 'send_channel_events_messages')::boolean, true)
       AND EXISTS (SELECT 1 FROM messages WHERE recipient_id = $1)`,
    [channel.recipient_id, channel.realm_id],
  );
  return rowCount === 0;
}

/** Returns the Markdown of a silent mention of the actor. */
async function formatSilentMention(tx: Tx, actor: ChatActor): Promise<string> {
  const { rows } = await tx.query<{ full_name: string }>('SELECT full_name FROM users WHERE id = $1', [actor.id]);
  return `@_**${rows[0]?.full_name ?? ''}|${actor.id}**`;
}
