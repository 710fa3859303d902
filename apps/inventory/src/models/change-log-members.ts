import type { ChangeLogMembers } from '../engine/declaration/model.js';

/**
 * Members of change records in the reference API, for models whose responses lack them (docs/contract/inventory.md 4).
 */

/** Empty `tags`, for models without tags. */
export const noTags: ChangeLogMembers = { tags: () => `'[]'` };

/** Empty `custom_fields`, for models without custom fields. */
export const noCustomFields: ChangeLogMembers = { custom_fields: () => `'{}'` };

/** `auto_sync_enabled`: true if the content is updated from the file of a data source. */
export const autoSync: ChangeLogMembers = { auto_sync_enabled: (alias) => `${alias}.auto_sync_enabled::text` };
