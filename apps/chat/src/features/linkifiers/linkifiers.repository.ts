import type { Tx } from '@switchboard/database';
import type { SqlReader } from '../../infra/sql-reader.js';
import type { LinkifierFields } from './linkifier-fields.js';
import { linkifierJson, type WireLinkifier } from './wire-linkifier.js';

/** Any number that no other advisory lock of this service uses as its first key. */
const linkifiersLock = 992_182;

/** Lets one transaction at a time change the linkifiers of a realm. */
export async function lockLinkifiers(tx: Tx, realmId: number): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [linkifiersLock, realmId]);
}

/** The linkifiers of a realm in their order. */
export async function listLinkifiers(tx: SqlReader, realmId: number): Promise<WireLinkifier[]> {
  const { rows } = await tx.query<{ linkifier: WireLinkifier }>(
    `SELECT ${linkifierJson} AS linkifier FROM realm_linkifiers l WHERE l.realm_id = $1 ORDER BY l.position, l.id`,
    [realmId],
  );
  return rows.map(({ linkifier }) => linkifier);
}

/** Adds a linkifier behind all others; answers with its id. */
export async function addLinkifier(tx: Tx, realmId: number, fields: LinkifierFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO realm_linkifiers (realm_id, pattern, url_template, example_input, reverse_template,
       alternative_url_templates, position)
     VALUES ($1, $2, $3, $4, $5, $6, (SELECT coalesce(max(position) + 1, 0) FROM realm_linkifiers WHERE realm_id = $1))
     RETURNING id`,
    [realmId, ...valuesOf(fields)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An insert returned no row');
  return row.id;
}

/** Gives a linkifier other fields. */
export async function updateLinkifier(tx: Tx, id: number, fields: LinkifierFields): Promise<void> {
  await tx.query(
    `UPDATE realm_linkifiers SET pattern = $2, url_template = $3, example_input = $4, reverse_template = $5,
       alternative_url_templates = $6 WHERE id = $1`,
    [id, ...valuesOf(fields)],
  );
}

/** Removes a linkifier; the others keep their order. */
export async function removeLinkifier(tx: Tx, id: number): Promise<void> {
  await tx.query('DELETE FROM realm_linkifiers WHERE id = $1', [id]);
}

/** Puts linkifiers into this order: one statement. */
export async function orderLinkifiers(tx: Tx, order: readonly number[]): Promise<void> {
  await tx.query(
    `UPDATE realm_linkifiers l SET position = place.number - 1
     FROM unnest($1::int[]) WITH ORDINALITY AS place(id, number) WHERE l.id = place.id`,
    [order],
  );
}

function valuesOf(fields: LinkifierFields): unknown[] {
  const { pattern, urlTemplate, exampleInput, reverseTemplate, alternativeUrlTemplates } = fields;
  return [pattern, urlTemplate, exampleInput, reverseTemplate, alternativeUrlTemplates];
}
