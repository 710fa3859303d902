import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { translateDatabaseError } from '@switchboard/errors';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { toActorRights, requirePermission } from '../access/actor-rights.js';
import { type GroupPermission, groupPermissions, groupPermissionSettings } from '../access/permission-settings.js';
import { ChatEvents } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import { DATABASE } from '../../tokens.js';
import { checkGroupName, createGroupNameTakenError } from './check-group-name.js';
import type { GroupSettingValue } from './group-setting-value.js';
import { permissionColumns } from './groups.repository.js';
import { addDirectMembers, addDirectSubgroups, checkSubgroups } from './memberships.repository.js';
import { readWireGroup } from './read-wire-group.js';
import { lockMembers } from './permission-groups.repository.js';
import { storeGroupSettings } from './store-group-settings.js';
import { getSystemGroups } from './system-groups.js';
import { userGroupAddEvent } from './user-groups.events.js';
import type { createGroupParameters } from './user-groups.schemas.js';
import { lockRealmMembership } from '../database-locks.js';

type CreateGroupParameters = ParametersOf<typeof createGroupParameters>;

/** Permissions of a new group that only its creator has initially (docs/contract/chat.md 6.3). */
const creatorOnlyPermissions: readonly GroupPermission[] = ['can_manage_group', 'can_add_members_group'];

/** Creates a user group with members, subgroups and permissions for a request. */
@Injectable()
export class CreateGroup {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly events: ChatEvents,
  ) {}

  /**
   * Creates a user group, and returns the id of the group.
   *
   * @throws AppError BAD_REQUEST, SYSTEM_GROUP_REQUIRED
   */
  async run(actor: ChatActor, parameters: CreateGroupParameters): Promise<{ group_id: number }> {
    const name = checkGroupName(parameters.name);
    try {
      return await this.database.inTransaction(async (tx) => {
        await lockRealmMembership(tx, actor.realmId, 'exclusive');
        requirePermission(await toActorRights(tx, actor), 'can_create_groups');
        const members = [...new Set(parameters.members)];
        await lockMembers(tx, actor.realmId, members);
        const groupId = await insertGroup(tx, actor, name, parameters);
        await addDirectMembers(tx, groupId, members);
        await checkSubgroups(tx, actor.realmId, groupId, parameters.subgroups);
        await addDirectSubgroups(tx, groupId, [...new Set(parameters.subgroups)]);
        const payload = { group: await readWireGroup(tx, actor.realmId, groupId) };
        this.events.write(tx, actor.realmId, userGroupAddEvent, { audience: { all: true }, payload });
        chatAudit.add(tx, 'group_created', { id: groupId, members, subgroups: parameters.subgroups });
        return { group_id: groupId };
      });
    } catch (error) {
      if (translateDatabaseError(error)?.kind === 'unique') throw createGroupNameTakenError(name);
      throw error;
    }
  }
}

async function insertGroup(tx: Tx, actor: ChatActor, name: string, parameters: CreateGroupParameters): Promise<number> {
  const systemGroups = await getSystemGroups(tx, actor.realmId);
  const initial = (permission: GroupPermission): GroupSettingValue =>
    creatorOnlyPermissions.includes(permission)
      ? { direct_members: [actor.id], direct_subgroups: [] }
      : (systemGroups.get(groupPermissionSettings[permission].initial) ?? 0);
  const requested = groupPermissions.map((permission) => ({
    name: permission,
    setting: groupPermissionSettings[permission],
    value: parameters[permission] ?? initial(permission),
  }));
  const stored = await storeGroupSettings(tx, actor.realmId, requested);
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO user_groups (realm_id, kind, name, description, creator_id, date_created, ${permissionColumns.join(', ')})
     VALUES ($1, 'named', $2, $3, $4, now(), ${permissionColumns.map((_, index) => `$${index + 5}`).join(', ')})
     RETURNING id`,
    [actor.realmId, name, parameters.description, actor.id, ...stored.map(({ groupId }) => groupId)],
  );
  return rows[0]?.id ?? 0;
}
