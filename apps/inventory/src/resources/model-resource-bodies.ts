import type { ModelDefinition } from '../engine/declaration/define-model.js';
import { listSelectedFieldNames } from '../engine/read/object-json-fragments.js';
import { parseFieldSelection } from '../engine/read/field-selection.js';
import { InputProblem, parseEachListItem, getJsonTypeName } from '../engine/write/invalid-input-problem.js';
import { parseChangelogMessage } from '../engine/write/parse-object-input.js';
import type { RequestLimits } from '../engine/request-limits.js';
import { inventoryErrors } from '../errors.js';

/** Id of one object in the body of a bulk request, and the part of the body for that object. */
export interface BulkObjectChange {
  readonly id: string;
  readonly body: unknown;
}

/**
 * Rejects a list of objects that is longer than one request may contain.
 *
 * @throws ApplicationError VALIDATION_FAILED
 */
export function rejectTooLongList(body: unknown, { bulkItems }: Pick<RequestLimits, 'bulkItems'>): void {
  if (!Array.isArray(body) || body.length <= bulkItems) return;
  throw createValidationError({ non_field_errors: [`Give at most ${bulkItems} objects (there are ${body.length}).`] });
}

/**
 * Parses the request body of a bulk change or bulk deletion. The body is a list of objects, each with an `id`
 * (docs/contract/inventory.md 1.11).
 *
 * @throws ApplicationError VALIDATION_FAILED, with one entry per item if some items have no valid id
 */
export function parseBulkObjectChanges(
  body: unknown,
  limits: Pick<RequestLimits, 'bulkItems'>,
): readonly BulkObjectChange[] {
  rejectTooLongList(body, limits);
  if (!Array.isArray(body)) {
    const text = `Expected a list of items but got type "${getJsonTypeName(body)}".`;
    throw createValidationError({ non_field_errors: [text] });
  }
  try {
    return parseEachListItem(body, parseBulkObjectChange);
  } catch (error) {
    if (!(error instanceof InputProblem)) throw error;
    throw createValidationError(error.messages);
  }
}

function parseBulkObjectChange(item: unknown): BulkObjectChange {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) {
    throw new InputProblem({
      non_field_errors: [`Invalid data. Expected a dictionary, but got ${getJsonTypeName(item)}.`],
    });
  }
  const id: unknown = Reflect.get(item, 'id');
  const text = typeof id === 'number' || typeof id === 'string' ? String(id) : '';
  if (/^\d{1,18}$/.test(text)) return { id: text, body: item };
  const present = id === null ? 'This field may not be null.' : 'A valid integer is required.';
  throw new InputProblem({ id: [id === undefined ? 'This field is required.' : present] });
}

/**
 * Returns the messages for the change log that the request of a bulk deletion contains, by object id. Omits objects
 * without a message.
 *
 * @throws ApplicationError VALIDATION_FAILED for an invalid message
 */
export function getChangelogMessages(items: readonly BulkObjectChange[]): ReadonlyMap<number, string> {
  const messages = new Map(
    items.map(({ id, body }) => {
      try {
        return [Number(id), parseChangelogMessage(body)];
      } catch (error) {
        if (error instanceof InputProblem) throw createValidationError({ changelog_message: error.messages });
        throw error;
      }
    }),
  );
  return new Map([...messages].filter(([, message]) => message !== ''));
}

/**
 * Returns the JSON text of a written object, reduced to the fields that the query parameters `fields` and `omit`
 * select.
 */
export function selectRequestedJsonFields(
  text: string,
  { model, query }: { model: ModelDefinition; query: URLSearchParams },
): string {
  const selection = parseFieldSelection(query, { brief: false });
  if (selection.fields === null && selection.omit === null) return text;
  const requested = new Set(listSelectedFieldNames(model, selection));
  const whole: unknown = JSON.parse(text);
  const left = Object.entries(Object(whole)).filter(([name]) => requested.has(name));
  return JSON.stringify(Object.fromEntries(left));
}

function createValidationError(body: object): Error {
  return inventoryErrors.create('VALIDATION_FAILED', { fields: { body } });
}
