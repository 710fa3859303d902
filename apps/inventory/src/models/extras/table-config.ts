import { defineModel, type ModelDefinition } from '../../engine/declaration/define-model.js';
import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { textListField } from '../../engine/field-types/plain-list-fields.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { createObjectTypeChoicesLister } from '../object-type-choices.js';
import { createModelIdFilter } from '../object-type-ids.js';
import { owningUserField, createSharedOrOwnCondition, usableObjectFilter } from './shared-object-fields.js';

/** Model of a table configuration: a selection of columns for a table of the user interface. */
export const tableConfigModel = defineModel('extras.tableconfig', {
  path: 'extras/table-configs',
  objectName: 'TableConfig',
  verboseName: 'table config',
  verboseNamePlural: 'table configs',
  fields: {
    ...common.identityFields,
    object_type: objectTypeField(({ registry }) => registry.models.map(({ type }) => type), {
      required: true,
      choices: createObjectTypeChoicesLister(),
    }),
    table: textField({ max: 100, required: true }),
    name: common.requiredNameField,
    description: common.descriptionField,
    user: owningUserField,
    weight: integerField({ min: 0, max: 32_767, default: 1000 }),
    enabled: booleanField({ default: true }),
    shared: booleanField({ default: true }),
    columns: textListField({ required: true, nonEmpty: true, max: 100, child: { label: 'Columns' } }),
    ordering: textListField({ nullable: true, max: 100, child: { label: 'Ordering' } }),
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description', 'object_type', 'table'],
  nested: ['id', 'url', 'display', 'object_type', 'table', 'name', 'description'],
  order: [{ field: 'weight' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'table'),
  rules: [
    ({ object_type: type, table, columns, ordering }, { registry }) => {
      const shown = getModelOfTable(registry, type ?? '', table ?? '');
      if (shown === null) return { table: [`Unknown table: ${table}`] };
      const unknown = (names: readonly string[] | null | undefined): string | undefined =>
        names?.find((name) => !hasTableColumn(shown, name));
      const order = unknown(ordering?.map((name) => name.replace(/^-/, '')));
      if (order !== undefined) return { ordering: [`Unknown column: ${order}`] };
      const column = unknown(columns);
      return column === undefined ? null : { columns: [`Unknown column: ${column}`] };
    },
  ],
  visible: createSharedOrOwnCondition,
  filters: [createModelIdFilter('object_type_id'), usableObjectFilter],
});

/**
 * Returns the model whose objects a table of the user interface shows. The table is given by an object type, which
 * determines the app, and by the table's class name. Returns null if the table is unknown.
 */
function getModelOfTable(registry: ModelRegistry, type: string, table: string): ModelDefinition | null {
  const app = type.split('.')[0] ?? '';
  return (
    registry.models.find((model) => model.type.startsWith(`${app}.`) && `${model.objectName}Table` === table) ?? null
  );
}

/** Names of columns that all tables of the user interface have, but that are not fields of the model. */
const columnsOfAllTables = new Set(['pk', 'id', 'actions', 'contacts', 'tenant_group']);

/**
 * Returns true if a table of the user interface has a column with the given name. The name is that of a field, a custom
 * field (`cf_<name>`) or a custom link (`cl_<name>`).
 */
function hasTableColumn(model: ModelDefinition, name: string): boolean {
  return columnsOfAllTables.has(name) || Object.hasOwn(model.fields, name) || /^c[fl]_./.test(name);
}
