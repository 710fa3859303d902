import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { MessageRenderer, defaultRealmMarkdownSettings } from '../../infra/markdown/index.js';
import { MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import { lockChannels, type LockedChannel } from '../../core/channels/index.js';
import { ClientProgramIdCache, internalClientName, postNotificationBotMessage } from '../../core/messages/index.js';

/** Name of the topic of messages that announce new channels. */
const channelAnnouncementTopic = 'new channels';

/** Announces new channels in the realm's announcement channel. */
@Injectable()
export class AnnounceNewChannels {
  constructor(
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
    private readonly clients: ClientProgramIdCache,
  ) {}

  /**
   * Creates the database row of the client program that sends announcements, if the row does not exist. Returns the id
   * of the row. Must be called before the transaction, because the row must remain if the transaction fails.
   */
  createAnnouncementClientRow(): Promise<number> {
    return this.clients.getClientId(internalClientName);
  }

  /**
   * Returns the id of the announcement channel; null for a realm without such a channel. Callers use the id to lock the
   * announcement channel together with other channels. The caller must have locked the realm membership.
   */
  async findAnnouncementChannelId(tx: Tx, realmId: number): Promise<number | null> {
    const { rows } = await tx.query<{ id: number | null }>(
      'SELECT new_stream_announcements_channel_id AS id FROM realms WHERE id = $1',
      [realmId],
    );
    return rows[0]?.id ?? null;
  }

  /**
   * Posts one message that announces the created channels that are not private. Posts nothing if the realm has no
   * announcement channel.
   */
  async postAnnouncement(tx: Tx, actor: ChatActor, created: readonly LockedChannel[], clientId: number): Promise<void> {
    const names = created.filter((channel) => !channel.is_private).map(({ name }) => `#**${name}**`);
    const place = names.length === 0 ? undefined : await lockAnnouncementChannel(tx, actor);
    if (place === undefined) return;
    const what = names.length === 1 ? 'a new channel' : 'new channels';
    await postNotificationBotMessage(
      tx,
      { events: this.events, renderer: this.renderer, realm: defaultRealmMarkdownSettings },
      {
        realmId: actor.realmId,
        recipientId: place.channel.recipient_id,
        channel: { id: place.channel.id, name: place.channel.name },
        isPublic: !place.channel.is_private,
        topic: channelAnnouncementTopic,
        content: `@_**${place.creator}|${actor.id}** made ${what}: ${names.join(', ')}.`,
        clientId,
      },
    );
  }
}

/** Locks the realm's announcement channel, and reads the name of the user who created the channels. */
async function lockAnnouncementChannel(
  tx: Tx,
  actor: ChatActor,
): Promise<{ channel: LockedChannel; creator: string } | undefined> {
  const { rows } = await tx.query<{ id: number | null; full_name: string }>(
    `SELECT r.new_stream_announcements_channel_id AS id, u.full_name FROM realms r JOIN users u ON u.realm_id = r.id
     WHERE r.id = $1 AND u.id = $2`,
    [actor.realmId, actor.id],
  );
  const [row] = rows;
  if (row === undefined || row.id === null) return undefined;
  const [channel] = await lockChannels(tx, actor.realmId, { ids: [row.id] }, 'subscribers');
  return channel === undefined || channel.is_archived ? undefined : { channel, creator: row.full_name };
}
