import type { FieldSqlContext } from '../../engine/declaration/field.js';
import { defineModel, type ModelDefinition } from '../../engine/declaration/define-model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import type { CreateFilters } from '../../engine/filter/filter-problem.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { textField } from '../../engine/field-types/text.js';
import { sqlLiteral, computedJson, type SqlText } from '../../engine/sql/json-text-sql.js';
import { getAppName, getModelTitleWithApp } from '../app-names.js';
import { listFeatures } from '../features/index.js';
import * as common from '../shared-model-fields.js';

/** Models to which no generic reference can refer, as `<app>.<model>`. */
const typesWithoutReferences = ['extras.scriptmodule', 'extras.taggeditem'];

const typeNameSql = (alias: string): SqlText => `${alias}.app_label || '.' || ${alias}.model`;
const isPublicTypeCondition = (alias: string): SqlText =>
  `${typeNameSql(alias)} NOT IN (${typesWithoutReferences.map(sqlLiteral).join(', ')})`;

/**
 * Returns the SQL expression of a value that is taken from the declaration of a row's model. The expression is null if
 * the model is no longer declared.
 */
function declaredValueSql(value: (model: ModelDefinition) => unknown) {
  return ({ alias, scope }: FieldSqlContext): SqlText => {
    const cases = scope.registry.models.map(
      (model) => `WHEN ${sqlLiteral(model.type)} THEN ${sqlLiteral(JSON.stringify(value(model)))}`,
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
  json: (place) => [computedJson(declaredValueSql(listFeatures)(place))],
  schema: { type: ['array', 'null'], items: { type: 'string' } },
  metadataType: 'list',
  order: (place) => [declaredValueSql(listFeatures)(place)],
});

const visibleTypesCondition = computedField({
  json: ({ alias }) => [computedJson(`(${isPublicTypeCondition(alias)})::text`)],
  schema: { type: 'boolean' },
  metadataType: 'boolean',
  filters: (name) => [booleanFilter(name, isPublicTypeCondition)],
  order: ({ alias }) => [isPublicTypeCondition(alias)],
});

/**
 * Creates the filter `features`, which matches models whose list of features, joined by commas, contains the filter
 * value.
 */
const featuresFilter: CreateFilters = (_model, { models }) => [
  {
    name: 'features',
    lookups: [],
    multiple: false,
    schema: { type: 'string' },
    compile: ({ alias, values, parameters }) => {
      const requested = (values.at(-1) ?? '').toLowerCase();
      const found = models.filter((model) => listFeatures(model).join(',').includes(requested)).map(({ type }) => type);
      return `${typeNameSql(alias)} = ANY (${parameters.add(found, 'text[]')})`;
    },
  },
];

const { id, url } = common.identityFields;

const objectTypeFields = {
  id,
  url,
  display: declaredValueField('string', getModelTitleWithApp),
  app_label: textField({ max: 100, readOnly: true }),
  app_name: declaredValueField('string', ({ app }) => getAppName(app)),
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

/**
 * Model of the API's models, with their features. The migration that creates the table of a model assigns the model's
 * id.
 */
export const objectTypeModel = defineModel('core.objecttype', {
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
  search: common.searchTermsInFields('app_label', 'model'),
  filters: [featuresFilter],
});
