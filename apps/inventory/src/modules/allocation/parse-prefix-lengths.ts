import { inventoryErrors } from '../../errors.js';
import type { AllocationParent, AllocationRequestBody } from './allocation-pool.js';

/**
 * Returns the `prefix_length` of each prefix to allocate; null if it is optional and missing.
 *
 * @throws ApplicationError VALIDATION_FAILED with a list that has one entry per object, even for a single one
 *   (docs/contract/inventory.md 2.1)
 */
export function parsePrefixLengths(
  parent: AllocationParent,
  requestedObjects: readonly AllocationRequestBody[],
  { required }: { required: boolean },
): readonly (number | null)[] {
  const problems: { prefix_length?: string }[] = requestedObjects.map(() => ({}));
  const lengths = requestedObjects.map(({ prefix_length: given }, index) => {
    if ((given === undefined || given === null) && !required) return null;
    const problem = findPrefixLengthProblem(given, Number(parent['family']), Number(parent['length']));
    if (problem !== null) problems[index] = { prefix_length: problem };
    return Number(given);
  });
  if (problems.some((one) => one.prefix_length !== undefined))
    throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: problems } });
  return lengths;
}

function findPrefixLengthProblem(given: unknown, family: number, parentLength: number): string | null {
  if (given === undefined) return 'this field can not be missing';
  if (typeof given !== 'number' || !Number.isSafeInteger(given)) return 'this field must be int type';
  if (given < 0 || given > (family === 4 ? 32 : 128)) return `Invalid prefix length (${given}) for IPv${family}`;
  if (given < parentLength) {
    return `Prefix length must be greater than or equal to the parent mask length (${parentLength})`;
  }
  return null;
}
