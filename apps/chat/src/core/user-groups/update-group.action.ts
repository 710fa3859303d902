import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { translateDatabaseError } from '@switchboard/errors';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { groupPermissions, groupPermissionSettings } from '../access/permission-settings.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { chatAudit } from '../../infra/audit-trail.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import { DATABASE } from '../../tokens.js';
import { lockGroupForChange, requireGroupPermission } from './lock-group-for-change.js';
import { checkGroupName, createGroupNameTakenError } from './check-group-name.js';
import type { GroupSettings } from './groups.repository.js';
import { readWireGroup } from './read-wire-group.js';
import { removeReplacedGroups } from './permission-groups.repository.js';
import { type ChangedGroupSetting, changeGroupSettings } from './store-group-settings.js';
import { userGroupDeactivationEvent, userGroupUpdateEvent } from './user-groups.events.js';
import type { updateGroupParameters } from './user-groups.schemas.js';
import { lockRealmMembership } from '../database-locks.js';

type UpdateGroupParameters = ParametersOf<typeof updateGroupParameters>;

/**
 * Changes the name, description and permissions of a user group, or reactivates a deactivated group
 * (docs/contract/chat.md 2.F).
 */
@Injectable()
export class UpdateGroup {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly events: ChatEvents,
  ) {}

  /**
   * Changes the properties of the user group with the given id.
   *
   * @throws AppError BAD_REQUEST, EXPECTATION_MISMATCH, SYSTEM_GROUP_REQUIRED
   */
  async run(actor: ChatActor, groupId: number, parameters: UpdateGroupParameters): Promise<void> {
    if (Object.values(parameters).every((value) => value === undefined))
      throw createBadRequestError('No new data supplied');
    const name = parameters.name === undefined ? undefined : checkGroupName(parameters.name);
    try {
      await this.database.inTransaction(async (tx) => {
        await lockRealmMembership(tx, actor.realmId, 'exclusive');
        const accessed = await lockGroupForChange(tx, actor, groupId, {
          deactivated: parameters.deactivated === false,
        });
        requireGroupPermission(accessed);
        if (accessed.group.deactivated) await this.#reactivate(tx, actor, accessed.group);
        await this.#update(tx, actor, accessed.group, { ...parameters, name });
      });
    } catch (error) {
      if (name !== undefined && translateDatabaseError(error)?.kind === 'unique') throw createGroupNameTakenError(name);
      throw error;
    }
  }

  async #reactivate(tx: Tx, actor: ChatActor, group: GroupSettings): Promise<void> {
    await tx.query('UPDATE user_groups SET deactivated = false WHERE id = $1', [group.id]);
    chatAudit.add(tx, 'group_reactivated', { id: group.id });
    const payload = { group: await readWireGroup(tx, actor.realmId, group.id) };
    this.events.write(tx, actor.realmId, userGroupDeactivationEvent, { audience: { all: true }, payload });
  }

  async #update(tx: Tx, actor: ChatActor, group: GroupSettings, requested: UpdateGroupParameters): Promise<void> {
    const settings = await changeGroupPermissions(tx, actor.realmId, group, requested);
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
    await writeGroupChange(tx, group.id, change, settings);
    await removeReplacedGroups(tx, settings);
    const payload = { groupId: group.id, deactivated: false, change };
    this.events.write(tx, actor.realmId, userGroupUpdateEvent, { audience: { all: true }, payload });
  }
}

function changeGroupPermissions(
  tx: Tx,
  realmId: number,
  group: GroupSettings,
  requested: UpdateGroupParameters,
): Promise<ChangedGroupSetting[]> {
  const changes = groupPermissions.flatMap((name) => {
    const change = requested[name];
    if (change === undefined) return [];
    return [
      {
        name,
        setting: groupPermissionSettings[name],
        groupId: group[`${name}_id`],
        change: removeUndefinedOldValue(change),
      },
    ];
  });
  return changeGroupSettings(tx, realmId, changes);
}

/**
 * Removes the key `old` from the change of a permission if its value is undefined, because a missing key and an
 * undefined value have different meanings.
 */
function removeUndefinedOldValue<T>({ new: requested, old }: { new: T; old?: T | undefined }): { new: T; old?: T } {
  return { new: requested, ...(old !== undefined && { old }) };
}

async function writeGroupChange(
  tx: Tx,
  groupId: number,
  change: { readonly name?: string; readonly description?: string },
  settings: readonly ChangedGroupSetting[],
): Promise<void> {
  const columns = settings.map(({ name }, index) => `, ${name}_id = $${index + 4}`);
  await tx.query(
    `UPDATE user_groups SET name = coalesce($2, name), description = coalesce($3, description)${columns.join('')}
     WHERE id = $1`,
    [groupId, change.name ?? null, change.description ?? null, ...settings.map((setting) => setting.groupId)],
  );
}
