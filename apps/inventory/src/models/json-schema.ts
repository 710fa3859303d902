import { readSchema } from '../engine/custom-fields/check-value.js';
import { refuse } from '../engine/write/input-problem.js';

/** @throws InputProblem if the value is not a JSON schema that zod can read */
export function checkSchema(value: unknown): void {
  if (typeof value !== 'object' || Array.isArray(value) || readSchema(value) === null) {
    throw refuse('Invalid JSON schema definition');
  }
}
