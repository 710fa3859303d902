import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import { lockRealm } from '../../core/database-locks.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { validatePlaygroundFields } from './check-playground-fields.js';
import { playgroundsEvent } from './playgrounds.events.js';
import { addPlayground, listPlaygrounds, removePlayground } from './playgrounds.repository.js';
import type { addPlaygroundParameters } from './playgrounds.schemas.js';
import type { WirePlayground } from './wire-playground.js';

// Maximum number of playgrounds in a realm, because each event and snapshot contains all of them.
const maxPlaygrounds = 100;

/** Adds and removes the code playgrounds of a realm (docs/contract/chat.md 2.H). */
@Injectable()
export class PlaygroundsService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Adds a code playground.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  add(actor: ChatActor, sent: DecodedParametersOfDefinition<typeof addPlaygroundParameters>): Promise<{ id: number }> {
    return this.#change(actor, async (tx, playgrounds) => {
      const fields = validatePlaygroundFields(sent, playgrounds);
      if (playgrounds.length >= maxPlaygrounds)
        throw createBadRequestError(`There are ${maxPlaygrounds} playgrounds already.`);
      return { id: await addPlayground(tx, actor.realmId, fields) };
    });
  }

  /**
   * Removes a code playground.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  async remove(actor: ChatActor, id: number): Promise<void> {
    await this.#change(actor, async (tx, playgrounds) => {
      if (!playgrounds.some((playground) => playground.id === id)) throw createBadRequestError('Invalid playground');
      await removePlayground(tx, id);
    });
  }

  /**
   * Runs a change of the realm's code playgrounds in a transaction, and emits an event with all playgrounds to all
   * users. Concurrent changes run one after another.
   */
  #change<T>(actor: ChatActor, run: (tx: ChatTransaction, playgrounds: WirePlayground[]) => Promise<T>): Promise<T> {
    const { realmId } = actor;
    return this.database.inTransaction(async (tx) => {
      await lockRealm(tx, realmId);
      requireAdmin(await loadActorRights(tx, actor));
      const done = await run(tx, await listPlaygrounds(tx, realmId));
      const payload = { realm_playgrounds: await listPlaygrounds(tx, realmId) };
      this.events.write(tx, realmId, playgroundsEvent, { audience: { all: true }, payload });
      return done;
    });
  }
}
