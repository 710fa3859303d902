import type { ModelField } from '../declaration/field.js';
import { secretFilter } from '../filter/encrypted-text-filter.js';
import {
  getDigestColumn,
  maskedTextJsonSql,
  encryptedTextJsonSql,
  encryptionPurpose,
} from '../sealed/encrypted-text-sql.js';
import { computedJson } from '../sql/json-text-sql.js';
import { textField, type TextOptions } from './text.js';

/**
 * Creates a field for a text that clients can write but not read. Responses show eight asterisks, or '' if no text is
 * set. The text is stored encrypted, and the column `<name>_digest` stores a digest of the text. A write of eight
 * asterisks leaves the text unchanged.
 */
export function secretField(options: TextOptions = {}): ModelField<string | null> {
  return {
    ...encryptedTextParts(options),
    kind: 'secret',
    sealed: 'hidden',
    json: (place) => [computedJson(maskedTextJsonSql(place))],
  };
}

/**
 * Creates a field for a text that is stored encrypted like a {@link secretField} and shown to users who can view the object.
 * The change log and events contain asterisks instead.
 */
export function encryptedTextField(options: TextOptions = {}): ModelField<string | null> {
  return {
    ...encryptedTextParts(options),
    kind: 'sealed',
    sealed: 'shown',
    json: (place) => [computedJson(encryptedTextJsonSql(place))],
  };
}

function encryptedTextParts(options: TextOptions): ModelField<string | null> {
  return {
    ...textField(options),
    column: (name) => ({ name, type: 'text' }),
    snapshot: (place) => [computedJson(maskedTextJsonSql(place))],
    filters: (name, _registry, model) => [secretFilter(name, getDigestColumn(name), encryptionPurpose(model, name))],
    order: () => [],
  };
}
