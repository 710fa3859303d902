import type { ChangeRecordMemberSql } from '../engine/declaration/define-model.js';

/**
 * Members that the reference API shows in change records of some models, although the models' responses lack them
 * (docs/contract/inventory.md 4).
 */

/** Member `tags` of change records for models without tags: an empty list. */
export const changeRecordEmptyTags: ChangeRecordMemberSql = { tags: () => `'[]'` };

/** Member `custom_fields` of change records for models without custom fields: an empty object. */
export const changeRecordEmptyCustomFields: ChangeRecordMemberSql = { custom_fields: () => `'{}'` };

/**
 * Member `auto_sync_enabled` of change records: true if the object's content is updated from the file of a data source.
 */
export const changeRecordAutoSync: ChangeRecordMemberSql = {
  auto_sync_enabled: (alias) => `${alias}.auto_sync_enabled::text`,
};
