import type { ModelField } from '../declaration/field.js';
import { encryptedTextFilter } from '../filter/encrypted-text-filter.js';
import {
  getEncryptedTextDigestColumn,
  createMaskedTextJsonSql,
  createEncryptedTextJsonSql,
  createFieldEncryptionPurpose,
} from '../sealed/encrypted-text-sql.js';
import { createComputedJsonFragment } from '../sql/json-text-sql.js';
import { textField, type TextFieldOptions } from './text.js';

/**
 * Creates a field for a text that clients can write but not read. Responses show eight asterisks, or '' if no text is
 * set. The text is stored encrypted, and the column `<name>_digest` stores a digest of the text. A write of eight
 * asterisks leaves the text unchanged.
 */
export function secretField(options: TextFieldOptions = {}): ModelField<string | null> {
  return {
    ...createEncryptedTextFieldBase(options),
    kind: 'secret',
    sealed: 'hidden',
    json: (place) => [createComputedJsonFragment(createMaskedTextJsonSql(place))],
  };
}

/**
 * Creates a field for a text that is stored encrypted like a {@link secretField} and shown to users who can view the object.
 * The change log and events contain asterisks instead.
 */
export function encryptedTextField(options: TextFieldOptions = {}): ModelField<string | null> {
  return {
    ...createEncryptedTextFieldBase(options),
    kind: 'sealed',
    sealed: 'shown',
    json: (place) => [createComputedJsonFragment(createEncryptedTextJsonSql(place))],
  };
}

function createEncryptedTextFieldBase(options: TextFieldOptions): ModelField<string | null> {
  return {
    ...textField(options),
    column: (name) => ({ name, type: 'text' }),
    snapshot: (place) => [createComputedJsonFragment(createMaskedTextJsonSql(place))],
    filters: (name, _registry, model) => [
      encryptedTextFilter(name, getEncryptedTextDigestColumn(name), createFieldEncryptionPurpose(model, name)),
    ],
    order: () => [],
  };
}
