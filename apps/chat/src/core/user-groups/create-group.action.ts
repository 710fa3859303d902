import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, requireActorRealmPermission } from '../access/actor-rights.js';
import {
  type UserGroupPermissionName,
  userGroupPermissionNames,
  userGroupPermissionSettings,
} from '../access/permission-settings.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { checkUserGroupName, createTakenGroupNameError } from './check-group-name.js';
import type { GroupPermissionValue } from './group-setting-value.js';
import { userGroupPermissionColumns } from './groups.repository.js';
import {
  addDirectUserGroupMembers,
  addDirectUserGroupSubgroups,
  checkNewUserGroupSubgroups,
} from './memberships.repository.js';
import { readWireUserGroup } from './read-wire-group.js';
import { lockUsersAgainstDeactivation } from './permission-groups.repository.js';
import { storeGroupPermissions } from './store-group-settings.js';
import { readSystemGroupIds } from './system-groups.js';
import { userGroupAddEvent } from './user-groups.events.js';
import type { createUserGroupParameters } from './user-groups.schemas.js';
import { lockRealmMembership } from '../database-locks.js';

type CreateUserGroupParameters = DecodedParametersOfDefinition<typeof createUserGroupParameters>;

/** Permissions of a new group that only its creator has initially (docs/contract/chat.md 6.3). */
const initialCreatorOnlyGroupPermissions: readonly UserGroupPermissionName[] = [
  'can_manage_group',
  'can_add_members_group',
];

/** Creates a user group with members, subgroups and permissions for a request. */
@Injectable()
export class CreateUserGroup {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Creates a user group, and returns the id of the group.
   *
   * @throws ApplicationError BAD_REQUEST, SYSTEM_GROUP_REQUIRED
   */
  async run(actor: ChatActor, parameters: CreateUserGroupParameters): Promise<{ group_id: number }> {
    const name = checkUserGroupName(parameters.name);
    try {
      return await this.database.inTransaction(async (tx) => {
        await lockRealmMembership(tx, actor.realmId, 'exclusive');
        requireActorRealmPermission(await loadActorRights(tx, actor), 'can_create_groups');
        const members = [...new Set(parameters.members)];
        await lockUsersAgainstDeactivation(tx, actor.realmId, members);
        const groupId = await insertUserGroup(tx, actor, name, parameters);
        await addDirectUserGroupMembers(tx, groupId, members);
        await checkNewUserGroupSubgroups(tx, actor.realmId, groupId, parameters.subgroups);
        await addDirectUserGroupSubgroups(tx, groupId, [...new Set(parameters.subgroups)]);
        const payload = { group: await readWireUserGroup(tx, actor.realmId, groupId) };
        this.events.write(tx, actor.realmId, userGroupAddEvent, { audience: { all: true }, payload });
        chatAudit.add(tx, 'group_created', { id: groupId, members, subgroups: [...new Set(parameters.subgroups)] });
        return { group_id: groupId };
      });
    } catch (error) {
      if (convertErrorToDatabaseFault(error)?.kind === 'unique') throw createTakenGroupNameError(name);
      throw error;
    }
  }
}

async function insertUserGroup(
  tx: Tx,
  actor: ChatActor,
  name: string,
  parameters: CreateUserGroupParameters,
): Promise<number> {
  const systemGroups = await readSystemGroupIds(tx, actor.realmId);
  const initial = (permission: UserGroupPermissionName): GroupPermissionValue =>
    initialCreatorOnlyGroupPermissions.includes(permission)
      ? { direct_members: [actor.id], direct_subgroups: [] }
      : (systemGroups.get(userGroupPermissionSettings[permission].initial) ?? 0);
  const requested = userGroupPermissionNames.map((permission) => ({
    name: permission,
    setting: userGroupPermissionSettings[permission],
    value: parameters[permission] ?? initial(permission),
  }));
  const stored = await storeGroupPermissions(tx, actor.realmId, requested);
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO user_groups (realm_id, kind, name, description, creator_id, date_created, ${userGroupPermissionColumns.join(', ')})
     VALUES ($1, 'named', $2, $3, $4, now(), ${userGroupPermissionColumns.map((_, index) => `$${index + 5}`).join(', ')})
     RETURNING id`,
    [actor.realmId, name, parameters.description, actor.id, ...stored.map(({ groupId }) => groupId)],
  );
  return rows[0]?.id ?? 0;
}
