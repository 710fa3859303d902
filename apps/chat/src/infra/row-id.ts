/** The largest number of the type of most ids. */
const maxInt4 = 2_147_483_647;

/**
 * True if rows whose ids are of PostgreSQL's type `integer` can have this id. Prisma throws for any other number, where SQL
 * finds no row.
 */
export function isRowId(id: number): boolean {
  return Number.isInteger(id) && Math.abs(id) <= maxInt4;
}
