import { choiceCountByBaseList } from '../../custom-fields/base-choice-lists.js';
import type { FieldSqlContext } from '../../engine/declaration/field.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import {
  type ListFilter,
  createInvalidChoiceMessage,
  InvalidFilterValueError,
} from '../../engine/filter/filter-problem.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { jsonField } from '../../engine/field-types/json.js';
import {
  createJsonTextFragment,
  type JsonTextFragment,
  createComputedJsonFragment,
} from '../../engine/sql/json-text-sql.js';
import { createInvalidInputProblem } from '../../engine/write/invalid-input-problem.js';
import * as common from '../shared-model-fields.js';

const allowedChoiceColors = new Set(
  'blue indigo purple pink red orange yellow green teal cyan gray black white'.split(' '),
);

const createChoiceCountSql = (alias: string): string => {
  const ofBase = Object.entries(choiceCountByBaseList).map(([name, choices]) => `WHEN '${name}' THEN ${choices}`);
  return `(jsonb_array_length(${alias}.extra_choices) + CASE ${alias}.base_choices ${ofBase.join(' ')} ELSE 0 END)`;
};

/**
 * Filter of custom field choice sets by their extra choices. Matches a choice set if one of its extra choices equals
 * one of the filter values.
 */
const extraChoiceFilter: ListFilter = {
  name: 'choice',
  lookups: [],
  multiple: true,
  schema: { type: 'string' },
  compile: ({ alias, values, parameters }) =>
    `EXISTS (SELECT FROM jsonb_array_elements(${alias}.extra_choices) pair WHERE pair ->> 0 = ANY (${parameters.add(
      values.filter((value) => !value.includes('\0')),
      'text[]',
    )}))`,
};

const choiceColorsFilter: ListFilter = {
  name: 'choice_colors',
  lookups: [],
  multiple: true,
  schema: { type: 'string', enum: [...allowedChoiceColors] },
  compile: ({ alias, values, parameters }) => {
    const unknown = values.find((value) => !allowedChoiceColors.has(value));
    if (unknown !== undefined) throw new InvalidFilterValueError(createInvalidChoiceMessage(unknown));
    return `EXISTS (SELECT FROM jsonb_each_text(${alias}.choice_colors) WHERE value = ANY (${parameters.add(values, 'text[]')}))`;
  },
};

/**
 * Returns SQL fragments that render the choices of a choice set as change records store them: as a JSON list in which
 * each pair of value and label is a string (docs/contract/inventory.md 4).
 */
function createChoicePairsSnapshotSql({ alias, name }: FieldSqlContext): JsonTextFragment[] {
  const pairs = `SELECT jsonb_agg(pair::text ORDER BY n) FROM jsonb_array_elements(${alias}."${name}") WITH ORDINALITY AS given(pair, n)`;
  return [createJsonTextFragment(`CASE WHEN ${alias}."${name}" IS NOT NULL THEN coalesce((${pairs}), '[]')::text END`)];
}

/** Model of a choice set: choices for custom fields of the types select and multiselect. */
export const customFieldChoiceSetModel = defineModel('extras.customfieldchoiceset', {
  path: 'extras/custom-field-choice-sets',
  objectName: 'CustomFieldChoiceSet',
  verboseName: 'custom field choice set',
  verboseNamePlural: 'custom field choice sets',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    base_choices: choiceField(
      { IATA: 'IATA (Airport codes)', ISO_3166: 'ISO 3166 (Country codes)', UN_LOCODE: 'UN/LOCODE (Location codes)' },
      { nullable: true, rejectsBlank: true, filterSingle: true, label: 'base choices' },
    ),
    extra_choices: {
      ...jsonField({ required: true, label: 'extra choices', check: checkChoicePairs }),
      snapshot: createChoicePairsSnapshotSql,
    },
    choice_colors: jsonField({ default: {}, label: 'choice colors', check: checkChoiceColors }),
    order_alphabetically: booleanField({ label: 'order alphabetically' }),
    choices_count: computedField(
      {
        json: ({ alias }) => [createComputedJsonFragment(createChoiceCountSql(alias))],
        order: ({ alias }) => [createChoiceCountSql(alias)],
        schema: { type: 'integer' },
        metadataType: 'integer',
      },
      'length',
    ),
    owner: common.ownerField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description', 'choices_count'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  filters: [extraChoiceFilter, choiceColorsFilter],
  constraints: [
    { name: 'extras_customfieldchoiceset_name_key', fields: ['name'] },
    { name: 'extras_customfieldchoiceset_used', key: '__all__' },
  ],
  rules: [
    ({ base_choices: base, extra_choices: extra }) =>
      base === null && getChoicePairs(extra).length === 0 ? { __all__: ['Must define base or extra choices.'] } : null,
    ({ extra_choices: extra }) => {
      const seen = new Set<string>();
      for (const [value] of getChoicePairs(extra)) {
        if (seen.has(value)) return { __all__: [`Duplicate value '${value}' found in extra choices.`] };
        seen.add(value);
      }
      return null;
    },
  ],
  hooks: {
    prepare: ({ extra_choices: extra, order_alphabetically: sorted }) =>
      Promise.resolve({
        columns:
          sorted === true ? { extra_choices: getChoicePairs(extra).toSorted((a, b) => (a[0] < b[0] ? -1 : 1)) } : {},
      }),
  },
});

/** Returns the choices of a choice set, each as a pair of value and label. Returns an empty list for other values. */
export function getChoicePairs(value: unknown): (readonly [value: string, label: string])[] {
  return Array.isArray(value)
    ? value.map((pair: unknown) => (Array.isArray(pair) ? [String(pair[0]), String(pair[1])] : ['', '']))
    : [];
}

function checkChoicePairs(value: unknown): void {
  if (!Array.isArray(value)) throw createInvalidInputProblem('Expected a list of pairs of value and label.');
  for (const pair of value) {
    const parts: unknown[] = Array.isArray(pair) ? pair : [];
    if (parts.length !== 2 || parts.some((part) => typeof part !== 'string' || part === '' || part.length > 100)) {
      throw createInvalidInputProblem('Each choice is a pair of value and label, texts of at most 100 characters.');
    }
  }
}

function checkChoiceColors(value: unknown): void {
  const entries = value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.values(value) : [null];
  const unknown: unknown = entries.find((color) => typeof color !== 'string' || !allowedChoiceColors.has(color));
  if (unknown !== undefined)
    throw createInvalidInputProblem(
      `Expected an object of choice and color, one of ${[...allowedChoiceColors].join(', ')}.`,
    );
}
