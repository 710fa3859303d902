import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { readSystemGroupIds, PermissionValueByGroupId, listAnonymousGroups } from '../user-groups/index.js';
import { readChannelsWithoutPermissionCheck, type StoredChannel } from './channels.repository.js';
import { type WireChannelContext, toWireChannel } from './convert-to-wire-channel.js';
import { channelPermissionNames, type WireChannel } from './wire-channel.js';

/** Reads channels by id in the JSON form of the API. Checks no permissions, and executes three SQL statements. */
export async function readWireChannels(
  tx: Tx,
  realmId: number,
  channelIds: readonly number[],
): Promise<Map<number, WireChannel>> {
  if (channelIds.length === 0) return new Map();
  const rows = await readChannelsWithoutPermissionCheck(tx, channelIds);
  const context = await readChannelPermissionGroups(tx, realmId, rows);
  return new Map(rows.map((row) => [row.id, toWireChannel(row, context)]));
}

/** Reads the user groups with permissions on the given channels, and the system groups, in two SQL statements. */
export async function readChannelPermissionGroups(
  tx: SqlQueryRunner,
  realmId: number,
  rows: readonly StoredChannel[],
): Promise<WireChannelContext> {
  const groupIds = new Set(rows.flatMap((row) => channelPermissionNames.map((name) => row[`${name}_id`])));
  return {
    values: new PermissionValueByGroupId(await listAnonymousGroups(tx, [...groupIds])),
    systemGroups: await readSystemGroupIds(tx, realmId),
  };
}
