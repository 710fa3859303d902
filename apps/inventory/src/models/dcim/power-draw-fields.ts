import type { ValidationMessages } from '../../engine/declaration/define-model.js';
import { integerField } from '../../engine/field-types/number.js';

/** Fields with the maximum and allocated power draw in watts. */
export const powerDrawFields = {
  maximum_draw: integerField({ nullable: true, min: 1, max: 2_147_483_647 }),
  allocated_draw: integerField({ nullable: true, min: 1, max: 2_147_483_647 }),
};

interface PowerDraw {
  readonly maximum_draw?: number | null;
  readonly allocated_draw?: number | null;
}

/** Rule of power ports: the allocated draw does not exceed the maximum draw. */
export function allocatedDrawRule({
  maximum_draw: most = null,
  allocated_draw: planned = null,
}: PowerDraw): ValidationMessages | null {
  return most !== null && planned !== null && planned > most
    ? { allocated_draw: [`Allocated draw cannot exceed the maximum draw (${most}W).`] }
    : null;
}
