import { getJsonTypeName } from '../../engine/write/invalid-input-problem.js';
import { inventoryErrors } from '../../errors.js';

/**
 * Regular expression of JSON text that contains an escape that jsonb cannot store: the null character or a surrogate.
 */
const unstorableEscapePattern = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/**
 * Returns the body of a request if it is a JSON object that can be stored.
 *
 * @throws ApplicationError VALIDATION_FAILED for any other value
 */
export function parseJsonObjectBody(body: unknown): Readonly<Record<string, unknown>> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw createValidationError(`Invalid data. Expected a dictionary, but got ${getJsonTypeName(body)}.`);
  }
  if (unstorableEscapePattern.test(JSON.stringify(body)))
    throw createValidationError('Null characters are not allowed.');
  return { ...body };
}

function createValidationError(message: string): Error {
  return inventoryErrors.create('VALIDATION_FAILED', { fields: { body: { non_field_errors: [message] } } });
}
