import { createJsonSchemaValidator } from '../engine/custom-fields/check-custom-field-value.js';
import { createInvalidInputProblem } from '../engine/write/invalid-input-problem.js';

/**
 * Checks that a sent value is a JSON schema.
 *
 * @throws InputProblem if zod cannot read it
 */
export function checkJsonSchema(value: unknown): void {
  if (typeof value !== 'object' || Array.isArray(value) || createJsonSchemaValidator(value) === null) {
    throw createInvalidInputProblem('Invalid JSON schema definition');
  }
}
