import type { ValidationMessagesByField } from '../engine/declaration/define-model.js';

/** Labels of the units of distance, by stored value. */
export const distanceUnitChoices = { km: 'Kilometers', m: 'Meters', mi: 'Miles', ft: 'Feet' };

/** Labels of the units of weight, by stored value. */
export const weightUnitChoices = { kg: 'Kilograms', g: 'Grams', lb: 'Pounds', oz: 'Ounces' };

/** Checks the rule that an object with a weight also has a unit of weight. */
export function checkWeightHasUnit(row: {
  readonly weight?: number | null;
  readonly weight_unit?: string | number | null;
}): ValidationMessagesByField | null {
  if (!row.weight || row.weight_unit) return null;
  return { __all__: ['Must specify a unit when setting a weight'] };
}
