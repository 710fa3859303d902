import type { Problems } from '../engine/declaration/model.js';

/** Units of length of lines and links. */
export const distanceUnits = { km: 'Kilometers', m: 'Meters', mi: 'Miles', ft: 'Feet' };

/** Units of weight. */
export const weightUnits = { kg: 'Kilograms', g: 'Grams', lb: 'Pounds', oz: 'Ounces' };

/** A rule: a weight has a unit. */
export function weightHasUnit(row: {
  readonly weight?: number | null;
  readonly weight_unit?: string | number | null;
}): Problems | null {
  if (!row.weight || row.weight_unit) return null;
  return { __all__: ['Must specify a unit when setting a weight'] };
}
