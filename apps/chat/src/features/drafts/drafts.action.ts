import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { ChatConfig } from '../../config.js';
import { CHAT_CONFIG_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { requireUserRowsBelowLimit } from '../../infra/personal-limits/index.js';
import { toCheckedDrafts } from './check-drafts.js';
import { draftsAddEvent, draftsRemoveEvent, draftsUpdateEvent } from './drafts.events.js';
import {
  addDrafts,
  lockAndGetDraftSynchronization,
  removeDraft,
  updateDraft,
  readDraftsAsJson,
  type UserDraftsJson,
} from './drafts.repository.js';
import type { SentDraft } from './drafts.schemas.js';

/** Stores the drafts of users. All clients of a user share the user's drafts (chat-4.13, docs/contract/chat.md 2.D). */
@Injectable()
export class DraftsService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'DRAFTS_PER_USER'>,
  ) {}

  /** Lists the actor's drafts, ordered by the time of the last edit, oldest first. */
  list(actor: ChatActor): Promise<UserDraftsJson> {
    return this.database.inTransaction((tx) => readDraftsAsJson(tx, actor.id), {
      isolation: 'repeatable read',
      readOnly: true,
    });
  }

  /**
   * Stores new drafts of the actor. If one draft is invalid, no draft is stored.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async add(actor: ChatActor, sent: readonly SentDraft[]): Promise<{ ids: number[] }> {
    return this.#inSynchronizedTransaction(actor, async (tx) => {
      const drafts = await addDrafts(tx, actor.id, await toCheckedDrafts(tx, actor, sent));
      if (drafts.length > 0) {
        await requireUserRowsBelowLimit(tx, actor.id, { table: 'drafts', limit: this.config.DRAFTS_PER_USER });
        this.events.write(tx, actor.realmId, draftsAddEvent, { audience: { users: [actor.id] }, payload: { drafts } });
      }
      return { ids: drafts.map(({ id }) => id) };
    });
  }

  /**
   * Replaces a draft of the actor.
   *
   * @throws ApplicationError NOT_FOUND, BAD_REQUEST
   */
  async update(actor: ChatActor, draftId: number, sent: SentDraft): Promise<void> {
    await this.#inSynchronizedTransaction(actor, async (tx) => {
      const [checked = sent] = await toCheckedDrafts(tx, actor, [sent]);
      const draft = await updateDraft(tx, actor.id, draftId, checked);
      if (draft === null) throw createNoSuchDraftError();
      this.events.write(tx, actor.realmId, draftsUpdateEvent, { audience: { users: [actor.id] }, payload: { draft } });
    });
  }

  /**
   * Deletes a draft of the actor.
   *
   * @throws ApplicationError NOT_FOUND, BAD_REQUEST
   */
  async remove(actor: ChatActor, draftId: number): Promise<void> {
    await this.#inSynchronizedTransaction(actor, async (tx) => {
      if (!(await removeDraft(tx, actor.id, draftId))) throw createNoSuchDraftError();
      const payload = { draftIds: [draftId] };
      this.events.write(tx, actor.realmId, draftsRemoveEvent, { audience: { users: [actor.id] }, payload });
    });
  }

  #inSynchronizedTransaction<T>(actor: ChatActor, run: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.inTransaction(async (tx) => {
      if (!(await lockAndGetDraftSynchronization(tx, actor.id)))
        throw createBadRequestError('User has disabled synchronizing drafts.');
      return run(tx);
    });
  }
}

function createNoSuchDraftError(): Error {
  return chatErrors.create('NOT_FOUND', { message: 'Draft does not exist' });
}
