import { Inject, Injectable } from '@nestjs/common';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireAdmin } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { RealmMarkdownSettingsCache } from '../../core/realm-markdown-settings/index.js';
import { validateLinkifierFields } from './check-linkifier-fields.js';
import { linkifiersEvent } from './linkifiers.events.js';
import { lockLinkifiers } from '../../core/database-locks.js';
import { writeRowPositions } from '../../core/replication-write-positions.js';
import { addLinkifier, listLinkifiers, removeLinkifier, updateLinkifier } from './linkifiers.repository.js';
import type { addLinkifierParameters } from './linkifiers.schemas.js';
import type { WireLinkifier } from './wire-linkifier.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';

// Maximum number of linkifiers in a realm, because each is searched for in every message.
const maxLinkifiers = 100;

/** Lists and changes the linkifiers of a realm (docs/contract/chat.md 2.H). */
@Injectable()
export class LinkifiersService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly events: ChatEventWriter,
    private readonly contents: RealmMarkdownSettingsCache,
  ) {}

  /** Lists the linkifiers of the realm in their configured order. */
  async list(actor: ChatActor): Promise<{ linkifiers: WireLinkifier[] }> {
    return { linkifiers: await listLinkifiers(this.database, actor.realmId) };
  }

  /**
   * Adds a linkifier to the realm, after the existing linkifiers.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  add(actor: ChatActor, sent: DecodedParametersOfDefinition<typeof addLinkifierParameters>): Promise<{ id: number }> {
    return this.#changeInTransaction(actor, async (tx, linkifiers) => {
      const fields = validateLinkifierFields(sent, linkifiers);
      if (linkifiers.length >= maxLinkifiers)
        throw createBadRequestError(`There are ${maxLinkifiers} linkifiers already.`);
      return { id: await addLinkifier(tx, actor.realmId, fields) };
    });
  }

  /**
   * Changes the fields of a linkifier of the realm.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  async update(
    actor: ChatActor,
    id: number,
    sent: DecodedParametersOfDefinition<typeof addLinkifierParameters>,
  ): Promise<void> {
    await this.#changeInTransaction(actor, async (tx, linkifiers) => {
      requireKnownLinkifier(linkifiers, id);
      const others = linkifiers.filter((linkifier) => linkifier.id !== id);
      await updateLinkifier(tx, id, validateLinkifierFields(sent, others));
    });
  }

  /**
   * Removes a linkifier from the realm.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL, BAD_REQUEST
   */
  async remove(actor: ChatActor, id: number): Promise<void> {
    await this.#changeInTransaction(actor, async (tx, linkifiers) => {
      requireKnownLinkifier(linkifiers, id);
      await removeLinkifier(tx, id);
    });
  }

  /**
   * Changes the order of the linkifiers.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL; BAD_REQUEST unless `order` contains each linkifier once
   */
  async reorder(actor: ChatActor, order: readonly number[]): Promise<void> {
    await this.#changeInTransaction(actor, async (tx, linkifiers) => {
      const named = new Set(order);
      const isWhole = named.size === order.length && linkifiers.every(({ id }) => named.has(id));
      if (!isWhole || order.length !== linkifiers.length) {
        throw createBadRequestError('The ordered list must enumerate all existing linkifiers exactly once');
      }
      await writeRowPositions(tx, 'realm_linkifiers', order);
    });
  }

  /**
   * Runs a change of the realm's linkifiers in a transaction, and emits the changed list of linkifiers to all users.
   * Concurrent changes run one after another.
   */
  async #changeInTransaction<T>(
    actor: ChatActor,
    run: (tx: ChatTransaction, linkifiers: WireLinkifier[]) => Promise<T>,
  ): Promise<T> {
    const { realmId } = actor;
    const result = await this.database.inTransaction(async (tx) => {
      requireAdmin(await loadActorRights(tx, actor));
      await lockLinkifiers(tx, realmId);
      const done = await run(tx, await listLinkifiers(tx, realmId));
      const payload = { linkifiers: await listLinkifiers(tx, realmId) };
      this.events.write(tx, realmId, linkifiersEvent, { audience: { all: true }, payload });
      return done;
    });
    await this.contents.invalidate(realmId);
    return result;
  }
}

function requireKnownLinkifier(linkifiers: readonly WireLinkifier[], id: number): void {
  if (!linkifiers.some((linkifier) => linkifier.id === id)) throw createBadRequestError('Linkifier not found.');
}
