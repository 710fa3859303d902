import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { profileFieldJsonSql, type WireProfileField, wireProfileFieldSchema } from './wire-profile-field.js';

const profileFieldTypeDescriptions = {
  SHORT_TEXT: { id: 1, name: 'Text (short)' },
  LONG_TEXT: { id: 2, name: 'Text (long)' },
  SELECT: { id: 3, name: 'List of options' },
  DATE: { id: 4, name: 'Date' },
  URL: { id: 5, name: 'Link' },
  USER: { id: 6, name: 'Users' },
  EXTERNAL_ACCOUNT: { id: 7, name: 'External account' },
  PRONOUNS: { id: 8, name: 'Pronouns' },
};

const profileFieldsSnapshotPart = defineSqlSnapshotPart({
  types: ['custom_profile_fields'],
  shape: {
    custom_profile_fields: z.array(wireProfileFieldSchema),
    custom_profile_field_types: z.record(z.string(), z.strictObject({ id: z.int(), name: z.string() })),
  },
  sql: `SELECT json_agg(${profileFieldJsonSql} ORDER BY f.position, f.id) FROM profile_fields f WHERE f.realm_id = $1`,
  fields: (fields: WireProfileField[] | null) => ({
    custom_profile_fields: fields ?? [],
    custom_profile_field_types: profileFieldTypeDescriptions,
  }),
});

/** Snapshot part that lists the realm's custom profile fields: a field of the `POST /register` response. */
export const profileFieldSnapshotParts = [profileFieldsSnapshotPart];
