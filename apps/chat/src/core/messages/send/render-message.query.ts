import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { MessageRenderer } from '../../../infra/markdown/index.js';
import { DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../../tokens.js';
import { RealmMarkdownSettingsCache } from '../../realm-markdown-settings/index.js';
import { normalizeMessageContent } from './normalize-message-text.js';
import { resolveMarkdownNames } from './resolve-markdown-names.js';

/**
 * Handles POST /messages/render: returns the HTML that a message would have if it were sent (docs/contract/chat.md
 * 2.C).
 */
@Injectable()
export class RenderMessage {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly contents: RealmMarkdownSettingsCache,
  ) {}

  /**
   * Returns the HTML of a message with the given Markdown content.
   *
   * @throws ApplicationError BAD_REQUEST for content that cannot be sent
   */
  async run(actor: ChatActor, content: string, origin: string): Promise<{ rendered: string }> {
    if (content.trim() === '') return { rendered: '' };
    const parsed = this.renderer.parse(
      normalizeMessageContent(content),
      await this.contents.get(actor.realmId, origin),
    );
    const names = await resolveMarkdownNames(this.database, actor, parsed);
    return { rendered: this.renderer.render(parsed, names).html };
  }
}
