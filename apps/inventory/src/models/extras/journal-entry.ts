import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { genericObject } from '../../engine/kinds/generic-object.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';
import { withJournal } from '../features/journaling.js';
import * as common from '../field-groups.js';

const journalEntryKind = { info: 'Info', success: 'Success', warning: 'Warning', danger: 'Danger' };

/** A note on an object, by whom and when. */
export const journalEntry = defineModel('extras.journalentry', {
  path: 'extras/journal-entries',
  objectName: 'JournalEntry',
  verboseName: 'journal entry',
  verboseNamePlural: 'journal entries',
  fields: {
    ...common.identity,
    assigned_object_type: objectType(withJournal, { required: true }),
    assigned_object_id: integer({ required: true, min: 0 }),
    assigned_object: genericObject({ type: 'assigned_object_type', id: 'assigned_object_id', allowed: withJournal }),
    created: common.times.created,
    // DRAFT field: created_by is shown as a bare id, is the requester by default and fixed afterwards
    created_by: ref('users.user', { nullable: true, onDelete: 'set_null', filterBy: 'username' }),
    kind: choice(journalEntryKind, { default: 'info' }),
    comments: text({ required: true }),
    tags: common.tags,
    custom_fields: common.customFieldValues,
    last_updated: common.times.last_updated,
  },
  // DRAFT display: what the object is called is more than this
  display: (alias) => `to_char(${alias}.created, 'YYYY-MM-DD HH24:MI') || ' (' || initcap(${alias}.kind) || ')'`,
  brief: ['id', 'url', 'display', 'created'],
  order: [{ field: 'created', descending: true }],
  search: common.searchIn('comments'),
  // DRAFT rules: created_by defaults to the requester and is read-only on update; kind info, success, warning, danger
  // DRAFT filters: assigned_object_type_id (object_multi, n)
  // DRAFT filters: created: lookups empty gt gte lt lte n | as documented
  // DRAFT filters: created: multiple true, as documented false (datetime_range)
});
