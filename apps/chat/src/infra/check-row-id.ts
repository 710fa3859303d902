/** Largest value of PostgreSQL's type `integer`. */
const maxPostgresInteger = 2_147_483_647;

/**
 * Returns true if an id fits into PostgreSQL's type `integer`. For larger numbers, Prisma throws an error, whereas SQL
 * returns no row.
 */
export function isPostgresRowId(id: number): boolean {
  return Number.isInteger(id) && Math.abs(id) <= maxPostgresInteger;
}
