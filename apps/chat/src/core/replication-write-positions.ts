import type { Tx } from '@switchboard/database';

/**
 * Sets the column `position` of each row to the index of the row's id in `order`. Uses one SQL statement, which Prisma
 * cannot express.
 */
export async function writeRowPositions(
  tx: Tx,
  table: 'channel_folders' | 'realm_linkifiers',
  order: readonly number[],
): Promise<void> {
  await tx.query(
    `UPDATE ${table} ordered SET position = place.number - 1
     FROM unnest($1::int[]) WITH ORDINALITY AS place(id, number) WHERE ordered.id = place.id`,
    [order],
  );
}
