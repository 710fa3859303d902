import { choiceField } from '../engine/field-types/choice.js';
import { decimalField } from '../engine/field-types/number.js';
import type { ModelPrepareResult, ValidationMessagesByField } from '../engine/declaration/define-model.js';
import { distanceUnitChoices } from './measurement-units.js';

/** Fields with the distance between the two ends of a circuit or wireless link, and the unit of the distance. */
export const distanceFields = {
  distance: decimalField({ digits: 8, places: 2, nullable: true }),
  distance_unit: choiceField(distanceUnitChoices, { nullable: true, filterSingle: true }),
};

interface DistanceValues {
  readonly distance?: number | null;
  readonly distance_unit?: string | number | null;
}

/** Checks the rule that a circuit or wireless link with a distance also has a unit of distance. */
export function checkDistanceHasUnit({
  distance,
  distance_unit: unit,
}: DistanceValues): ValidationMessagesByField | null {
  return (distance ?? 0) !== 0 && (unit ?? null) === null
    ? { __all__: ['Must specify a unit when setting a distance'] }
    : null;
}

/** Returns the column values of a write that set the unit of distance to null, if the object has no distance. */
export function clearUnitWithoutDistance({ distance }: DistanceValues): Promise<ModelPrepareResult> {
  return Promise.resolve({ columns: (distance ?? null) === null ? { distance_unit: null } : {} });
}
