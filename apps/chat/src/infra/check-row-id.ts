/** Largest value of PostgreSQL's type `integer`. */
const maxPostgresInteger = 2_147_483_647;

/**
 * Returns true if an id fits into PostgreSQL's type `integer`. Prisma throws for other numbers, whereas SQL finds no
 * row.
 */
export function isRowId(id: number): boolean {
  return Number.isInteger(id) && Math.abs(id) <= maxPostgresInteger;
}
