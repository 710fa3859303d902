import type { Place } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/model.js';
import { literal, type Sql } from '../sql/pieces.js';

/** Text that is shown in place of a sealed text. Written back, it leaves the stored one unchanged. */
export const maskedSecret = '********';

/** Returns the purpose to which sealed texts of a field are bound, so that they cannot be opened for another field. */
export function sealPurpose({ type }: Pick<ModelDefinition, 'type'>, name: string): string {
  return `${type}.${name}`;
}

/** Column of the fingerprint of a sealed field; '' where there is no text. */
export function digestColumn(name: string): string {
  return `${name}_digest`;
}

/** Names of the fields that are stored sealed. */
export function sealedFields({ fields }: Pick<ModelDefinition, 'fields'>): readonly string[] {
  const known = sealedNames.get(fields);
  if (known !== undefined) return known;
  const names = Object.entries(fields).flatMap(([name, { sealed }]) => (sealed === undefined ? [] : [name]));
  sealedNames.set(fields, names);
  return names;
}

const sealedNames = new WeakMap<ModelDefinition['fields'], readonly string[]>();

/** Returns true if statements on the model return encrypted texts, which must be decrypted or masked before sending. */
export function showsSealed(model: ModelDefinition): boolean {
  const known = shown.get(model);
  if (known !== undefined) return known;
  const found = Object.values(model.fields).some(({ sealed }) => sealed === 'shown');
  shown.set(model, found);
  return found;
}

const shown = new WeakMap<ModelDefinition, boolean>();

/**
 * JSON text of a sealed text: a string that begins with the null character, which no text from a client can, then what
 * it is bound to. PostgreSQL never sees it open.
 */
export function sealedJson({ alias, model, name }: Place): Sql {
  const own = `${alias}."${name}"`;
  const head = literal(`"\\u0000${sealPurpose(model, name)}:`);
  return `CASE ${own} WHEN '' THEN '""' ELSE ${head} || substr(to_json(${own})::text, 2) END`;
}

/** JSON text of asterisks where there is a text. */
export function maskedJson({ alias, name }: Place): Sql {
  return `CASE ${alias}."${name}" WHEN '' THEN '""' ELSE '"${maskedSecret}"' END`;
}

/** Pattern of a sealed text in JSON text, for regular expressions of JavaScript and of PostgreSQL. */
export const sealedPattern = String.raw`"\\u0000([a-z0-9_.]+):((?:[^"\\]|\\.)*)"`;
const sealedString = new RegExp(sealedPattern, 'g');

/** Decrypts every encrypted text in the JSON text of a statement. */
export function openSealed(json: string, open: (sealed: string, purpose: string) => string): string {
  return json.replace(sealedString, (_, purpose: string, sealed: string) => JSON.stringify(open(sealed, purpose)));
}

/** Replaces every encrypted text in the JSON text of a statement by asterisks. */
export function maskSealed(json: string): string {
  return json.replace(sealedString, `"${maskedSecret}"`);
}
