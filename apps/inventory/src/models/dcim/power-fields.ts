import { integer } from '../../engine/kinds/number.js';

/** What is drawn at most, and what is planned with. */
export const drawFields = {
  maximum_draw: integer({ nullable: true, min: 1, max: 2_147_483_647 }),
  allocated_draw: integer({ nullable: true, min: 1, max: 2_147_483_647 }),
};
