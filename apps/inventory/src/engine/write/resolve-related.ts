import type { Tx } from '@switchboard/database';
import { inventoryErrors } from '../../errors.js';
import { type ObjectAccessPolicy, type InventoryActor, createViewCondition } from '../object-access.js';
import type { FieldRelation } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { runWithPatternTimeout } from '../regular-expression-timeout.js';
import type { RequestLimits } from '../request-limits.js';
import { SqlParameters } from '../sql/parameterized-statement.js';
import { createAttributeConditionsSql } from './lookup-attribute-conditions.js';
import { countIdentifyingAttributes } from './count-attributes.js';
import { InputProblem } from './invalid-input-problem.js';
import { formatAsPython } from './format-as-python.js';
import { addFieldErrorMessages, type ParsedRequestObject } from './parse-object-input.js';
import { type RelatedObjectKey, RelatedObjectLookup } from './related-lookup.js';

/** Services and data for looking up the related objects of a write. */
export interface RelatedObjectLookupContext {
  readonly registry: ModelRegistry;
  readonly policy: ObjectAccessPolicy;
  readonly actor: InventoryActor;
  readonly limits: RequestLimits;
}

interface RequestedRelatedObjectLookup {
  readonly item: ParsedRequestObject;
  readonly field: string;
  readonly lookup: RelatedObjectLookup;
}

/**
 * Looks up the related objects of a write in batches, and replaces them with their ids. A related object that is given
 * by id needs no statement, because a foreign key rejects unknown ids.
 */
export async function replaceRelatedObjectsWithIds(
  tx: Tx,
  items: readonly ParsedRequestObject[],
  context: RelatedObjectLookupContext,
): Promise<void> {
  const requested: RequestedRelatedObjectLookup[] = [];
  for (const item of items) {
    for (const [field, value] of Object.entries(item.values)) {
      if (!(value instanceof RelatedObjectLookup)) continue;
      const [only] = value.requested;
      if (!value.many && !value.viewedOnly && only !== undefined && 'id' in only) item.values[field] = only.id;
      else requested.push({ item, field, lookup: value });
    }
  }
  if (requested.length === 0) return;
  const found = await findRelatedObjectIds(tx, requested, context);
  for (const { item, field, lookup } of requested) {
    const messages: string[] = [];
    const ids = lookup.requested.flatMap((key) => {
      const result = found.get(createLookupKey(lookup, key)) ?? [];
      const message = typeof result === 'string' ? result : createLookupErrorMessage(lookup, key, result);
      if (message !== null) messages.push(message);
      return typeof result === 'string' ? [] : result.slice(0, 1);
    });
    if (messages.length > 0) addFieldErrorMessages(item, field, messages);
    item.values[field] = lookup.many ? [...new Set(ids)] : (ids[0] ?? null);
  }
}

/**
 * Collects errors for ids of related objects that do not exist. Called only after the database rejected a write,
 * because otherwise foreign keys check the ids.
 */
export async function collectMissingRelatedObjectIds(
  tx: Tx,
  items: readonly ParsedRequestObject[],
  { model, registry }: { readonly model: ModelDefinition; readonly registry: ModelRegistry },
): Promise<void> {
  for (const [name, { relation, traits }] of Object.entries(model.fields)) {
    const [type] = relation?.kind === 'ref' && !traits.readOnly ? relation.targets : [];
    const target = type === undefined ? null : registry.find(type);
    const given = items.flatMap((item) => {
      const id = item.values[name];
      return typeof id === 'number' && item.problems[name] === undefined ? [{ item, id }] : [];
    });
    if (target === null || given.length === 0) continue;
    const { rows } = await tx.query<{ id: number }>(`SELECT id FROM ${target.table} WHERE id = ANY ($1::bigint[])`, [
      given.map(({ id }) => id),
    ]);
    const known = new Set(rows.map(({ id }) => id));
    for (const { item, id } of given)
      if (!known.has(id)) addFieldErrorMessages(item, name, [createMissingObjectMessage(id, relation)]);
  }
}

/** Returns the error message for the id of a related object, if no object has that id. */
export function createMissingObjectMessage(id: number, relation: FieldRelation | undefined): string {
  return relation?.missingMessage?.(id) ?? `Related object not found using the provided numeric ID: ${id}`;
}

/** A generic reference of a written object: the name of the field, and the type and id of the referenced object. */
export interface GenericReferenceTarget {
  readonly item: ParsedRequestObject;
  readonly field: string;
  readonly type: string;
  readonly id: number;
  readonly notFoundMessage: FieldRelation['notFoundMessage'] | undefined;
  readonly viewedOnly: boolean;
}

/**
 * Checks that the objects to which generic references point exist. The columns of generic references have no foreign
 * keys. Therefore the function locks the rows of the referenced objects against deletion until the write is committed.
 */
export async function checkGenericReferenceTargetsExist(
  tx: Tx,
  requested: readonly GenericReferenceTarget[],
  { registry, policy, actor }: RelatedObjectLookupContext,
): Promise<void> {
  for (const type of new Set(requested.map((one) => one.type))) {
    const target = registry.find(type);
    const ofType = requested.filter((one) => one.type === type);
    const ids = [...new Set(ofType.map(({ id }) => id))];
    const known = new Set<number>();
    const viewed = new Set<number>();
    if (target !== null) {
      const parameters = new SqlParameters();
      const requestedIds = parameters.add(ids, 'bigint[]');
      const checksView = ofType.some(({ viewedOnly }) => viewedOnly);
      const isViewed = checksView ? createViewCondition(policy, actor, target, { alias: 'x', parameters }) : 'true';
      const { rows } = await tx.query<{ id: number; viewed: boolean | null }>(
        `SELECT x.id, ${isViewed} AS viewed FROM ${target.table} x
          WHERE x.id = ANY (${requestedIds}) ORDER BY x.id FOR KEY SHARE OF x`,
        parameters.values,
      );
      for (const row of rows) {
        known.add(row.id);
        if (row.viewed === true) viewed.add(row.id);
      }
    }
    for (const { item, field, id, notFoundMessage, viewedOnly } of ofType) {
      if ((viewedOnly ? viewed : known).has(id)) continue;
      if (notFoundMessage !== undefined && target !== null)
        addFieldErrorMessages(item, notFoundMessage.key, [notFoundMessage.message(target, id)]);
      else addFieldErrorMessages(item, field, [`Related object not found using the provided value: ${id}.`]);
    }
  }
}

/**
 * Maximum number of attributes, including ids, that one lookup statement compares. PostgreSQL's parser needs one
 * nesting level per object, and the planning time grows with the number of attributes.
 */
const maxAttributesPerLookup = 500;

type RelatedObjectLookupEntry = readonly [
  name: string,
  one: { readonly lookup: RelatedObjectLookup; readonly key: RelatedObjectKey },
];

/**
 * Looks up related objects and returns their ids by key. Returns at most two ids per key, which is enough to find out
 * that a key is ambiguous. Returns an error message for invalid attributes.
 */
async function findRelatedObjectIds(
  tx: Tx,
  requested: readonly RequestedRelatedObjectLookup[],
  context: RelatedObjectLookupContext,
): Promise<Map<string, number[] | string>> {
  const found = new Map<string, number[] | string>();
  const distinct = new Map(
    requested.flatMap(({ lookup }) =>
      lookup.requested.map((key) => [createLookupKey(lookup, key), { lookup, key }] as const),
    ),
  );
  for (const batch of divideLookupsIntoBatches([...distinct], context.limits))
    await runRelatedObjectLookupBatch(tx, batch, found, context);
  return found;
}

/**
 * Divides the lookups of related objects among statements.
 *
 * @throws ApplicationError VALIDATION_FAILED if the number of lookups exceeds the limit of one write
 */
function divideLookupsIntoBatches(
  all: readonly RelatedObjectLookupEntry[],
  limits: RequestLimits,
): RelatedObjectLookupEntry[][] {
  const batches: RelatedObjectLookupEntry[][] = [];
  let [total, inBatch] = [0, 0];
  for (const one of all) {
    const names = countLookupAttributes(one[1].key, limits);
    total += 'id' in one[1].key ? 0 : names;
    inBatch += names;
    if (batches.length === 0 || inBatch > maxAttributesPerLookup) {
      batches.push([]);
      inBatch = names;
    }
    batches.at(-1)?.push(one);
  }
  if (total <= limits.attributeNames) return batches;
  const message = `Give at most ${limits.attributeNames} names in attributes of related objects (there are ${total}).`;
  throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: { non_field_errors: [message] } } });
}

/**
 * Returns the number of attributes in the key of a related object. The number is 1 for an id, and for attributes that
 * are rejected later.
 */
function countLookupAttributes(key: RelatedObjectKey, limits: RequestLimits): number {
  if ('id' in key) return 1;
  try {
    return countIdentifyingAttributes(key.attributes, limits).names;
  } catch (error) {
    if (error instanceof InputProblem) return 1;
    throw error;
  }
}

async function runRelatedObjectLookupBatch(
  tx: Tx,
  batch: readonly RelatedObjectLookupEntry[],
  found: Map<string, number[] | string>,
  context: RelatedObjectLookupContext,
): Promise<void> {
  const parameters = new SqlParameters();
  const branches: string[] = [];
  const names: string[] = [];
  let hasPattern = false;
  const runsPattern = (): void => {
    hasPattern = true;
  };
  for (const [name, { lookup, key }] of batch) {
    found.set(name, []);
    try {
      const branch = createLookupSelectSql(lookup, key, { index: names.length, parameters, runsPattern }, context);
      if (branch === null) continue;
      branches.push(branch);
      names.push(name);
    } catch (error) {
      if (!(error instanceof InputProblem) || !Array.isArray(error.messages)) throw error;
      found.set(name, String(error.messages[0]));
    }
  }
  if (branches.length === 0) return;
  const find = () => tx.query<{ k: number; id: number }>(branches.join(' UNION ALL '), parameters.values);
  const { rows } = hasPattern ? await runWithPatternTimeout(tx, ['non_field_errors'], find) : await find();
  for (const { k, id } of rows) {
    const ids = found.get(names[k] ?? '');
    if (Array.isArray(ids)) ids.push(id);
  }
}

function createLookupSelectSql(
  { type, viewedOnly }: RelatedObjectLookup,
  key: RelatedObjectKey,
  { index, parameters, runsPattern }: { index: number; parameters: SqlParameters; runsPattern: () => void },
  { registry, policy, actor, limits }: RelatedObjectLookupContext,
): string | null {
  const target = registry.find(type);
  if (target === null) return null;
  if ('id' in key) {
    const viewed = viewedOnly ? ` AND ${createViewCondition(policy, actor, target, { alias: 'x', parameters })}` : '';
    return `(SELECT ${index} AS k, x.id FROM ${target.table} x WHERE x.id = ${parameters.add(key.id, 'bigint')}${viewed})`;
  }
  // A lookup by attributes finds only objects that the user may view. A lookup by id does not check this, like the
  // reference API (docs/contract/inventory.md 1.3).
  const grant = policy.getGrant(actor, target, 'view');
  if (grant === null) return null;
  const conditions = createAttributeConditionsSql(target, key.attributes, {
    registry,
    parameters,
    alias: 'x',
    limits,
    runsPattern,
  });
  if (grant.where !== null) conditions.push(grant.where('x', parameters));
  return `(SELECT ${index} AS k, x.id FROM ${target.table} x WHERE ${['true', ...conditions].join(' AND ')} LIMIT 2)`;
}

function createLookupErrorMessage(
  lookup: RelatedObjectLookup,
  key: RelatedObjectKey,
  ids: readonly number[],
): string | null {
  if (ids.length === 1) return null;
  if ('id' in key) return lookup.createMissingIdMessage(key.id);
  return ids.length === 0
    ? lookup.createUnknownAttributesMessage(key.attributes)
    : `Multiple objects match the provided attributes: ${formatAsPython(key.attributes)}`;
}

function createLookupKey({ type, viewedOnly }: RelatedObjectLookup, key: RelatedObjectKey): string {
  return `${type} ${viewedOnly} ${JSON.stringify(key)}`;
}
