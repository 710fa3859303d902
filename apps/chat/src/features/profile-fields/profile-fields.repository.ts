import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { profileFieldJsonSql, type WireProfileField } from './wire-profile-field.js';

/** Stored properties of a custom profile field, except for id and position. */
export interface NewProfileField {
  readonly type: number;
  readonly name: string;
  readonly hint: string;
  /** Type-specific data of the profile field as JSON text; an empty string for field types without specific data. */
  readonly fieldData: string;
  readonly inSummary: boolean;
  readonly required: boolean;
  readonly editableByUser: boolean;
  readonly forMatching: boolean;
}

/** Lists the custom profile fields of a realm in the order set by administrators. */
export async function listProfileFields(tx: SqlQueryRunner, realmId: number): Promise<WireProfileField[]> {
  const { rows } = await tx.query<{ field: WireProfileField }>(
    `SELECT ${profileFieldJsonSql} AS field FROM profile_fields f WHERE f.realm_id = $1 ORDER BY f.position, f.id`,
    [realmId],
  );
  return rows.map(({ field }) => field);
}

/** Inserts a custom profile field at the last position of the list. Returns the id of the new field. */
export async function addProfileField(tx: Tx, realmId: number, field: NewProfileField): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO profile_fields (realm_id, field_type, name, name_key, hint, field_data, display_in_profile_summary,
       required, editable_by_user, use_for_user_matching, position)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
       (SELECT coalesce(max(position), 0) + 1 FROM profile_fields WHERE realm_id = $1))
     RETURNING id`,
    [realmId, field.type, ...toProfileFieldColumnValues(field)],
  );
  return rows[0]?.id ?? 0;
}

/** Updates a custom profile field, except for the type of the field. */
export async function updateProfileField(tx: Tx, fieldId: number, field: NewProfileField): Promise<void> {
  await tx.query(
    `UPDATE profile_fields SET name = $2, name_key = $3, hint = $4, field_data = $5, display_in_profile_summary = $6,
       required = $7, editable_by_user = $8, use_for_user_matching = $9
     WHERE id = $1`,
    [fieldId, ...toProfileFieldColumnValues(field)],
  );
}

function toProfileFieldColumnValues(field: NewProfileField): unknown[] {
  return [
    field.name,
    normalizeTextForComparison(field.name),
    field.hint,
    field.fieldData,
    field.inSummary,
    field.required,
    field.editableByUser,
    field.forMatching,
  ];
}

/** Deletes a custom profile field with all its values. */
export async function removeProfileField(tx: Tx, fieldId: number): Promise<void> {
  await tx.query('DELETE FROM profile_fields WHERE id = $1', [fieldId]);
}

/** Stores the order of custom profile fields, in one statement. */
export async function storeProfileFieldOrder(tx: Tx, order: readonly number[]): Promise<void> {
  await tx.query(
    `UPDATE profile_fields f SET position = place.number
     FROM unnest($1::int[]) WITH ORDINALITY AS place(id, number) WHERE f.id = place.id`,
    [order],
  );
}

/** Stored value of a user's profile field. */
export interface StoredProfileValue {
  readonly fieldId: number;
  readonly value: string;
  readonly renderedValue: string | null;
}

/** Sets a user's values of profile fields, in one statement. Returns the ids of the fields whose value changed. */
export async function setProfileValues(
  tx: Tx,
  userId: number,
  stored: readonly StoredProfileValue[],
): Promise<number[]> {
  const { rows } = await tx.query<{ field_id: number }>(
    `INSERT INTO profile_values AS v (user_id, field_id, value, rendered_value)
     SELECT $1, * FROM unnest($2::int[], $3::text[], $4::text[])
     ON CONFLICT (user_id, field_id) DO UPDATE SET value = excluded.value, rendered_value = excluded.rendered_value
       WHERE v.value <> excluded.value
     RETURNING field_id`,
    [
      userId,
      stored.map(({ fieldId }) => fieldId),
      stored.map(({ value }) => value),
      stored.map(({ renderedValue }) => renderedValue),
    ],
  );
  return rows.map((row) => row.field_id);
}

/** Deletes a user's values of profile fields, in one statement. Returns the ids of the fields that had a value. */
export async function removeProfileValues(tx: Tx, userId: number, fieldIds: readonly number[]): Promise<number[]> {
  const { rows } = await tx.query<{ field_id: number }>(
    'DELETE FROM profile_values WHERE user_id = $1 AND field_id = ANY($2::int[]) RETURNING field_id',
    [userId, fieldIds],
  );
  return rows.map((row) => row.field_id);
}

/** Deletes all users' values of a profile field except the given values. Returns the ids of the affected users. */
export async function removeUnlistedProfileValues(tx: Tx, fieldId: number, kept: readonly string[]): Promise<number[]> {
  const { rows } = await tx.query<{ user_id: number }>(
    'DELETE FROM profile_values WHERE field_id = $1 AND value <> ALL($2::text[]) RETURNING user_id',
    [fieldId, kept],
  );
  return rows.map((row) => row.user_id);
}
