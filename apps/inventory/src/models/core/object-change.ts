import type { FieldSqlContext } from '../../engine/declaration/field.js';
import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import { datetimeFilter, integerFilter, numberLookupFilter } from '../../engine/filter/number-filter.js';
import { objectTypeFilter } from '../../engine/filter/object-type-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { datetimeField } from '../../engine/field-types/datetime.js';
import { canPageReferToModel } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { uuidField } from '../../engine/field-types/uuid.js';
import { createNestedObjectFragments } from '../../engine/read/object-json-fragments.js';
import {
  joinJsonFragmentsIntoSql,
  quoteSqlLiteral,
  type SqlText,
  createComputedJsonFragment,
} from '../../engine/sql/json-text-sql.js';
import { getApiAppDisplayName } from '../app-names.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';

/**
 * Returns the SQL expression of the current JSON, in nested form, of the object of a change record. The expression is
 * null if the object was deleted.
 */
function createChangedObjectJsonSql({ alias: own, scope }: FieldSqlContext): SqlText {
  const cases = scope.registry.models
    .filter(({ changeLog, type }) => changeLog && canPageReferToModel(scope, own, type))
    .map((target) => {
      const alias = scope.alias();
      const shape = joinJsonFragmentsIntoSql(createNestedObjectFragments(target, alias, scope));
      return `WHEN ${quoteSqlLiteral(target.type)} THEN (SELECT ${shape} FROM ${target.table} ${alias} WHERE ${alias}.id = ${own}.changed_object_id)`;
    });
  return cases.length === 0 ? "'null'" : `coalesce(CASE ${own}.changed_object_type ${cases.join(' ')} END, 'null')`;
}

/**
 * Returns the SQL expression of the app and the name of the model in a change record, such as `DCIM | site`. If the
 * model is no longer declared, the expression is the model's type.
 */
function createChangedModelTitleSql(alias: string, { models }: ModelRegistry): SqlText {
  const cases = models
    .filter(({ changeLog }) => changeLog)
    .map(
      ({ type, app, verboseName }) =>
        `WHEN ${quoteSqlLiteral(type)} THEN ${quoteSqlLiteral(`${getApiAppDisplayName(app)} | ${verboseName}`)}`,
    );
  const own = `${alias}.changed_object_type`;
  return `CASE ${own} ${cases.join(' ')} ELSE ${own} END`;
}

/**
 * Creates a field of change records that shows the state of the changed object before or after the change, without
 * times and internal fields.
 */
const createChangedObjectSnapshotField = (column: string) =>
  computedField({
    json: ({ alias }) => [
      createComputedJsonFragment(`coalesce((SELECT json_object_agg(key, value) FROM jsonb_each(${alias}.${column})
        WHERE key NOT IN ('created', 'last_updated') AND NOT starts_with(key, '_'))::text, '{}')`),
    ],
    schema: { type: 'object', additionalProperties: true },
  });

const changeTimeFilter = datetimeFilter('time', (alias) => `${alias}.time`);

const changeRecordFields = {
  ...common.identityFields,
  time: {
    ...datetimeField({ readOnly: true }),
    filters: () => [
      numberLookupFilter('time_after', changeTimeFilter, 'gte'),
      numberLookupFilter('time_before', changeTimeFilter, 'lte'),
    ],
  },
  user: referenceField('users.user', { readOnly: true, nullable: true, onDelete: 'set_null', filterBy: 'username' }),
  user_name: textField({ max: 150, readOnly: true, label: 'user name' }),
  request_id: uuidField({ readOnly: true, label: 'request ID' }),
  action: choiceField(
    { create: 'Created', update: 'Updated', delete: 'Deleted' },
    { readOnly: true, filterSingle: true },
  ),
  changed_object_type: objectTypeField([], { readOnly: true, label: 'changed object type' }),
  changed_object_id: integerField({ readOnly: true, label: 'changed object ID' }),
  changed_object: {
    ...computedField({ json: (place) => [createComputedJsonFragment(createChangedObjectJsonSql(place))], schema: {} }),
    variesByType: 'changed_object_type',
  },
  object_repr: textField({ max: 200, readOnly: true, label: 'object repr' }),
  message: { ...textField({ max: 200, readOnly: true }), filters: () => [] },
  prechange_data: createChangedObjectSnapshotField('prechange_data'),
  postchange_data: createChangedObjectSnapshotField('postchange_data'),
};

const changeRecordFieldNames = Object.keys(changeRecordFields).filter((name): name is keyof typeof changeRecordFields =>
  Object.hasOwn(changeRecordFields, name),
);

/**
 * Model of a change record. A write inserts the change record in its own transaction. Later writes never change the
 * record.
 */
export const objectChangeModel = defineModel('core.objectchange', {
  path: 'core/object-changes',
  objectName: 'ObjectChange',
  verboseName: 'object change',
  verboseNamePlural: 'object changes',
  events: false,
  methods: { list: ['GET', 'HEAD', 'OPTIONS'], detail: ['GET', 'HEAD', 'OPTIONS'] },
  fields: changeRecordFields,
  display: (alias, registry) =>
    `concat_ws(' ', ${createChangedModelTitleSql(alias, registry)}, ${alias}.object_repr, ${alias}.action || 'd', 'by', ${alias}.user_name)`,
  // The brief form has all fields, as in the reference API.
  brief: changeRecordFieldNames,
  order: [{ field: 'time', descending: true }],
  search: common.createFieldSearchTerms('user_name', 'object_repr', 'message'),
  filters: [
    createModelIdFilter('changed_object_type_id'),
    objectTypeFilter('related_object_type'),
    integerFilter('related_object_id', (alias) => `${alias}.related_object_id`),
  ],
});
