import { readSchema } from '../engine/custom-fields/check-value.js';
import { refuse } from '../engine/write/input-problem.js';

/** @throws InputProblem unless the value is a JSON schema that values can be checked against */
export function checkSchema(value: unknown): void {
  if (typeof value !== 'object' || Array.isArray(value) || readSchema(value) === null) {
    throw refuse('Invalid JSON schema definition');
  }
}
