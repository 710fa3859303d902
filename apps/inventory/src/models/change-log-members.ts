import type { ChangeLogMembers } from '../engine/declaration/model.js';

/**
 * Members that change records of the reference API have for models whose representation lacks them
 * (docs/contract/inventory.md 4).
 */

/** Change-log members without tags. */
export const noTags: ChangeLogMembers = { tags: () => `'[]'` };

/** Change-log members without custom fields. */
export const noCustomFields: ChangeLogMembers = { custom_fields: () => `'{}'` };

/** True if the content follows the file of a data source. */
export const autoSync: ChangeLogMembers = { auto_sync_enabled: (alias) => `${alias}.auto_sync_enabled::text` };
