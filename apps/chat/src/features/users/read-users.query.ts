import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { type ChatActor, userRoleNumbers } from '../../infra/http/chat-actor.js';
import { findUsers } from '../../core/access/find-users.js';
import { listUsersHiddenFromViewer } from '../../core/access/user-visibility.js';
import { chatErrors } from '../../errors.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import type { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import { SnapshotDataCache } from '../../events/snapshot-memory/index.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  findRealmThatAllowsSpectators,
  listUsers,
  getNewestReceivedMessageId,
  createGetUsersListSource,
  createNoSuchUserError,
  toWireUserForSpectator,
  toWireUser,
  parseUserPathReference,
  type UserViewOptions,
  type WireUser,
} from '../../core/users/index.js';
import type { getUserParameters, listUsersParameters } from './users.schemas.js';

type ListUsersParameters = DecodedParametersOfDefinition<typeof listUsersParameters>;

/** Query class that returns the results of GET /users, GET /users/me and GET /users/{user_id_or_email}. */
@Injectable()
export class ReadUsers {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly parts: SnapshotDataCache,
  ) {}

  /**
   * Lists users and bots of the realm, except system bots (chat-4.5-2) and users who are hidden from a guest (feature
   * level 437).
   * @param actor null for a client without an account
   * @throws ApplicationError UNAUTHORIZED for a client without an account, unless the realm allows spectators
   */
  async listVisibleUsers(
    actor: ChatActor | null,
    host: string,
    parameters: ListUsersParameters,
  ): Promise<{ members: WireUser[] | JsonBytes }> {
    if (actor === null) return this.#listForSpectator(host, parameters);
    const view = createUserResponseOptions(actor, parameters);
    if (parameters.user_ids === undefined || parameters.user_ids === null) {
      return { members: await this.#listAll(actor, view) };
    }
    const users = await listUsers(this.database, actor.realmId, parameters.user_ids, view);
    const hidden = await listUsersHiddenFromViewer(this.database, actor);
    return {
      members: users.filter((user) => !user.isSystemBot && !hidden.has(user.id)).map((user) => toWireUser(user, view)),
    };
  }

  async #listAll(actor: ChatActor, view: UserViewOptions): Promise<JsonBytes> {
    const rows = await this.parts.getCurrentValue(createGetUsersListSource(actor, view));
    // Hidden users are read after the list, so that every hidden account in the list is found.
    const hidden = await listUsersHiddenFromViewer(this.database, actor);
    // The list shows the actor's account as others see it, so that entry is replaced.
    const [own] = await listUsers(this.database, actor.realmId, [actor.id], view);
    return rows.toJsonArray({
      ...(hidden.size === 0 ? {} : { shows: (id) => !hidden.has(id) }),
      replaced: new Map(own && [[own.id, JSON.stringify(toWireUser(own, view))]]),
    });
  }

  /**
   * Returns an account by id or email address.
   *
   * @throws ApplicationError BAD_REQUEST `No such user`, also for hidden accounts
   */
  async getUser(
    actor: ChatActor,
    user: string,
    parameters: DecodedParametersOfDefinition<typeof getUserParameters>,
  ): Promise<{ user: WireUser }> {
    const reference = parseUserPathReference(user);
    const id = (await findUsers(this.database, actor, [reference], { lock: false })).get(reference)?.id;
    const options = { customFields: parameters.include_custom_profile_fields };
    const [found] = id === undefined ? [] : await listUsers(this.database, actor.realmId, [id], options);
    if (found === undefined) throw createNoSuchUserError();
    return { user: toWireUser(found, createUserResponseOptions(actor, parameters)) };
  }

  /**
   * Returns the actor's own account, with the id of the newest message that the actor received (docs/contract/chat.md
   * 2.F).
   */
  async getOwnUser(actor: ChatActor): Promise<WireUser & { max_message_id: number }> {
    const [user] = await listUsers(this.database, actor.realmId, [actor.id], { customFields: true });
    // The account was deleted after its credentials were checked.
    if (user === undefined) throw chatErrors.create('INVALID_API_KEY');
    const view = { viewer: actor, clientGravatar: false, customFields: true };
    return { ...toWireUser(user, view), max_message_id: await getNewestReceivedMessageId(this.database, actor.id) };
  }

  async #listForSpectator(host: string, parameters: ListUsersParameters): Promise<{ members: WireUser[] }> {
    const realm = await findRealmThatAllowsSpectators(this.database, host);
    if (realm === null) throw chatErrors.create('UNAUTHORIZED');
    const viewer = { id: 0, role: userRoleNumbers.guest, fakeEmailDomain: realm.fakeEmailDomain };
    const users = await listUsers(this.database, realm.id, parameters.user_ids ?? null);
    return { members: users.filter((user) => !user.isSystemBot).map((user) => toWireUserForSpectator(user, viewer)) };
  }
}

function createUserResponseOptions(
  viewer: ChatActor,
  parameters: DecodedParametersOfDefinition<typeof getUserParameters>,
) {
  return {
    viewer,
    clientGravatar: parameters.client_gravatar,
    customFields: parameters.include_custom_profile_fields,
  };
}
