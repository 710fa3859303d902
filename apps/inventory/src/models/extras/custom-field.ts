import {
  createJsonSchemaValidator,
  findCustomFieldValueProblem,
} from '../../engine/custom-fields/check-custom-field-value.js';
import type { CustomField, CustomFieldType } from '../../engine/custom-fields/custom-field.js';
import { defineModel, type ValidationMessagesByField } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { rejectUnlessJsonObject, jsonField } from '../../engine/field-types/json.js';
import { decimalField, integerField } from '../../engine/field-types/number.js';
import { objectTypeField, objectTypeListField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { textField } from '../../engine/field-types/text.js';
import { findRegularExpressionProblem } from '../../engine/check-regular-expression.js';
import type { RequestLimits } from '../../engine/request-limits.js';
import { quoteSqlLiteral, createComputedJsonFragment } from '../../engine/sql/json-text-sql.js';
import { createInvalidInputProblem } from '../../engine/write/invalid-input-problem.js';
import * as common from '../shared-model-fields.js';
import { createObjectTypeChoicesLister } from '../object-type-choices.js';
import { createModelIdFilter } from '../object-type-ids.js';

const customFieldTypeLabels: Readonly<Record<CustomFieldType, string>> = {
  text: 'Text',
  longtext: 'Text (long)',
  integer: 'Integer',
  decimal: 'Decimal',
  boolean: 'Boolean (true/false)',
  date: 'Date',
  datetime: 'Date & time',
  url: 'URL',
  json: 'JSON',
  select: 'Selection',
  multiselect: 'Multiple selection',
  object: 'Object',
  multiobject: 'Multiple objects',
};

const dataTypeByFieldType: Readonly<Partial<Record<CustomFieldType, string>>> = {
  integer: 'integer',
  decimal: 'decimal',
  boolean: 'boolean',
  json: 'object',
  object: 'object',
  multiselect: 'array',
  multiobject: 'array',
};

const textCustomFieldTypes = new Set<unknown>(['text', 'longtext', 'url']);
const numberCustomFieldTypes = new Set<unknown>(['integer', 'decimal']);
const choiceCustomFieldTypes = new Set<unknown>(['select', 'multiselect']);
const referenceCustomFieldTypes = new Set<unknown>(['object', 'multiobject']);

const createValueBoundField = (label: string) => decimalField({ digits: 16, places: 4, nullable: true, label });

/**
 * Model of a custom field that users have defined for one or more models. Database triggers create and delete one row
 * for each pair of custom field and model. Objects of the model store the field's value under the id of that row.
 */
export const customFieldModel = defineModel('extras.customfield', {
  path: 'extras/custom-fields',
  objectName: 'CustomField',
  verboseName: 'custom field',
  verboseNamePlural: 'custom fields',
  fields: {
    ...common.identityFields,
    object_types: objectTypeListField(
      ({ registry }) =>
        registry.models.filter(({ fields }) => fields['custom_fields'] !== undefined).map(({ type }) => type),
      { required: true, label: 'object types', filterName: 'object_type' },
    ),
    type: choiceField(customFieldTypeLabels, { required: true, default: 'text' }),
    related_object_type: objectTypeField(({ registry }) => registry.models.map(({ type }) => type), {
      nullable: true,
      choices: createObjectTypeChoicesLister(),
      label: 'related object type',
    }),
    data_type: computedField({
      json: ({ alias }) => [
        createComputedJsonFragment(`CASE ${alias}.type ${createDataTypeCaseSql()} ELSE '"string"' END`),
      ],
      schema: { type: 'string' },
    }),
    name: textField({
      max: 50,
      required: true,
      pattern: { expression: /^[a-z0-9_]+$/i, message: 'Only alphanumeric characters and underscores are allowed.' },
    }),
    label: textField({ max: 50 }),
    group_name: textField({ max: 50, label: 'group name' }),
    description: common.descriptionField,
    required: booleanField(),
    unique: booleanField({ label: 'must be unique' }),
    search_weight: integerField({ default: 1000, min: 0, max: 32_767, label: 'search weight' }),
    filter_logic: choiceField(
      { disabled: 'Disabled', loose: 'Loose', exact: 'Exact' },
      { default: 'loose', filterSingle: true },
    ),
    ui_visible: choiceField(
      { always: 'Always', 'if-set': 'If set', hidden: 'Hidden' },
      { default: 'always', filterSingle: true },
    ),
    ui_editable: choiceField({ yes: 'Yes', no: 'No', hidden: 'Hidden' }, { default: 'yes', filterSingle: true }),
    is_cloneable: booleanField({ label: 'is cloneable' }),
    default: jsonField({ nullable: true }),
    related_object_filter: jsonField({ nullable: true, label: 'related object filter', check: rejectUnlessJsonObject }),
    weight: integerField({ default: 100, min: 0, max: 32_767, label: 'display weight' }),
    validation_minimum: createValueBoundField('minimum value'),
    validation_maximum: createValueBoundField('maximum value'),
    validation_regex: textField({
      max: 500,
      label: 'validation regex',
    }),
    validation_schema: jsonField({ nullable: true, label: 'validation schema', check: checkValidationSchema }),
    choice_set: referenceField('extras.customfieldchoiceset', { nullable: true, filterBy: 'name' }),
    owner: common.ownerField,
    comments: common.commentsField,
    ...common.creationTimeFields,
  },
  display: (alias) =>
    `coalesce(nullif(${alias}.label, ''), upper(left(${alias}.name, 1)) || lower(replace(substr(${alias}.name, 2), '_', ' ')))`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'group_name' }, { field: 'weight' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'label', 'group_name', 'description', 'comments'),
  filters: [
    createModelIdFilter('object_type_id', { column: 'object_types', list: true }),
    createModelIdFilter('related_object_type_id'),
  ],
  constraints: [{ name: 'extras_customfield_name_key', fields: ['name'] }],
  rules: [
    ({ name }) =>
      name?.includes('__') === true ? { name: ['Double underscores are not permitted in custom field names.'] } : null,
    ({ type }, { previous }) =>
      previous !== null && previous.type !== type
        ? { type: ['Changing the type of custom fields is not supported.'] }
        : null,
    (row, context) => listValueBoundProblems(row, context),
    ({ type, choice_set: set, related_object_type: related, related_object_filter: filter }) => {
      if (choiceCustomFieldTypes.has(type) && (set ?? null) === null)
        return { choice_set: ['Selection fields must specify a set of choices.'] };
      if (!choiceCustomFieldTypes.has(type) && (set ?? null) !== null)
        return { choice_set: ['Choices may be set only on selection fields.'] };
      if (referenceCustomFieldTypes.has(type) && (related ?? null) === null) {
        return { related_object_type: ['Object fields must define an object type.'] };
      }
      if (referenceCustomFieldTypes.has(type)) return null;
      if ((related ?? null) !== null) {
        return { related_object_type: [`${String(type)} fields may not define an object type.`] };
      }
      return (filter ?? null) === null
        ? null
        : { related_object_filter: ['A related object filter can be defined only for object fields.'] };
    },
    (row) => {
      const value = row.default ?? null;
      // The choice set of a select field is not available here. An invalid choice is refused when a value is written.
      if (value === null || choiceCustomFieldTypes.has(row.type)) return null;
      const problem = findCustomFieldValueProblem(toCustomField(row), value);
      return problem === null
        ? null
        : { default: [`Invalid default value "${formatValueForMessage(value)}": ${problem}`] };
    },
  ],
});

interface CustomFieldValidation {
  readonly type?: unknown;
  readonly unique?: unknown;
  readonly validation_minimum?: unknown;
  readonly validation_maximum?: unknown;
  readonly validation_regex?: unknown;
  readonly validation_schema?: unknown;
}

function listValueBoundProblems(
  row: CustomFieldValidation,
  { previous, limits }: { readonly previous: CustomFieldValidation | null; readonly limits: RequestLimits },
): ValidationMessagesByField | null {
  const { type } = row;
  if ((row.validation_minimum ?? null) !== null && !numberCustomFieldTypes.has(type)) {
    return { validation_minimum: ['A minimum value may be set only for numeric fields'] };
  }
  if ((row.validation_maximum ?? null) !== null && !numberCustomFieldTypes.has(type)) {
    return { validation_maximum: ['A maximum value may be set only for numeric fields'] };
  }
  if ((row.validation_regex ?? '') !== '' && !textCustomFieldTypes.has(type)) {
    return { validation_regex: ['Regular expression validation is supported only for text and URL fields'] };
  }
  const regex = String(row.validation_regex ?? '');
  if (!isRegularExpressionText(regex)) return { validation_regex: ['Enter a valid regular expression.'] };
  // An expression that was stored before the limit remains valid; it is matched with a timeout.
  const problem = regex === previous?.validation_regex ? null : findRegularExpressionProblem(regex, limits);
  if (problem !== null) return { validation_regex: [problem] };
  if ((row.validation_schema ?? null) !== null && type !== 'json') {
    return { validation_schema: ['JSON schema validation is supported only for JSON fields.'] };
  }
  return row.unique === true && type === 'boolean'
    ? { unique: ['Uniqueness cannot be enforced for boolean fields'] }
    : null;
}

function toCustomField(row: CustomFieldValidation): CustomField {
  const type = Object.keys(customFieldTypeLabels).find((name): name is CustomFieldType => name === row.type) ?? 'text';
  return {
    name: '',
    key: '',
    initial: null,
    type,
    id: 0,
    definition: '',
    relatedType: null,
    required: false,
    unique: false,
    defaultValue: null,
    minimum: toDecimalText(row.validation_minimum),
    maximum: toDecimalText(row.validation_maximum),
    regex: '',
    schema: row.validation_schema ?? null,
    choiceSet: null,
    filterLogic: 'loose',
  };
}

function toDecimalText(value: unknown): string | null {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : null;
}

function createDataTypeCaseSql(): string {
  return Object.entries(dataTypeByFieldType)
    .map(([type, name]) => `WHEN ${quoteSqlLiteral(type)} THEN ${quoteSqlLiteral(JSON.stringify(name))}`)
    .join(' ');
}

function checkValidationSchema(value: unknown): void {
  rejectUnlessJsonObject(value);
  if (createJsonSchemaValidator(value) === null) throw createInvalidInputProblem('Invalid JSON schema.');
}

function isRegularExpressionText(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

function formatValueForMessage(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
