import type { ModelDefinition } from '../declaration/define-model.js';
import { urlBasePlaceholder } from './write-request.js';
import type { ObjectChange } from './change-sink.js';
import { mapWithPauses } from './map-with-event-loop-pauses.js';
import type { ParsedObject } from './parse-object-input.js';
import type { LoadedRow, WrittenRow } from './write-statements.js';

/** Objects of one model that a statement wrote. All lists contain the objects in the same order. */
export interface WrittenObjects {
  readonly items: readonly ParsedObject[];
  readonly rows: readonly WrittenRow[];
  /** Stored rows of the objects before the write. Null if the write created the objects. */
  readonly before: readonly LoadedRow[] | null;
  /**
   * List with one entry per written object. True if a field changed that change records do not show, such as an
   * encrypted text.
   */
  readonly hidden?: readonly boolean[];
}

/** Returns the changes of written objects for change records and webhooks, in the order of the written rows. */
export function listWrittenChanges(
  model: ModelDefinition,
  { items, rows, before, hidden }: WrittenObjects,
): Promise<ObjectChange[]> {
  return mapWithPauses(rows, ([id, data, snapshot], index): ObjectChange => ({
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
