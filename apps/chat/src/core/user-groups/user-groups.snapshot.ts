import { z } from 'zod';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart } from '../../events/define-snapshot-part.js';
import { type CachedUserGroupListJson, createUserGroupListSource } from './group-list-cache.js';
import { wireUserGroupSchema } from './wire-user-group.js';

/** Returns all groups of the realm. Uses the cache of snapshot data if nothing has changed. */
export function readUserGroupsForSnapshot({ parts, actor }: SnapshotContext): Promise<CachedUserGroupListJson> {
  return parts.get(createUserGroupListSource(actor.realmId));
}

/**
 * Part of the POST /register response with the realm's user groups. Includes deactivated groups only for clients that
 * support them.
 */
const userGroupsSnapshotPart = defineSnapshotPart({
  types: ['realm_user_groups'],
  maintainedBy: ['user_group'],
  shape: { realm_user_groups: z.array(wireUserGroupSchema) },
  async read(context) {
    const { active, withDeactivated } = await readUserGroupsForSnapshot(context);
    return {
      realm_user_groups: context.form.client_capabilities.include_deactivated_groups ? withDeactivated : active,
    };
  },
});

/** Parts of the POST /register response about user groups. */
export const userGroupSnapshotParts = [userGroupsSnapshotPart];
