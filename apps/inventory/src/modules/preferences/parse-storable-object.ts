import { jsonTypeName } from '../../engine/write/invalid-input-problem.js';
import { errors } from '../../errors.js';

/** Regular expression of JSON text with escapes that jsonb cannot store: the null character and surrogates. */
const unstorableEscapePattern = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/**
 * Returns the body of a request if it is a JSON object that can be stored.
 *
 * @throws AppError VALIDATION_FAILED for any other value
 */
export function parseStorableObject(body: unknown): Readonly<Record<string, unknown>> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw validationError(`Invalid data. Expected a dictionary, but got ${jsonTypeName(body)}.`);
  }
  if (unstorableEscapePattern.test(JSON.stringify(body))) throw validationError('Null characters are not allowed.');
  return { ...body };
}

function validationError(message: string): Error {
  return errors.create('VALIDATION_FAILED', { fields: { body: { non_field_errors: [message] } } });
}
