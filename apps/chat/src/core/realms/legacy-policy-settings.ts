import type { RealmPermission } from '../access/permission-settings.js';
import type { SystemGroupIdByName } from '../user-groups/index.js';

/**
 * Pairs of a system group's name and the number that represents the group in older settings. Clients without support
 * for user groups use these numbers.
 */
const legacyPolicyNumbers = [
  ['role:everyone', 1],
  ['role:members', 2],
  ['role:fullmembers', 3],
  ['role:administrators', 5],
  ['role:nobody', 6],
  ['role:moderators', 7],
] as const;

/**
 * Older settings whose value is a policy number, each with the permission from which the value is derived
 * (docs/contract/chat.md 4.3).
 */
const permissionByLegacySetting = {
  wildcard_mention_policy: 'can_mention_many_users_group',
  create_public_stream_policy: 'can_create_public_channel_group',
  create_private_stream_policy: 'can_create_private_channel_group',
  create_web_public_stream_policy: 'can_create_web_public_channel_group',
} as const satisfies Record<string, RealmPermission>;

/**
 * Returns the older settings that are derived from the given permissions, with policy numbers as values. A group
 * without a policy number is represented by the number of administrators.
 */
export function getLegacyPolicies(
  permissions: Readonly<Record<string, number>>,
  systemGroups: SystemGroupIdByName,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(permissionByLegacySetting).flatMap(([name, permission]) => {
      const groupId = permissions[permission];
      if (groupId === undefined) return [];
      return [[name, legacyPolicyNumbers.find(([group]) => systemGroups.get(group) === groupId)?.[1] ?? 5]];
    }),
  );
}
