import type { PermissionSetting, SystemGroupName } from '../../../core/access/permission-settings.js';
import type { SystemGroupIdByName } from '../../../core/user-groups/index.js';
import type { ArchivedTableRow } from './archive/archive-row.js';
import type { RealmImportReport } from './import-report.js';

export type UserGroupKind = 'system' | 'named' | 'anonymous';

/** Maps permission values in the archive to user groups. */
export class ArchivedUserGroupReferences {
  readonly #usedAnonymous = new Set<number>();

  constructor(
    private readonly kinds: ReadonlyMap<number, UserGroupKind>,
    readonly systemGroups: SystemGroupIdByName,
    private readonly report: RealmImportReport,
  ) {}

  getGroupKind(groupId: number): UserGroupKind | undefined {
    return this.kinds.get(groupId);
  }

  isNamedGroup(groupId: number): boolean {
    return this.kinds.has(groupId) && this.kinds.get(groupId) !== 'anonymous';
  }

  getSystemGroupId(name: SystemGroupName): number {
    const id = this.systemGroups.get(name);
    if (id === undefined) throw new Error(`There is no system group ${name}`);
    return id;
  }

  /**
   * Returns the id of the group to which an archived row grants a permission. Returns the permission's default group if
   * the archived group is unknown or not allowed.
   */
  resolvePermissionGroupId(row: ArchivedTableRow, name: string, setting: PermissionSetting): number {
    const id = row.readOptionalId(name);
    const kind = id === null ? undefined : this.getGroupKind(id);
    // An anonymous group belongs to one permission, with which it is deleted.
    const isShared = id !== null && kind === 'anonymous' && this.#usedAnonymous.has(id);
    const isAllowed = kind !== undefined && !isShared && (kind === 'system' || setting.requiresSystemGroup !== true);
    if (id === null || !isAllowed) {
      if (id !== null) this.report.addSkippedRowCount(`values of the permission ${name}`);
      return this.getSystemGroupId(setting.initial);
    }
    if (kind === 'anonymous') this.#usedAnonymous.add(id);
    return id;
  }

  /** Lists the ids of the anonymous groups that no imported permission uses. */
  listUnusedAnonymousGroups(): number[] {
    return [...this.kinds]
      .filter(([id, kind]) => kind === 'anonymous' && !this.#usedAnonymous.has(id))
      .map(([id]) => id);
  }
}
