import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { rejectGuests } from '../access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import type { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import { SnapshotDataCache } from '../../events/snapshot-memory/index.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { createUserGroupListSource } from './group-list-cache.js';
import { doesUserGroupExist, listUserGroupMemberIds, listUserGroupSubgroupIds } from './groups.repository.js';

/** Reads user groups and their members (docs/contract/chat.md 2.F). Rejects requests of guests. */
@Injectable()
export class ReadUserGroups {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly parts: SnapshotDataCache,
  ) {}

  /**
   * Lists the named and system groups of the realm.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async list(
    actor: ChatActor,
    parameters: { readonly include_deactivated_groups: boolean },
  ): Promise<{ user_groups: JsonBytes }> {
    rejectGuests(actor);
    const { active, withDeactivated } = await this.parts.getCurrentValue(createUserGroupListSource(actor.realmId));
    return { user_groups: parameters.include_deactivated_groups ? withDeactivated : active };
  }

  /**
   * Lists the ids of a user group's active members.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async listMembers(
    actor: ChatActor,
    groupId: number,
    parameters: { readonly direct_member_only: boolean },
  ): Promise<{ members: number[] }> {
    await this.#checkGroup(actor, groupId);
    return { members: await listUserGroupMemberIds(this.database, groupId, parameters.direct_member_only) };
  }

  /**
   * Returns whether a user is a member of a user group.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async isMember(
    actor: ChatActor,
    groupId: number,
    userId: number,
    parameters: { readonly direct_member_only: boolean },
  ): Promise<{ is_user_group_member: boolean }> {
    await this.#checkGroup(actor, groupId);
    const { rows } = await this.database.query('SELECT 1 FROM users WHERE realm_id = $1 AND id = $2::bigint', [
      actor.realmId,
      userId,
    ]);
    if (rows.length === 0) throw createBadRequestError('No such user');
    const members = await listUserGroupMemberIds(this.database, groupId, parameters.direct_member_only);
    return { is_user_group_member: members.includes(userId) };
  }

  /**
   * Lists the ids of a user group's subgroups.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async listSubgroups(
    actor: ChatActor,
    groupId: number,
    parameters: { readonly direct_subgroup_only: boolean },
  ): Promise<{ subgroups: number[] }> {
    await this.#checkGroup(actor, groupId);
    return { subgroups: await listUserGroupSubgroupIds(this.database, groupId, parameters.direct_subgroup_only) };
  }

  async #checkGroup(actor: ChatActor, groupId: number): Promise<void> {
    rejectGuests(actor);
    if (!(await doesUserGroupExist(this.database, actor.realmId, groupId)))
      throw createBadRequestError('Invalid user group');
  }
}
