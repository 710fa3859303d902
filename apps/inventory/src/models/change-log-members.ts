import type { ChangeLogMembers } from '../engine/declaration/define-model.js';

/**
 * Members of change records in the reference API, for models whose responses lack them (docs/contract/inventory.md 4).
 */

/** Change-record member `tags`, an empty list, for models without tags. */
export const emptyTagsMember: ChangeLogMembers = { tags: () => `'[]'` };

/** Change-record member `custom_fields`, empty, for models without custom fields. */
export const emptyCustomFieldsMember: ChangeLogMembers = { custom_fields: () => `'{}'` };

/** Change-record member `auto_sync_enabled`: true if the content is updated from the file of a data source. */
export const autoSyncMember: ChangeLogMembers = { auto_sync_enabled: (alias) => `${alias}.auto_sync_enabled::text` };
