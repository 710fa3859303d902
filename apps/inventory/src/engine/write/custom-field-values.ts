import type { Tx } from '@switchboard/database';
import type { ObjectAccessPolicy, InventoryActor } from '../object-access.js';
import { findCustomFieldValueProblem } from '../custom-fields/check-custom-field-value.js';
import type { CustomField, CustomFieldDefinitionSource } from '../custom-fields/custom-field.js';
import {
  readCustomFieldValuesByName,
  createCustomFieldValueSql,
  mergeStoredCustomFieldValues,
} from '../custom-fields/stored-custom-field-value.js';
import type { ModelDefinition, ObjectValuesToStore } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { parseObjectReference } from '../field-types/relation.js';
import { runWithPatternTimeout } from '../regular-expression-timeout.js';
import type { RequestLimits } from '../request-limits.js';
import { InputProblem } from './invalid-input-problem.js';
import { lockUniqueCustomFieldValues } from '../../database-locks.js';
import { formatAsPython } from './format-as-python.js';
import { addFieldErrorMessages, type ParsedRequestObject } from './parse-object-input.js';
import { RelatedObjectLookup } from './related-lookup.js';
import { replaceRelatedObjectsWithIds } from './resolve-related.js';

const customFieldsJsonKey = 'custom_fields';

/** Context for validating the custom field values of objects. */
export interface CustomFieldValidationContext {
  readonly model: ModelDefinition;
  readonly registry: ModelRegistry;
  readonly policy: ObjectAccessPolicy;
  readonly actor: InventoryActor;
  readonly customFields: CustomFieldDefinitionSource;
  readonly limits: RequestLimits;
}

interface ObjectWithCustomFieldValues {
  readonly item: ParsedRequestObject;
  /** Values of all custom fields that the object will have after the write. */
  readonly values: Record<string, unknown>;
  /** True if the write creates the object, false if the object already exists. */
  readonly isNew: boolean;
  /** Names of the custom fields for which the request contains a value. */
  readonly sentNames: ReadonlySet<string>;
}

/**
 * Merges the custom field values that a client sent into stored or default values, and collects errors
 * (docs/contract/inventory.md 1.10). Runs one SQL statement for each kind of check that needs the database.
 */
export async function mergeSentCustomFieldValues(
  tx: Tx,
  items: readonly ParsedRequestObject[],
  previous: readonly (ObjectValuesToStore | null)[],
  context: CustomFieldValidationContext,
): Promise<void> {
  const { model, customFields } = context;
  if (model.fields[customFieldsJsonKey] === undefined) return;
  const fields = customFields.getFieldsOfModel(model.type);
  const sent = items.some((item) => item.values[customFieldsJsonKey] !== undefined);
  if (fields.length === 0 && !sent) return;
  await resolveObjectCustomFieldValues(tx, items, fields, context);
  const candidates = items.flatMap((item, index) => {
    if (item.problems[customFieldsJsonKey] !== undefined) return [];
    const isNew = previous[index] === null;
    const sentNames = new Set(Object.keys(toCustomFieldValuesObject(item.values[customFieldsJsonKey])));
    const values = mergeSentIntoStoredValues(item, previous[index] ?? null, fields);
    return values === null
      ? []
      : [{ item, values, isNew, sentNames, before: toCustomFieldValuesObject(previous[index]?.[customFieldsJsonKey]) }];
  });
  const made = candidates.flatMap(({ isNew, values }) => (isNew ? Object.keys(values) : []));
  await lockCustomFieldsByName(tx, made, { model, customFields });
  for (const { item, values, isNew, sentNames } of candidates) {
    const checked = fields.filter(
      (field) => isNew || sentNames.has(field.name) || !hasStoredCodeListValue(field, values),
    );
    const problem = findFirstCustomFieldProblem(checked, values);
    if (problem !== null) addFieldErrorMessages(item, '__all__', [problem]);
  }
  await checkCustomFieldRegularExpressions(tx, candidates, fields);
  await checkUniqueCustomFieldValues(tx, candidates, fields, model);
  for (const { item, values, before } of candidates)
    item.values[customFieldsJsonKey] = mergeStoredCustomFieldValues(values, fields, before);
}

/**
 * Locks the rows of the custom fields for which a request contains values. Callers must lock these rows before the
 * objects, so that all writes lock rows in the same order. Other custom fields need no lock, because the values of
 * deleted custom fields are never read.
 */
export async function lockSentCustomFields(
  tx: Tx,
  bodies: readonly unknown[],
  place: Pick<CustomFieldValidationContext, 'model' | 'customFields'>,
): Promise<void> {
  if (place.model.fields[customFieldsJsonKey] === undefined) return;
  const sent = bodies.flatMap((body) =>
    Object.keys(toCustomFieldValuesObject(toCustomFieldValuesObject(body)[customFieldsJsonKey])),
  );
  await lockCustomFieldsByName(tx, sent, place);
}

/** Locks the rows of a model's custom fields that have a default value, before new objects store the default value. */
export async function lockCustomFieldsWithDefault(
  tx: Tx,
  models: readonly ModelDefinition[],
  customFields: CustomFieldDefinitionSource,
): Promise<void> {
  for (const model of models)
    await lockCustomFieldsByName(tx, Object.keys(getCustomFieldDefaults(model, customFields)), { model, customFields });
}

/** Returns the custom field values of a new object, if the request contains no custom field values. */
export function getNewObjectCustomFields(
  model: ModelDefinition,
  customFields: CustomFieldDefinitionSource,
): Record<string, unknown> {
  return mergeStoredCustomFieldValues(
    getCustomFieldDefaults(model, customFields),
    customFields.getFieldsOfModel(model.type),
    {},
  );
}

function getCustomFieldDefaults(
  model: ModelDefinition,
  customFields: CustomFieldDefinitionSource,
): Record<string, unknown> {
  if (model.fields[customFieldsJsonKey] === undefined) return {};
  const defaults = customFields
    .getFieldsOfModel(model.type)
    .map(({ name, defaultValue }) => [name, defaultValue] as const);
  return Object.fromEntries(defaults.filter(([, value]) => value !== null && value !== undefined));
}

async function lockCustomFieldsByName(
  tx: Tx,
  names: readonly string[],
  { model, customFields }: Pick<CustomFieldValidationContext, 'model' | 'customFields'>,
): Promise<void> {
  const stored = new Set(names);
  const fields = customFields.getFieldsOfModel(model.type).filter(({ name }) => stored.has(name));
  if (fields.length > 0) await customFields.lockDefinitions(tx, fields);
}

/**
 * Returns all custom field values that an object will have after the write. If the request contains unknown custom
 * field names, adds an error for each unknown name and returns null.
 */
function mergeSentIntoStoredValues(
  item: ParsedRequestObject,
  previous: ObjectValuesToStore | null,
  fields: readonly CustomField[],
): Record<string, unknown> | null {
  const given = toCustomFieldValuesObject(item.values[customFieldsJsonKey]);
  const known = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  if (unknown.length > 0) {
    item.problems[customFieldsJsonKey] = Object.fromEntries(
      unknown.map((name) => [name, `Custom field '${name}' does not exist for this object type.`]),
    );
    return null;
  }
  const before: Record<string, unknown> =
    previous === null
      ? Object.fromEntries(fields.map(({ name, defaultValue }) => [name, defaultValue]))
      : readCustomFieldValuesByName(toCustomFieldValuesObject(previous[customFieldsJsonKey]), fields);
  return Object.fromEntries(
    Object.entries({ ...before, ...given }).filter(([, value]) => value !== null && value !== undefined),
  );
}

/**
 * Returns true if the custom field uses a public code list and the object already has a value for the field. The stored
 * code was checked earlier. Changes of other fields are accepted even if the list no longer contains the code.
 */
function hasStoredCodeListValue({ choiceSet, name }: CustomField, values: Readonly<Record<string, unknown>>): boolean {
  return choiceSet !== null && choiceSet.base !== null && values[name] !== undefined;
}

function findFirstCustomFieldProblem(
  fields: readonly CustomField[],
  values: Readonly<Record<string, unknown>>,
): string | null {
  for (const field of fields) {
    const value = values[field.name];
    if (value === undefined && field.required) return `Missing required custom field '${field.name}'.`;
    const problem = findCustomFieldValueProblem(field, value);
    if (problem !== null) return createCustomFieldErrorMessage(field.name, problem);
    if (field.type === 'decimal' && typeof value === 'string' && value !== '')
      Object.assign(values, { [field.name]: Number(value) });
    if (field.type === 'boolean' && typeof value === 'number') Object.assign(values, { [field.name]: value === 1 });
  }
  return null;
}

/** Replaces custom field values that identify objects by id or attributes with the ids of those objects. */
async function resolveObjectCustomFieldValues(
  tx: Tx,
  items: readonly ParsedRequestObject[],
  fields: readonly CustomField[],
  context: CustomFieldValidationContext,
): Promise<void> {
  const requested: { item: ParsedRequestObject; field: CustomField; given: unknown; lookup: ParsedRequestObject }[] =
    [];
  for (const field of fields) {
    if (field.relatedType === null) continue;
    for (const item of items) {
      const given = toCustomFieldValuesObject(item.values[customFieldsJsonKey])[field.name];
      if (given === undefined || given === null) continue;
      const lookup: ParsedRequestObject = { id: null, values: {}, problems: {} };
      try {
        const place = { name: field.name, registry: context.registry, model: context.model };
        const keys = (Array.isArray(given) ? given : [given]).map((one) =>
          parseObjectReference(one, field.relatedType ?? '', place),
        );
        lookup.values['found'] = new RelatedObjectLookup(field.relatedType, keys, { many: true });
      } catch (error) {
        if (!(error instanceof InputProblem)) throw error;
        lookup.problems['found'] = error.messages;
      }
      requested.push({ item, field, given, lookup });
    }
  }
  if (requested.length === 0) return;
  await replaceRelatedObjectsWithIds(
    tx,
    requested.map(({ lookup }) => lookup),
    context,
  );
  for (const { item, field, given, lookup } of requested) {
    if (lookup.problems['found'] !== undefined || (field.type === 'object' && Array.isArray(given))) {
      const unknown = [`Unknown related object(s): ${typeof given === 'string' ? given : formatAsPython(given)}`];
      const found = lookup.problems['found'];
      addFieldErrorMessages(item, customFieldsJsonKey, Array.isArray(found) ? found : unknown);
      continue;
    }
    const found: unknown = lookup.values['found'];
    const ids = Array.isArray(found) ? found : [];
    item.values[customFieldsJsonKey] = {
      ...toCustomFieldValuesObject(item.values[customFieldsJsonKey]),
      [field.name]: field.type === 'object' ? ids[0] : ids,
    };
  }
}

/**
 * Checks custom field values against the regular expressions of the custom fields. PostgreSQL matches the regular
 * expressions with a time limit, because a stored expression may be slow.
 */
async function checkCustomFieldRegularExpressions(
  tx: Tx,
  candidates: readonly ObjectWithCustomFieldValues[],
  fields: readonly CustomField[],
): Promise<void> {
  const tried = fields
    .filter(({ regex }) => regex !== '')
    .flatMap((field) =>
      candidates.flatMap(({ item, values }) => {
        const value = values[field.name];
        return typeof value === 'string' && value !== '' ? [{ item, field, value }] : [];
      }),
    );
  if (tried.length === 0) return;
  const { rows } = await runWithPatternTimeout(tx, [customFieldsJsonKey], () =>
    tx.query<{ at: number }>(
      `SELECT (ordinal - 1)::int AS at FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (value, expression, ordinal)
        WHERE value !~ ('^(?:' || expression || ')')`,
      [tried.map(({ value }) => value), tried.map(({ field }) => field.regex)],
    ),
  );
  for (const { at } of rows) {
    const one = tried[at];
    if (one === undefined) continue;
    addFieldErrorMessages(one.item, '__all__', [
      createCustomFieldErrorMessage(one.field.name, `Value must match regex '${one.field.regex}'`),
    ]);
  }
}

/**
 * Collects an error for each value of a unique custom field that another object already has. The database has no unique
 * index, so concurrent writes of the same value wait for each other. All locks are acquired before the first check. A
 * value that an object retains needs no lock: transactions that write the same value read the committed row of this
 * object.
 */
async function checkUniqueCustomFieldValues(
  tx: Tx,
  candidates: readonly ObjectWithCustomFieldValues[],
  fields: readonly CustomField[],
  { type, table }: ModelDefinition,
): Promise<void> {
  const checked = fields.flatMap((field) => {
    const { name, unique } = field;
    const holders = unique ? candidates.filter(({ values }) => (values[name] ?? '') !== '') : [];
    return holders.length === 0 ? [] : [{ field, name, holders }];
  });
  const writtenValues = checked.flatMap(({ name, holders }) => {
    const written = holders.filter(({ isNew, sentNames }) => isNew || sentNames.has(name));
    return written.length === 0 ? [] : [[name, written.map(({ values }) => JSON.stringify(values[name]))] as const];
  });
  await lockUniqueCustomFieldValues(tx, type, new Map(writtenValues));
  for (const { field, name, holders } of checked) {
    const { rows } = await tx.query<{ at: number }>(
      `SELECT DISTINCT (g.ordinal - 1)::int AS at FROM unnest($1::jsonb[], $2::bigint[]) WITH ORDINALITY AS g (value, id, ordinal)
        JOIN ${table} o ON ${createCustomFieldValueSql('o', field)} = g.value AND o.id IS DISTINCT FROM g.id
        WHERE NOT o.id = ANY (array_remove($2::bigint[], NULL))`,
      [holders.map(({ values }) => JSON.stringify(values[name])), holders.map(({ item }) => item.id)],
    );
    const taken = new Set(rows.map(({ at }) => at));
    const seen = new Set<string>();
    holders.forEach(({ item, values }, index) => {
      const value = JSON.stringify(values[name]);
      if (taken.has(index) || seen.has(value)) {
        addFieldErrorMessages(item, '__all__', [`Custom field '${name}' must have a unique value.`]);
      }
      seen.add(value);
    });
  }
}

function createCustomFieldErrorMessage(name: string, problem: string): string {
  return `Invalid value for custom field '${name}': ${problem}`;
}

function toCustomFieldValuesObject(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : {};
}
