import type { ModelDefinition, FieldSqlContext } from '../declaration/model-declaration-types.js';
import { quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';

/**
 * Text that responses show instead of a secret. If a client sends this text as the value, the stored secret remains
 * unchanged.
 */
export const maskedSecret = '********';

/**
 * Returns the purpose, a text, with which the values of a field are encrypted. Decryption needs the same purpose.
 * Therefore the value of one field cannot be decrypted as the value of another field.
 */
export function createFieldEncryptionPurpose({ type }: Pick<ModelDefinition, 'type'>, name: string): string {
  return `${type}.${name}`;
}

/**
 * Returns the name of the column that stores the digest of an encrypted field's text. The column contains '' if the
 * text is empty.
 */
export function getEncryptedTextDigestColumn(name: string): string {
  return `${name}_digest`;
}

/** Returns the names of a model's fields that are stored encrypted. */
export function listEncryptedFieldNames({ fields }: Pick<ModelDefinition, 'fields'>): readonly string[] {
  const known = encryptedFieldNamesByFields.get(fields);
  if (known !== undefined) return known;
  const names = Object.entries(fields).flatMap(([name, { sealed }]) => (sealed === undefined ? [] : [name]));
  encryptedFieldNamesByFields.set(fields, names);
  return names;
}

const encryptedFieldNamesByFields = new WeakMap<ModelDefinition['fields'], readonly string[]>();

/**
 * Returns true if SQL statements on the model return encrypted texts. The service must decrypt or mask such texts
 * before it sends the response.
 */
export function canModelReturnEncryptedTexts(model: ModelDefinition): boolean {
  const known = returnsEncryptedTextsByModel.get(model);
  if (known !== undefined) return known;
  const found = Object.values(model.fields).some(({ sealed }) => sealed === 'shown');
  returnsEncryptedTextsByModel.set(model, found);
  return found;
}

const returnsEncryptedTextsByModel = new WeakMap<ModelDefinition, boolean>();

/**
 * Returns the SQL expression of an encrypted text as a JSON string. The string begins with the null character and the
 * encryption purpose, so that {@link decryptTextsInJson} finds the string. Texts that clients send cannot contain the
 * null character. PostgreSQL never receives the decrypted text.
 */
export function createEncryptedTextJsonSql({ alias, model, name }: FieldSqlContext): SqlText {
  const own = `${alias}."${name}"`;
  const head = quoteSqlLiteral(`"\\u0000${createFieldEncryptionPurpose(model, name)}:`);
  return `CASE ${own} WHEN '' THEN '""' ELSE ${head} || substr(to_json(${own})::text, 2) END`;
}

/** Returns the SQL expression of the JSON text shown instead of a secret: asterisks, or '' for an empty string. */
export function createMaskedTextJsonSql({ alias, name }: FieldSqlContext): SqlText {
  return `CASE ${alias}."${name}" WHEN '' THEN '""' ELSE '"${maskedSecret}"' END`;
}

/**
 * Regular expression that finds an encrypted text within JSON. The expression is valid both in JavaScript and in
 * PostgreSQL.
 */
export const encryptedTextPattern = String.raw`"\\u0000([a-z0-9_.]+):((?:[^"\\]|\\.)*)"`;
const encryptedStringPattern = new RegExp(encryptedTextPattern, 'g');

/** Returns JSON from an SQL statement in which all encrypted texts are decrypted. */
export function decryptTextsInJson(json: string, open: (sealed: string, purpose: string) => string): string {
  return json.replace(encryptedStringPattern, (_, purpose: string, sealed: string) =>
    JSON.stringify(open(sealed, purpose)),
  );
}

/** Returns JSON from an SQL statement in which all encrypted texts are replaced with asterisks. */
export function maskTextsInJson(json: string): string {
  return json.replace(encryptedStringPattern, `"${maskedSecret}"`);
}
