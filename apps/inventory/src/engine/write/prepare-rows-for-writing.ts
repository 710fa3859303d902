import type { Tx } from '@switchboard/database';
import type { PrepareHookContext } from '../declaration/define-model.js';
import { encryptSecretFields } from '../sealed/encrypt-secret-fields.js';
import type { UploadedFileChanges } from '../uploads/uploaded-file-changes.js';
import { toRowColumnValues, toRowFieldValues } from './stored-columns-of-models.js';
import { mergeSentCustomFieldValues } from './custom-field-values.js';
import { fillUnsavedObjects } from './fill-unsaved-objects.js';
import { mapWithEventLoopPauses } from './map-with-event-loop-pauses.js';
import { mergeSentAndStoredValues } from './merge-row-values.js';
import { hasNoFieldErrors, type ParsedRequestObject } from './parse-object-input.js';
import { createValidationError, type ValidationErrorForm } from './validation-error.js';
import { collectMissingRelatedObjectIds, replaceRelatedObjectsWithIds } from './resolve-related.js';
import { collectMissingRowTargets } from './row-list-assignments.js';
import { checkModelRules } from './check-rules.js';
import { rejectManyConnectedObjects } from './connected-objects-limit.js';
import { checkTagChanges } from './tag-changes.js';
import type { WorkOutsideTransaction } from './work-outside-transaction.js';
import type { WriteRequest, ObjectWriterOptions } from './write-request.js';
import type { RowLoadedBeforeChange } from './write-statements.js';

/** A row that has passed all checks and can be written by an SQL statement. */
export interface RowPreparedForWrite {
  /** Values of all columns of the row, by column name. */
  readonly columns: Record<string, unknown>;
  /** Field values that only the response to this request shows, such as a new secret. */
  readonly reveal: Readonly<Record<string, unknown>>;
}

/** Data and functions for preparing the rows of one attempt of a write: uploaded files, stored rows and slow work. */
export interface RowPreparationContext {
  readonly items: readonly ParsedRequestObject[];
  /** Stored row of each object of the write before the write. Null for an object that the write creates. */
  readonly before: readonly (RowLoadedBeforeChange | null)[];
  readonly shape: ValidationErrorForm;
  readonly files: UploadedFileChanges;
  readonly ahead: WorkOutsideTransaction;
}

/**
 * Returns the rows to write for the parsed objects of a request. Finds related objects, adds default values, checks
 * rules and runs hooks.
 *
 * @throws ApplicationError VALIDATION_FAILED
 */
export async function prepareRowsForWrite(
  tx: Tx,
  { registry, policy, services, shapes }: ObjectWriterOptions,
  { model, actor }: WriteRequest,
  { items, before, shape, files, ahead }: RowPreparationContext,
): Promise<RowPreparedForWrite[]> {
  const { limits } = services;
  await replaceRelatedObjectsWithIds(tx, items, { registry, policy, actor, limits });
  await checkTagChanges(tx, items, { model, registry });
  await collectMissingRowTargets(tx, items, { model, registry });
  const stored = items.map((_, index) => before[index]?.[1] ?? null);
  const previous = await mapWithEventLoopPauses(stored, (columns) =>
    columns === null ? null : toRowFieldValues(model, columns),
  );
  const { customFields } = shapes;
  await mergeSentCustomFieldValues(tx, items, previous, { model, registry, policy, actor, customFields, limits });
  const read = await mapWithEventLoopPauses(items, (item, index) => {
    const earlier = previous[index] ?? null;
    return {
      item,
      stored: stored[index] ?? null,
      previous: earlier,
      row: mergeSentAndStoredValues(model, item, earlier),
    };
  });
  const drafts = await fillUnsavedObjects(tx, model, read);
  await checkModelRules(tx, model, { registry, policy, actor, limits }, drafts);
  if (!items.every(hasNoFieldErrors)) await collectMissingRelatedObjectIds(tx, items, { model, registry });
  const failed = items.flatMap((item, index) => (hasNoFieldErrors(item) ? [] : [{ index, problems: item.problems }]));
  if (failed.length > 0) throw createValidationError(failed, shape);
  await rejectManyConnectedObjects(tx, { model, registry }, items);
  const rows = await mapWithEventLoopPauses(
    drafts,
    async ({ item, row, stored: columns, previous: earlier }, index) => {
      const stores = await files.storeUploads(model, row, earlier, ahead);
      const own: PrepareHookContext['ahead'] = (key, work) =>
        ahead.getSlowWorkResult(`${item.id ?? `new ${index}`} ${key}`, work);
      const prepared = await model.hooks.prepare?.(row, { previous: earlier, actor, services, ahead: own });
      const sealed = encryptSecretFields(model, row, earlier, services);
      return {
        columns: { ...columns, ...toRowColumnValues(model, row), ...stores, ...sealed, ...prepared?.columns },
        reveal: prepared?.reveal ?? {},
      };
    },
  );
  ahead.requireSlowWorkResults();
  return rows;
}
