import type { ModelDefinition, FieldSqlContext } from '../declaration/model-declaration-types.js';
import { sqlLiteral, type SqlText } from '../sql/json-text-sql.js';

/** Text shown instead of a secret. If a client sends it back, the stored secret is unchanged. */
export const maskedSecret = '********';

/**
 * Returns the purpose with which texts of a field are encrypted. Decryption needs the same purpose, so that the text of
 * one field cannot be decrypted as the text of another field.
 */
export function encryptionPurpose({ type }: Pick<ModelDefinition, 'type'>, name: string): string {
  return `${type}.${name}`;
}

/** Returns the name of the column that stores the digest of an encrypted field. The digest of an empty text is ''. */
export function getDigestColumn(name: string): string {
  return `${name}_digest`;
}

/** Returns the names of a model's fields that are stored encrypted. */
export function listEncryptedFieldNames({ fields }: Pick<ModelDefinition, 'fields'>): readonly string[] {
  const known = encryptedNamesByFields.get(fields);
  if (known !== undefined) return known;
  const names = Object.entries(fields).flatMap(([name, { sealed }]) => (sealed === undefined ? [] : [name]));
  encryptedNamesByFields.set(fields, names);
  return names;
}

const encryptedNamesByFields = new WeakMap<ModelDefinition['fields'], readonly string[]>();

/**
 * Returns true if statements on the model return encrypted texts, which must be decrypted or masked before the response
 * is sent.
 */
export function canShowEncryptedTexts(model: ModelDefinition): boolean {
  const known = showsEncryptedByModel.get(model);
  if (known !== undefined) return known;
  const found = Object.values(model.fields).some(({ sealed }) => sealed === 'shown');
  showsEncryptedByModel.set(model, found);
  return found;
}

const showsEncryptedByModel = new WeakMap<ModelDefinition, boolean>();

/**
 * Returns the SQL expression of an encrypted text as a JSON string that begins with the null character and the
 * encryption purpose, so that {@link decryptTextsInJson} finds it. No text of a client contains the null character. PostgreSQL
 * never receives the decrypted text.
 */
export function encryptedTextJsonSql({ alias, model, name }: FieldSqlContext): SqlText {
  const own = `${alias}."${name}"`;
  const head = sqlLiteral(`"\\u0000${encryptionPurpose(model, name)}:`);
  return `CASE ${own} WHEN '' THEN '""' ELSE ${head} || substr(to_json(${own})::text, 2) END`;
}

/** Returns the SQL expression of the JSON text shown instead of a secret: asterisks, or '' for an empty text. */
export function maskedTextJsonSql({ alias, name }: FieldSqlContext): SqlText {
  return `CASE ${alias}."${name}" WHEN '' THEN '""' ELSE '"${maskedSecret}"' END`;
}

/** Regular expression of an encrypted text within JSON, valid in JavaScript and in PostgreSQL. */
export const encryptedTextPattern = String.raw`"\\u0000([a-z0-9_.]+):((?:[^"\\]|\\.)*)"`;
const encryptedStringPattern = new RegExp(encryptedTextPattern, 'g');

/** Decrypts all encrypted texts in the JSON that a statement returned. */
export function decryptTextsInJson(json: string, open: (sealed: string, purpose: string) => string): string {
  return json.replace(encryptedStringPattern, (_, purpose: string, sealed: string) =>
    JSON.stringify(open(sealed, purpose)),
  );
}

/** Replaces all encrypted texts in the JSON that a statement returned by asterisks. */
export function maskTextsInJson(json: string): string {
  return json.replace(encryptedStringPattern, `"${maskedSecret}"`);
}
