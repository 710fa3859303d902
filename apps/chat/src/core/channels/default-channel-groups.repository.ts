import type { Tx } from '@switchboard/database';

/** Name and description of a default channel group. */
export interface DefaultChannelGroupTexts {
  readonly name: string;
  readonly description: string;
}

/** Inserts a default channel group without channels, and returns the id of the group. */
export async function addDefaultChannelGroup(
  tx: Tx,
  realmId: number,
  { name, description }: DefaultChannelGroupTexts,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    'INSERT INTO default_channel_groups (realm_id, name, description) VALUES ($1, $2, $3) RETURNING id',
    [realmId, name, description],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An insert returned no row');
  return row.id;
}

/** Updates the name and description of a default channel group. */
export async function updateDefaultChannelGroup(
  tx: Tx,
  groupId: number,
  { name, description }: DefaultChannelGroupTexts,
): Promise<void> {
  await tx.query('UPDATE default_channel_groups SET name = $2, description = $3 WHERE id = $1', [
    groupId,
    name,
    description,
  ]);
}

export async function removeDefaultChannelGroup(tx: Tx, groupId: number): Promise<void> {
  await tx.query('DELETE FROM default_channel_groups WHERE id = $1', [groupId]);
}

/** Adds channels to a default channel group. */
export async function insertDefaultChannelGroupChannels(
  tx: Tx,
  groupId: number,
  channelIds: readonly number[],
): Promise<void> {
  await tx.query(
    `INSERT INTO default_channel_group_channels (group_id, channel_id) SELECT $1, unnest($2::int[])
     ON CONFLICT DO NOTHING`,
    [groupId, channelIds],
  );
}

/** Removes channels from a default channel group. */
export async function deleteDefaultChannelGroupChannels(
  tx: Tx,
  groupId: number,
  channelIds: readonly number[],
): Promise<void> {
  await tx.query('DELETE FROM default_channel_group_channels WHERE group_id = $1 AND channel_id = ANY($2)', [
    groupId,
    channelIds,
  ]);
}
