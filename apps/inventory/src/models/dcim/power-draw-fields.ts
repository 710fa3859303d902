import type { ValidationMessagesByField } from '../../engine/declaration/define-model.js';
import { integerField } from '../../engine/field-types/number.js';

/** Fields with the maximum power draw and the allocated power draw of a power port, in watts. */
export const powerDrawFields = {
  maximum_draw: integerField({ nullable: true, min: 1, max: 2_147_483_647 }),
  allocated_draw: integerField({ nullable: true, min: 1, max: 2_147_483_647 }),
};

interface PowerDrawValues {
  readonly maximum_draw?: number | null;
  readonly allocated_draw?: number | null;
}

/** Checks the rule that the allocated power draw of a power port does not exceed its maximum power draw. */
export function checkAllocatedPowerDraw({
  maximum_draw: most = null,
  allocated_draw: planned = null,
}: PowerDrawValues): ValidationMessagesByField | null {
  return most !== null && planned !== null && planned > most
    ? { allocated_draw: [`Allocated draw cannot exceed the maximum draw (${most}W).`] }
    : null;
}
