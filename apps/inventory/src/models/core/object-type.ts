import type { FieldSqlContext } from '../../engine/declaration/field.js';
import { defineModel, type ModelDefinition } from '../../engine/declaration/define-model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import type { ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { textField } from '../../engine/field-types/text.js';
import { quoteSqlLiteral, createComputedJsonFragment, type SqlText } from '../../engine/sql/json-text-sql.js';
import { getApiAppDisplayName, getModelTitleWithApp } from '../app-names.js';
import { listModelFeatures } from '../features/index.js';
import * as common from '../shared-model-fields.js';

/** Models to which no generic reference can refer, as `<app>.<model>`. */
const modelsWithoutGenericReferences = ['extras.scriptmodule', 'extras.taggeditem'];

const createObjectTypeNameSql = (alias: string): SqlText => `${alias}.app_label || '.' || ${alias}.model`;
const createPublicObjectTypeCondition = (alias: string): SqlText =>
  `${createObjectTypeNameSql(alias)} NOT IN (${modelsWithoutGenericReferences.map(quoteSqlLiteral).join(', ')})`;

/**
 * Returns the SQL expression of a value that is taken from the declaration of a row's model. The expression is null if
 * the model is no longer declared.
 */
function createDeclaredModelValueSql(value: (model: ModelDefinition) => unknown) {
  return ({ alias, scope }: FieldSqlContext): SqlText => {
    const cases = scope.registry.models.map(
      (model) => `WHEN ${quoteSqlLiteral(model.type)} THEN ${quoteSqlLiteral(JSON.stringify(value(model)))}`,
    );
    return `coalesce(CASE ${createObjectTypeNameSql(alias)} ${cases.join(' ')} END, 'null')`;
  };
}

const createDeclaredModelValueField = (type: string, value: (model: ModelDefinition) => unknown) =>
  computedField({
    json: (place) => [createComputedJsonFragment(createDeclaredModelValueSql(value)(place))],
    schema: { type: [type, 'null'] },
    metadataType: type,
  });

const modelFeaturesField = computedField({
  json: (place) => [createComputedJsonFragment(createDeclaredModelValueSql(listModelFeatures)(place))],
  schema: { type: ['array', 'null'], items: { type: 'string' } },
  metadataType: 'list',
  order: (place) => [createDeclaredModelValueSql(listModelFeatures)(place)],
});

const publicObjectTypeField = computedField({
  json: ({ alias }) => [createComputedJsonFragment(`(${createPublicObjectTypeCondition(alias)})::text`)],
  schema: { type: 'boolean' },
  metadataType: 'boolean',
  filters: (name) => [booleanFilter(name, createPublicObjectTypeCondition)],
  order: ({ alias }) => [createPublicObjectTypeCondition(alias)],
});

/**
 * Creates the filter `features`, which matches models whose list of features, joined by commas, contains the filter
 * value.
 */
const modelFeaturesFilter: ModelFilterFactory = (_model, { models }) => [
  {
    name: 'features',
    lookups: [],
    multiple: false,
    schema: { type: 'string' },
    compile: ({ alias, values, parameters }) => {
      const requested = (values.at(-1) ?? '').toLowerCase();
      const found = models
        .filter((model) => listModelFeatures(model).join(',').includes(requested))
        .map(({ type }) => type);
      return `${createObjectTypeNameSql(alias)} = ANY (${parameters.add(found, 'text[]')})`;
    },
  },
];

const { id, url } = common.identityFields;

const objectTypeFields = {
  id,
  url,
  display: createDeclaredModelValueField('string', getModelTitleWithApp),
  app_label: textField({ max: 100, readOnly: true }),
  app_name: createDeclaredModelValueField('string', ({ app }) => getApiAppDisplayName(app)),
  model: textField({ max: 100, readOnly: true }),
  model_name: createDeclaredModelValueField('string', ({ verboseName }) => verboseName),
  model_name_plural: createDeclaredModelValueField('string', ({ verboseNamePlural }) => verboseNamePlural),
  public: publicObjectTypeField,
  features: modelFeaturesField,
  is_plugin_model: createDeclaredModelValueField('boolean', () => false),
  rest_api_endpoint: createDeclaredModelValueField('string', ({ path }) => `/api/${path}/`),
  description: createDeclaredModelValueField('string', () => null),
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
  display: createObjectTypeNameSql,
  // The brief form has all fields, as in the reference API.
  brief: objectTypeFieldNames,
  order: [{ field: 'app_label' }, { field: 'model' }],
  search: common.createFieldSearchTerms('app_label', 'model'),
  filters: [modelFeaturesFilter],
});
