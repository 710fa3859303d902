import type { Tx } from '@switchboard/database';

/** Columns of `channels` with their new values. */
export type ChannelColumns = Record<string, string | number | boolean | null>;

/** Updates columns of a channel, in one statement. Column names come from the code, never from a client. */
export async function updateChannelColumns(tx: Tx, channelId: number, columns: ChannelColumns): Promise<void> {
  const names = Object.keys(columns);
  await tx.query(
    `UPDATE channels SET ${names.map((name, index) => `${name} = $${index + 2}`).join(', ')} WHERE id = $1`,
    [channelId, ...names.map((name) => columns[name])],
  );
}
