import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { userGroupPermissionNames, userGroupPermissionSettings } from '../access/permission-settings.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { lockUserGroupForChange, requireGroupPermission } from './lock-group-for-change.js';
import { checkUserGroupName, createTakenGroupNameError } from './check-group-name.js';
import type { UserGroupWithPermissions } from './groups.repository.js';
import { readWireUserGroup } from './read-wire-group.js';
import { removeReplacedAnonymousGroups } from './permission-groups.repository.js';
import { type ChangedGroupPermission, storeGroupPermissionChanges } from './store-group-settings.js';
import { userGroupDeactivationEvent, userGroupUpdateEvent } from './user-groups.events.js';
import type { updateUserGroupParameters } from './user-groups.schemas.js';
import { lockRealmMembership } from '../database-locks.js';

type UpdateUserGroupParameters = DecodedParametersOfDefinition<typeof updateUserGroupParameters>;

/**
 * Changes the name, description and permissions of a user group, or reactivates a deactivated group
 * (docs/contract/chat.md 2.F).
 */
@Injectable()
export class UpdateUserGroup {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Changes the properties of the user group with the given id.
   *
   * @throws ApplicationError BAD_REQUEST, EXPECTATION_MISMATCH, SYSTEM_GROUP_REQUIRED
   */
  async run(actor: ChatActor, groupId: number, parameters: UpdateUserGroupParameters): Promise<void> {
    if (Object.values(parameters).every((value) => value === undefined))
      throw createBadRequestError('No new data supplied');
    const name = parameters.name === undefined ? undefined : checkUserGroupName(parameters.name);
    try {
      await this.database.inTransaction(async (tx) => {
        await lockRealmMembership(tx, actor.realmId, 'exclusive');
        const accessed = await lockUserGroupForChange(tx, actor, groupId, {
          deactivated: parameters.deactivated === false,
        });
        requireGroupPermission(accessed);
        if (accessed.group.deactivated) await this.#reactivate(tx, actor, accessed.group);
        await this.#update(tx, actor, accessed.group, { ...parameters, name });
      });
    } catch (error) {
      if (name !== undefined && convertErrorToDatabaseFault(error)?.kind === 'unique')
        throw createTakenGroupNameError(name);
      throw error;
    }
  }

  async #reactivate(tx: Tx, actor: ChatActor, group: UserGroupWithPermissions): Promise<void> {
    await tx.query('UPDATE user_groups SET deactivated = false WHERE id = $1', [group.id]);
    chatAudit.add(tx, 'group_reactivated', { id: group.id });
    const payload = { group: await readWireUserGroup(tx, actor.realmId, group.id) };
    this.events.write(tx, actor.realmId, userGroupDeactivationEvent, { audience: { all: true }, payload });
  }

  async #update(
    tx: Tx,
    actor: ChatActor,
    group: UserGroupWithPermissions,
    requested: UpdateUserGroupParameters,
  ): Promise<void> {
    const settings = await changeUserGroupPermissions(tx, actor.realmId, group, requested);
    const change = {
      ...(requested.name !== undefined && requested.name !== group.name && { name: requested.name }),
      ...(requested.description !== undefined &&
        requested.description !== group.description && { description: requested.description }),
      ...Object.fromEntries(settings.map(({ name, value }) => [name, value])),
    };
    if (Object.keys(change).length === 0) return;
    const before = {
      ...(change.name !== undefined && { name: group.name }),
      ...(change.description !== undefined && { description: group.description }),
      ...Object.fromEntries(settings.map((setting) => [setting.name, setting.before])),
    };
    chatAudit.add(tx, 'group_changed', { id: group.id, before, after: change });
    await writeUserGroupChange(tx, group.id, change, settings);
    await removeReplacedAnonymousGroups(tx, settings);
    const payload = { groupId: group.id, deactivated: false, change };
    this.events.write(tx, actor.realmId, userGroupUpdateEvent, { audience: { all: true }, payload });
  }
}

function changeUserGroupPermissions(
  tx: Tx,
  realmId: number,
  group: UserGroupWithPermissions,
  requested: UpdateUserGroupParameters,
): Promise<ChangedGroupPermission[]> {
  const changes = userGroupPermissionNames.flatMap((name) => {
    const change = requested[name];
    if (change === undefined) return [];
    return [
      {
        name,
        setting: userGroupPermissionSettings[name],
        groupId: group[`${name}_id`],
        change: removeUndefinedOldPermissionValue(change),
      },
    ];
  });
  return storeGroupPermissionChanges(tx, realmId, changes);
}

/**
 * Removes the key `old` from the change of a permission if its value is undefined. A missing key and an undefined value
 * have different meanings.
 */
function removeUndefinedOldPermissionValue<T>({ new: requested, old }: { new: T; old?: T | undefined }): {
  new: T;
  old?: T;
} {
  return { new: requested, ...(old !== undefined && { old }) };
}

async function writeUserGroupChange(
  tx: Tx,
  groupId: number,
  change: { readonly name?: string; readonly description?: string },
  settings: readonly ChangedGroupPermission[],
): Promise<void> {
  const columns = settings.map(({ name }, index) => `, ${name}_id = $${index + 4}`);
  await tx.query(
    `UPDATE user_groups SET name = coalesce($2, name), description = coalesce($3, description)${columns.join('')}
     WHERE id = $1`,
    [groupId, change.name ?? null, change.description ?? null, ...settings.map((setting) => setting.groupId)],
  );
}
