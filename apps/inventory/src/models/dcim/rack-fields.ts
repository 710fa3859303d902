import type { ValidationMessagesByField } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { decimalField, integerField } from '../../engine/field-types/number.js';
import { checkWeightHasUnit, weightUnitChoices } from '../measurement-units.js';
import { rackOuterDimensionUnits, rackFormFactors, rackWidths } from './rack-choices.js';

/** Fields of a rack with its inner width, and height in rack units. */
export const rackSizeFields = {
  width: choiceField(rackWidths, { numeric: true, default: 19 }),
  u_height: integerField({ min: 1, max: 100, default: 42, label: 'height (U)' }),
  starting_unit: integerField({ min: 1, max: 32_767, default: 1 }),
};

/** Fields with the outer width, height and depth of a rack, and their unit. */
export const rackOuterDimensionFields = {
  outer_width: integerField({ nullable: true, min: 0, max: 32_767 }),
  outer_height: integerField({ nullable: true, min: 0, max: 32_767 }),
  outer_depth: integerField({ nullable: true, min: 0, max: 32_767 }),
  outer_unit: choiceField(rackOuterDimensionUnits, { nullable: true, filterSingle: true }),
};

/** Fields with the weight of a rack, the maximum load of the rack, and the unit of both weights. */
export const rackWeightFields = {
  weight: decimalField({ digits: 8, places: 2, nullable: true }),
  max_weight: integerField({ nullable: true, min: 0, max: 2_147_483_647 }),
  weight_unit: choiceField(weightUnitChoices, { nullable: true, filterSingle: true }),
};

export const rackFormFactorField = choiceField(rackFormFactors, { nullable: true });

/** Field that is true if the rack units of a rack are numbered from top to bottom. */
export const descendingRackUnitsField = booleanField({ label: 'descending units' });

/** Field with the distance between the front and rear rails of a rack, in millimeters. */
export const rackMountingDepthField = integerField({ nullable: true, min: 0, max: 32_767 });

/**
 * Checks the rule that the dimensions and weights of a rack or rack type need a unit. Reports only the first violation.
 */
export function checkRackMeasureUnits(row: RackMeasureValues): ValidationMessagesByField | null {
  const unweighed = checkWeightHasUnit(row);
  if (unweighed !== null) return unweighed;
  if ((row.outer_width || row.outer_height || row.outer_depth) && !row.outer_unit) {
    return { __all__: ['Must specify a unit when setting an outer dimension'] };
  }
  return row.max_weight && !row.weight_unit ? { __all__: ['Must specify a unit when setting a maximum weight'] } : null;
}

interface RackMeasureValues {
  readonly outer_width?: number | null;
  readonly outer_height?: number | null;
  readonly outer_depth?: number | null;
  readonly outer_unit?: string | number | null;
  readonly weight?: number | null;
  readonly max_weight?: number | null;
  readonly weight_unit?: string | number | null;
}
