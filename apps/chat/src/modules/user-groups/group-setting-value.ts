import { z } from 'zod';

/** Who holds a permission, on the wire: a named group's id, or people and groups (chat-contract 6.2). */
export const groupSettingValue = z
  .union([z.int(), z.strictObject({ direct_members: z.array(z.int()), direct_subgroups: z.array(z.int()) })])
  .meta({ id: 'GroupSettingValue' });

export type GroupSettingValue = z.infer<typeof groupSettingValue>;

/** A group of any kind with its direct members and subgroups, both ascending. */
export interface GroupRecord {
  readonly id: number;
  readonly isAnonymous: boolean;
  readonly members: readonly number[];
  readonly subgroups: readonly number[];
}

/** Turns group ids into setting values: nameless groups are written out, all others are their id. */
export class GroupSettingValues {
  readonly #anonymous: ReadonlyMap<number, GroupSettingValue>;

  constructor(groups: Iterable<GroupRecord>) {
    const anonymous = [...groups].filter((group) => group.isAnonymous);
    this.#anonymous = new Map(anonymous.map((group) => [group.id, canonical(group)]));
  }

  get(groupId: number): GroupSettingValue {
    return this.#anonymous.get(groupId) ?? groupId;
  }
}

/** No members and one subgroup is that subgroup. */
function canonical({ members, subgroups }: GroupRecord): GroupSettingValue {
  const [only] = subgroups;
  if (members.length === 0 && subgroups.length === 1 && only !== undefined) return only;
  return { direct_members: [...members], direct_subgroups: [...subgroups] };
}
