import type { ModelDefinition } from '../declaration/define-model.js';
import { urlBasePlaceholder } from './write-request.js';
import type { ObjectChange } from './change-sink.js';
import { mapWithEventLoopPauses } from './map-with-event-loop-pauses.js';
import type { ParsedRequestObject } from './parse-object-input.js';
import type { RowLoadedBeforeChange, WrittenRow } from './write-statements.js';

/** Objects of one model that a statement wrote. All lists contain the objects in the same order. */
export interface WrittenObjectsOfModel {
  readonly items: readonly ParsedRequestObject[];
  readonly rows: readonly WrittenRow[];
  /** Stored rows of the objects before the write. Null if the write created the objects. */
  readonly before: readonly RowLoadedBeforeChange[] | null;
  /**
   * List with one entry per written object. True if a field changed that change records do not show, such as an
   * encrypted text.
   */
  readonly hidden?: readonly boolean[];
}

/** Returns the changes of written objects for change records and webhooks, in the order of the written rows. */
export function listChangesOfWrittenObjects(
  model: ModelDefinition,
  { items, rows, before, hidden }: WrittenObjectsOfModel,
): Promise<ObjectChange[]> {
  return mapWithEventLoopPauses(rows, ([id, data, snapshot], index): ObjectChange => ({
    model,
    id,
    event: before === null ? 'created' : 'updated',
    data: data.replaceAll(urlBasePlaceholder, ''),
    prechange: before?.[index]?.[2] ?? null,
    postchange: snapshot,
    hidden: hidden?.[index] ?? false,
    message: items[index]?.message,
  }));
}
