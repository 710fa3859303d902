import { defineModel } from '../../engine/declaration/model.js';
import { boolean } from '../../engine/kinds/boolean.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import { ref } from '../../engine/kinds/relation.js';
import { text } from '../../engine/kinds/text.js';
import * as common from '../field-groups.js';

/** Which columns a table of the user interface shows. */
export const tableConfig = defineModel('extras.tableconfig', {
  path: 'extras/table-configs',
  objectName: 'TableConfig',
  verboseName: 'table config',
  verboseNamePlural: 'table configs',
  fields: {
    ...common.identity,
    object_type: objectType(({ registry }) => registry.models.map(({ type }) => type), { required: true }),
    table: text({ max: 100, required: true }),
    name: common.requiredName,
    description: common.description,
    // DRAFT field: user is shown as a bare id
    user: ref('users.user', { nullable: true, onDelete: 'set_null', filterBy: 'username' }),
    weight: integer({ min: 0, max: 32_767, default: 1000 }),
    enabled: boolean({ default: true }),
    shared: boolean({ default: true }),
    // DRAFT field: columns (list of CharField); ordering (list of CharField)
    ...common.times,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description', 'object_type', 'table'],
  nested: ['id', 'url', 'display', 'object_type', 'table', 'name', 'description'],
  order: [{ field: 'weight' }, { field: 'name' }],
  search: common.searchIn('name', 'description', 'table'),
  // DRAFT rules: UI table settings; visible when shared or own
  // DRAFT filters: object_type_id (object_multi, n): path object_type
  // DRAFT filters: usable (boolean, no lookups): true: enabled and (shared or own)
});
