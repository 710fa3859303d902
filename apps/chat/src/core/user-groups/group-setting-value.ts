import { z } from 'zod';

/**
 * Schema of the value of a permission in the API: the id of a named group, or users and groups (docs/contract/chat.md
 * 6.2).
 */
export const groupPermissionValueSchema = z
  .union([z.int(), z.strictObject({ direct_members: z.array(z.int()), direct_subgroups: z.array(z.int()) })])
  .meta({ id: 'GroupSettingValue' });

export type GroupPermissionValue = z.infer<typeof groupPermissionValueSchema>;

/**
 * Schema of a requested change of a permission: the new value, and the current value that the client expects (`:Gu` of
 * docs/contract/chat.md).
 */
export const groupPermissionChangeSchema = z
  .strictObject({ new: groupPermissionValueSchema, old: groupPermissionValueSchema.optional() })
  .meta({ id: 'GroupSettingChange' });

export type GroupPermissionChange = z.infer<typeof groupPermissionChangeSchema>;

/** A user group of any kind. Contains the ascending ids of the group's direct members and direct subgroups. */
export interface UserGroupWithMembers {
  readonly id: number;
  readonly isAnonymous: boolean;
  readonly members: readonly number[];
  readonly subgroups: readonly number[];
}

/**
 * Converts group ids to permission values in the API. A list of members represents an anonymous group, and an id
 * represents any other group.
 */
export class PermissionValueByGroupId {
  readonly #anonymous: ReadonlyMap<number, GroupPermissionValue>;

  constructor(groups: Iterable<UserGroupWithMembers>) {
    const anonymous = [...groups].filter((group) => group.isAnonymous);
    this.#anonymous = new Map(
      anonymous.map(({ id, members, subgroups }) => [
        id,
        toCanonicalPermissionValue({ direct_members: [...members], direct_subgroups: [...subgroups] }),
      ]),
    );
  }

  getPermissionValue(groupId: number): GroupPermissionValue {
    return this.#anonymous.get(groupId) ?? groupId;
  }
}

/**
 * Returns the normal form of a permission's value: a single subgroup without members is replaced by the subgroup's id.
 * Lists of ids are ascending and without duplicates.
 */
export function toCanonicalPermissionValue(value: GroupPermissionValue): GroupPermissionValue {
  if (typeof value === 'number') return value;
  const members = sortIdsWithoutDuplicates(value.direct_members);
  const subgroups = sortIdsWithoutDuplicates(value.direct_subgroups);
  const [only] = subgroups;
  if (members.length === 0 && subgroups.length === 1 && only !== undefined) return only;
  return { direct_members: members, direct_subgroups: subgroups };
}

/** Returns true if two values of a permission are equal. */
export function arePermissionValuesEqual(left: GroupPermissionValue, right: GroupPermissionValue): boolean {
  return JSON.stringify(toCanonicalPermissionValue(left)) === JSON.stringify(toCanonicalPermissionValue(right));
}

function sortIdsWithoutDuplicates(ids: readonly number[]): number[] {
  return [...new Set(ids)].toSorted((left, right) => left - right);
}
