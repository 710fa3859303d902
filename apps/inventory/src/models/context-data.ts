import { json } from '../engine/kinds/json.js';
import { refuse } from '../engine/write/input-problem.js';

/** @throws InputProblem unless the value is an object */
export function refuseUnlessObject(value: unknown): void {
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw refuse('JSON data must be in object form. Example: {"foo": 123}');
  }
}

/** Data of the object's own, merged over what config contexts give it. */
export const localContextData = json({ nullable: true, check: refuseUnlessObject });
