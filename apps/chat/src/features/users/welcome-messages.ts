import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '@switchboard/database';
import { ChatEventWriter } from '../../events/chat-events.js';
import { type MessageRenderer, defaultRealmMarkdownSettings } from '../../infra/markdown/index.js';
import { MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import { ClientProgramIdCache, internalClientName, postSystemBotMessage } from '../../core/messages/index.js';

/** Sends welcome messages to new users (docs/contract/chat.md 6.5). */
@Injectable()
export class WelcomeMessageSender {
  constructor(
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
    private readonly clients: ClientProgramIdCache,
  ) {}

  /**
   * Creates the database row of the client program that sends welcome messages, if the row does not exist. Returns the
   * id of the row. Must be called before the transaction, because the row must remain if the transaction fails.
   */
  createClientOfWelcomeMessages(): Promise<number> {
    return this.clients.getClientId(internalClientName);
  }

  /**
   * Sends a direct message of Welcome Bot, with the welcome text of the realm. Returns the id of the message; null in a
   * realm without Welcome Bot.
   * @param ownText text that replaces the welcome text of the realm; null for no replacement
   */
  async sendWelcomeMessage(
    tx: Tx,
    realmId: number,
    userId: number,
    clientId: number,
    ownText: string | null,
  ): Promise<number | null> {
    const { rows } = await tx.query<{ name: string; text: string }>(
      `SELECT name, coalesce(settings ->> 'welcome_message_custom_text', '') AS text FROM realms WHERE id = $1`,
      [realmId],
    );
    const [realm] = rows;
    if (realm === undefined) return null;
    const paragraphs = [
      `Hello, and welcome to **${realm.name.replaceAll('*', '')}**! I am a bot: ask me nothing, read what follows.`,
      ownText ?? realm.text,
      'People talk here in channels, each conversation under a topic of its own. Open a channel to see what is going on.',
    ];
    const content = paragraphs.filter((paragraph) => paragraph.trim() !== '').join('\n\n');
    return this.#post(tx, { realmId, bot: 'welcome-bot', userId, content, clientId });
  }

  /** Sends the inviter of a new user a message that the user has joined. */
  async notifyInviterOfNewUser(
    tx: Tx,
    realmId: number,
    joined: { readonly inviterId: number; readonly userId: number; readonly fullName: string },
    clientId: number,
  ): Promise<void> {
    const content = `@_**${joined.fullName}|${joined.userId}** accepted your invitation.`;
    await this.#post(tx, { realmId, bot: 'notification-bot', userId: joined.inviterId, content, clientId });
  }

  async #post(tx: Tx, notice: Parameters<typeof postSystemBotMessage>[2]): Promise<number | null> {
    const dependencies = { events: this.events, renderer: this.renderer, realm: defaultRealmMarkdownSettings };
    const posted = await postSystemBotMessage(tx, dependencies, notice);
    return posted?.inserted.id ?? null;
  }
}
