import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../../infra/http/chat-actor.js';
import { MessageRenderer } from '../../../infra/markdown/index.js';
import { DATABASE, RENDERER } from '../../../tokens.js';
import { RealmMarkdownSettings } from '../../realm-markdown-settings/index.js';
import { messageContentSchema } from './normalize-message-text.js';
import { resolveMarkdownNames } from './resolve-markdown-names.js';

/**
 * Handles POST /messages/render: returns the HTML that a message would have if it were sent (docs/contract/chat.md
 * 2.C).
 */
@Injectable()
export class RenderMessage {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(RENDERER) private readonly renderer: MessageRenderer,
    private readonly contents: RealmMarkdownSettings,
  ) {}

  /**
   * Returns the HTML of a message with the given Markdown content.
   *
   * @throws AppError BAD_REQUEST for content that cannot be sent
   */
  async run(actor: ChatActor, content: string, origin: string): Promise<{ rendered: string }> {
    if (content.trim() === '') return { rendered: '' };
    const parsed = this.renderer.parse(messageContentSchema(content), await this.contents.get(actor.realmId, origin));
    const names = await resolveMarkdownNames(this.database, actor, parsed);
    return { rendered: this.renderer.render(parsed, names).html };
  }
}
