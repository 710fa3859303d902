import type { Tx } from '@switchboard/database';
import type { FieldRelation } from '../declaration/field.js';
import type { ModelDefinition, ObjectValuesToStore } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { mapWithEventLoopPauses } from './map-with-event-loop-pauses.js';
import { addFieldErrorMessages, hasNoFieldErrors, type ParsedRequestObject } from './parse-object-input.js';
import {
  checkGenericReferenceTargetsExist,
  type GenericReferenceTarget,
  type RelatedObjectLookupContext,
} from './resolve-related.js';

/** An object of a request that was parsed but is not stored yet. */
export interface UnsavedObject {
  readonly item: ParsedRequestObject;
  readonly previous: ObjectValuesToStore | null;
  readonly row: ObjectValuesToStore;
}

/**
 * Checks the objects of a write against the rules of their model, and collects errors. A rule on several fields runs
 * only if all of these fields are valid. Generic references must be complete, and the objects that they refer to must
 * exist.
 */
export async function checkModelRules(
  tx: Tx,
  model: ModelDefinition,
  context: RelatedObjectLookupContext,
  drafts: readonly UnsavedObject[],
): Promise<void> {
  const { registry, limits } = context;
  const generic = Object.values(model.fields).flatMap(({ relation }) =>
    relation?.typeField === undefined || relation.idField === undefined ? [] : [relation],
  );
  const requested =
    generic.length === 0
      ? []
      : (await mapWithEventLoopPauses(drafts, (draft) => listGenericReferenceTargets(generic, registry, draft))).flat();
  if (requested.length > 0) await checkGenericReferenceTargetsExist(tx, requested, context);
  await mapWithEventLoopPauses(drafts, ({ item, row, previous }) => {
    if (!hasNoFieldErrors(item)) return;
    for (const rule of model.rules) {
      const problems = rule(row, { previous, registry, limits });
      for (const [key, messages] of Object.entries(problems ?? {})) addFieldErrorMessages(item, key, messages);
    }
  });
  await runModelReviewHook(tx, model, drafts);
}

async function runModelReviewHook(tx: Tx, model: ModelDefinition, drafts: readonly UnsavedObject[]): Promise<void> {
  const sound = drafts.filter(({ item }) => Object.keys(item.problems).length === 0);
  if (model.hooks.review === undefined || sound.length === 0) return;
  const found = await model.hooks.review(
    tx,
    sound.map(({ row }) => row),
    sound.map(({ previous }) => previous),
  );
  for (const [index, problems] of found.entries()) {
    const item = sound[index]?.item;
    if (item === undefined) continue;
    for (const [key, messages] of Object.entries(problems ?? {})) addFieldErrorMessages(item, key, messages);
  }
}

/**
 * Returns the generic references that a write will store. Collects an error for a generic reference that has only a
 * model or only an id.
 */
function listGenericReferenceTargets(
  references: readonly FieldRelation[],
  registry: ModelRegistry,
  { item, row }: UnsavedObject,
): GenericReferenceTarget[] {
  return references.flatMap(({ typeField, idField, notFoundMessage, incomplete, viewedOnly = false }) => {
    if (typeField === undefined || idField === undefined) return [];
    const touched = Object.hasOwn(item.values, typeField) || Object.hasOwn(item.values, idField);
    const known = item.problems[typeField] === undefined && item.problems[idField] === undefined;
    if (!touched || !known) return [];
    const type: unknown = row[typeField];
    const id: unknown = row[idField];
    if (typeof type === 'string' && typeof id === 'number')
      return [{ item, field: idField, type, id, notFoundMessage, viewedOnly }];
    const target = typeof type === 'string' ? registry.find(type) : null;
    if (incomplete !== undefined && target !== null)
      addFieldErrorMessages(item, incomplete.key, [incomplete.message(target)]);
    else if (typeof type === 'string') addFieldErrorMessages(item, idField, ['This field cannot be null.']);
    else if (typeof id === 'number') addFieldErrorMessages(item, typeField, ['This field cannot be null.']);
    return [];
  });
}
