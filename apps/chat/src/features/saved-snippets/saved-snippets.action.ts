import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { parseRequiredText } from '../../infra/http/parse-text-parameters.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import type { ChatDatabaseWithPrisma } from '../../infra/open-prisma.js';
import type { ChatConfig } from '../../config.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { requireUserRowsBelowLimit } from '../../infra/personal-limits/index.js';
import { snippetAddEvent, snippetRemoveEvent, snippetUpdateEvent } from './saved-snippets.events.js';
import { addSnippet, listSnippets, removeSnippet, updateSnippet } from './saved-snippets.repository.js';
import {
  type addSnippetParameters,
  savedSnippetLengthLimits,
  type updateSnippetParameters,
} from './saved-snippets.schemas.js';
import type { WireSavedSnippet } from './wire-saved-snippet.js';

/** Lists, adds, changes and removes saved snippets, which users insert into messages (docs/contract/chat.md 2.D). */
@Injectable()
export class SavedSnippetsService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly events: ChatEventWriter,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'SNIPPETS_PER_USER'>,
  ) {}

  /** Lists the actor's saved snippets, oldest first. */
  async list(actor: ChatActor): Promise<{ saved_snippets: WireSavedSnippet[] }> {
    return { saved_snippets: await listSnippets(this.database, actor.id) };
  }

  /**
   * Adds a saved snippet for the actor.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  add(
    actor: ChatActor,
    sent: DecodedParametersOfDefinition<typeof addSnippetParameters>,
  ): Promise<{ saved_snippet_id: number }> {
    const title = parseRequiredText('title', sent.title, savedSnippetLengthLimits.title);
    const content = parseRequiredText('content', sent.content, savedSnippetLengthLimits.content);
    return this.database.inTransaction(async (tx) => {
      const snippet = await addSnippet(tx, actor.id, title, content);
      await requireUserRowsBelowLimit(tx, actor.id, { table: 'saved_snippets', limit: this.config.SNIPPETS_PER_USER });
      const payload = { saved_snippet: snippet };
      this.events.write(tx, actor.realmId, snippetAddEvent, { audience: { users: [actor.id] }, payload });
      return { saved_snippet_id: snippet.id };
    });
  }

  /**
   * Changes a saved snippet of the actor.
   *
   * @throws ApplicationError NOT_FOUND, BAD_REQUEST
   */
  async update(
    actor: ChatActor,
    id: number,
    sent: DecodedParametersOfDefinition<typeof updateSnippetParameters>,
  ): Promise<void> {
    if (sent.title === undefined && sent.content === undefined) throw createBadRequestError('No new data supplied');
    const texts = {
      ...(sent.title !== undefined && {
        title: parseRequiredText('title', sent.title, savedSnippetLengthLimits.title),
      }),
      ...(sent.content !== undefined && {
        content: parseRequiredText('content', sent.content, savedSnippetLengthLimits.content),
      }),
    };
    await this.database.inTransaction(async (tx) => {
      const snippet = await updateSnippet(tx, actor.id, id, texts);
      if (snippet === null) throw createNoSuchSnippetError();
      const payload = { saved_snippet: snippet };
      this.events.write(tx, actor.realmId, snippetUpdateEvent, { audience: { users: [actor.id] }, payload });
    });
  }

  /**
   * Removes a saved snippet of the actor.
   *
   * @throws ApplicationError NOT_FOUND
   */
  async remove(actor: ChatActor, id: number): Promise<void> {
    await this.database.inTransaction(async (tx) => {
      if (!(await removeSnippet(tx, actor.id, id))) throw createNoSuchSnippetError();
      const payload = { saved_snippet_id: id };
      this.events.write(tx, actor.realmId, snippetRemoveEvent, { audience: { users: [actor.id] }, payload });
    });
  }
}

function createNoSuchSnippetError(): Error {
  return chatErrors.create('NOT_FOUND', { message: 'Saved snippet does not exist.' });
}
