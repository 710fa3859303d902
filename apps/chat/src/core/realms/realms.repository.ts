import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { chatErrors } from '../../errors.js';
import { type RealmImages, realmImagesSchema } from './realm-images.js';

/** Properties of a realm that the API returns without authentication. */
export interface RealmIdentity {
  readonly id: number;
  readonly stringId: string;
  readonly name: string;
  readonly description: string;
  /** True if the realm allows spectators to see web-public channels. */
  readonly hasSpectators: boolean;
  readonly images: RealmImages;
}

/**
 * Returns the SQL condition over `realms r` that requests to a host belong to the realm. The realm has this host, or is
 * the only realm (docs/contract/chat.md 1.1).
 */
export const isRealmOfHostSql = (parameter: string): string =>
  `(r.host = ${parameter} OR NOT EXISTS (SELECT 1 FROM realms other WHERE other.id <> r.id))`;

/**
 * Returns the realm to which requests for the given host belong.
 * @throws ApplicationError NONEXISTENT_SUBDOMAIN
 */
export async function getRealmOfHost(tx: SqlQueryRunner, host: string): Promise<RealmIdentity> {
  const { rows } = await tx.query<Omit<RealmIdentity, 'images'> & { images: object }>(
    `SELECT r.id, r.string_id AS "stringId", r.name, r.description, r.images,
       r.settings @> '{"enable_spectator_access": true}' AS "hasSpectators"
     FROM realms r WHERE ${isRealmOfHostSql('$1')}`,
    [host],
  );
  const [row] = rows;
  if (row === undefined) throw chatErrors.create('NONEXISTENT_SUBDOMAIN');
  return { ...row, images: realmImagesSchema.parse(row.images) };
}

/** Returns true if a realm has the given subdomain as its id, or as the first label of its host name. */
export async function isSubdomainInUse(tx: SqlQueryRunner, name: string): Promise<boolean> {
  const { rows } = await tx.query<{ used: boolean }>(
    "SELECT EXISTS (SELECT 1 FROM realms WHERE string_id = $1 OR split_part(host, '.', 1) = $1) AS used",
    [name],
  );
  return rows[0]?.used ?? false;
}
