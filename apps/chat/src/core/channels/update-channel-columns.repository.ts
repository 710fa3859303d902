import type { Tx } from '@switchboard/database';

/** New values of columns of the table `channels`, by column name. */
export type NewChannelColumnValues = Record<string, string | number | boolean | null>;

/**
 * Updates columns of a channel in one SQL statement. The column names must come from the code and never from a client,
 * because they become part of the SQL text.
 */
export async function updateChannelColumns(tx: Tx, channelId: number, columns: NewChannelColumnValues): Promise<void> {
  const names = Object.keys(columns);
  await tx.query(
    `UPDATE channels SET ${names.map((name, index) => `${name} = $${index + 2}`).join(', ')} WHERE id = $1`,
    [channelId, ...names.map((name) => columns[name])],
  );
}
