import type { FieldSqlContext } from '../../engine/declaration/field.js';
import { defineModel, type ModelDefinition } from '../../engine/declaration/define-model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import type { CreateFilters } from '../../engine/filter/filter-problem.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { textField } from '../../engine/field-types/text.js';
import { literal, computedJson, type Sql } from '../../engine/sql/json-text-sql.js';
import { appName, titleWithApp } from '../app-names.js';
import { featuresOf } from '../features/index.js';
import * as common from '../shared-model-fields.js';

/** Models that no generic reference accepts. */
const typesWithoutReferences = ['extras.scriptmodule', 'extras.taggeditem'];

const typeNameSql = (alias: string): Sql => `${alias}.app_label || '.' || ${alias}.model`;
const isPublicTypeCondition = (alias: string): Sql =>
  `${typeNameSql(alias)} NOT IN (${typesWithoutReferences.map(literal).join(', ')})`;

/** Returns the SQL expression of a value from the model's declaration; null if the model is no longer declared. */
function declaredValueSql(value: (model: ModelDefinition) => unknown) {
  return ({ alias, scope }: FieldSqlContext): Sql => {
    const cases = scope.registry.models.map(
      (model) => `WHEN ${literal(model.type)} THEN ${literal(JSON.stringify(value(model)))}`,
    );
    return `coalesce(CASE ${typeNameSql(alias)} ${cases.join(' ')} END, 'null')`;
  };
}

const declaredValueField = (type: string, value: (model: ModelDefinition) => unknown) =>
  computedField({
    json: (place) => [computedJson(declaredValueSql(value)(place))],
    schema: { type: [type, 'null'] },
    metadataType: type,
  });

const modelFeaturesField = computedField({
  json: (place) => [computedJson(declaredValueSql(featuresOf)(place))],
  schema: { type: ['array', 'null'], items: { type: 'string' } },
  metadataType: 'list',
  order: (place) => [declaredValueSql(featuresOf)(place)],
});

const visibleTypesCondition = computedField({
  json: ({ alias }) => [computedJson(`(${isPublicTypeCondition(alias)})::text`)],
  schema: { type: 'boolean' },
  metadataType: 'boolean',
  filters: (name) => [booleanFilter(name, isPublicTypeCondition)],
  order: ({ alias }) => [isPublicTypeCondition(alias)],
});

/** Filter for models whose list of features, joined by commas, contains a text. */
const featuresFilter: CreateFilters = (_model, { models }) => [
  {
    name: 'features',
    lookups: [],
    multiple: false,
    schema: { type: 'string' },
    compile: ({ alias, values, parameters }) => {
      const requested = (values.at(-1) ?? '').toLowerCase();
      const found = models.filter((model) => featuresOf(model).join(',').includes(requested)).map(({ type }) => type);
      return `${typeNameSql(alias)} = ANY (${parameters.add(found, 'text[]')})`;
    },
  },
];

const { id, url } = common.identityFields;

const objectTypeFields = {
  id,
  url,
  display: declaredValueField('string', titleWithApp),
  app_label: textField({ max: 100, readOnly: true }),
  app_name: declaredValueField('string', ({ app }) => appName(app)),
  model: textField({ max: 100, readOnly: true }),
  model_name: declaredValueField('string', ({ verboseName }) => verboseName),
  model_name_plural: declaredValueField('string', ({ verboseNamePlural }) => verboseNamePlural),
  public: visibleTypesCondition,
  features: modelFeaturesField,
  is_plugin_model: declaredValueField('boolean', () => false),
  rest_api_endpoint: declaredValueField('string', ({ path }) => `/api/${path}/`),
  description: declaredValueField('string', () => null),
};

const objectTypeFieldNames = Object.keys(objectTypeFields).filter((name): name is keyof typeof objectTypeFields =>
  Object.hasOwn(objectTypeFields, name),
);

/** A model of objects and its features. The migration that creates the model's table assigns the id. */
export const objectType = defineModel('core.objecttype', {
  path: 'core/object-types',
  objectName: 'ObjectType',
  verboseName: 'object type',
  verboseNamePlural: 'object types',
  events: false,
  openToUsers: true,
  methods: { list: ['GET', 'HEAD', 'OPTIONS'], detail: ['GET', 'HEAD', 'OPTIONS'] },
  fields: objectTypeFields,
  display: typeNameSql,
  // The brief form has all fields, as in the reference API.
  brief: objectTypeFieldNames,
  order: [{ field: 'app_label' }, { field: 'model' }],
  search: common.searchIn('app_label', 'model'),
  filters: [featuresFilter],
});
