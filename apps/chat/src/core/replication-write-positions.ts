import type { Tx } from '@switchboard/database';

/**
 * Sets the column `position` of rows to the index of their id in `order`, in one statement. Prisma cannot do this in
 * one statement.
 */
export async function readWritePosition(
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
