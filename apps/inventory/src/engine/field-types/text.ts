import type { ModelField } from '../declaration/field.js';
import { stringFilter } from '../filter/string-filter.js';
import { createNullableJsonSchema } from '../meta/json-schema-of-values.js';
import {
  createJsonStringFragment,
  createJsonTextFragment,
  createConstantJsonFragment as fixed,
} from '../sql/json-text-sql.js';
import { InputProblem, createInvalidInputProblem } from '../write/invalid-input-problem.js';
import { createQualifiedColumnSql, type FieldPropertyOptions, addDefaultFieldProperties } from './field-traits.js';

export interface TextFieldOptions extends FieldPropertyOptions<string | null> {
  /** Maximum length of the text in characters; unlimited when absent. */
  readonly max?: number;
  /** True if clients may set the text to ''. Default: true unless the field is required. */
  readonly blank?: boolean;
  /** Regular expression that the text must match, and the error message for a text that does not match. */
  readonly pattern?: { readonly expression: RegExp; readonly message: string };
  /** Name of the text's format in the OpenAPI document, such as `uri`. */
  readonly format?: string;
  /** Type that the response to OPTIONS shows for the text field. Default `string`. */
  readonly metadataType?: string;
  /** Function that changes a valid text before it is stored. */
  readonly normalize?: (value: string) => string;
  /** True to store null when a client sends the text ''. */
  readonly blankAsNull?: boolean;
  /** SQL type of the column that stores the text. Without this option, the type is derived from `max`. */
  readonly columnType?: string;
}

/**
 * Creates a field for a text. Spaces around the text are removed, and a JSON number is accepted as a text
 * (docs/contract/inventory.md 1.5).
 */
export function textField(options: TextFieldOptions = {}): ModelField<string | null> {
  const own = addDefaultFieldProperties(options, '');
  const blank = options.blank ?? !own.required;
  const schema = {
    type: 'string',
    ...(options.max === undefined ? {} : { maxLength: options.max }),
    ...(options.format === undefined ? {} : { format: options.format }),
    ...(options.pattern === undefined || hasUnicodeClasses(options.pattern.expression)
      ? {}
      : { pattern: options.pattern.expression.source }),
  };
  const nullable = own.nullable ? createNullableJsonSchema(schema) : schema;
  // An allowed empty string need not match the pattern.
  const { pattern: _pattern, format: _format, ...plain } = schema;
  const written = blank ? plain : { ...schema, minLength: 1 };
  return {
    kind: 'text',
    traits: own,
    column: (name) => ({
      name,
      type: options.columnType ?? (options.max === undefined ? 'text' : `varchar(${options.max})`),
    }),
    json: (place) => [
      own.nullable
        ? createJsonTextFragment(createQualifiedColumnSql(place, place.name))
        : createJsonStringFragment(createQualifiedColumnSql(place, place.name)),
    ],
    snapshot: (place) =>
      own.writeOnly ? [fixed('"********"')] : [createJsonTextFragment(createQualifiedColumnSql(place, place.name))],
    input: (value) => parseTextInput(value, { ...options, blank, nullable: own.nullable }),
    schema: {
      read: () => (blank ? (own.nullable ? createNullableJsonSchema(plain) : plain) : nullable),
      write: () => (own.nullable ? createNullableJsonSchema(written) : written),
    },
    metadata: {
      type: options.metadataType ?? 'string',
      ...(options.max === undefined ? {} : { max_length: options.max }),
    },
    filters: (name) => (own.writeOnly || options.max === undefined ? [] : [stringFilter(name)]),
    order: (place) => (own.writeOnly ? [] : [createQualifiedColumnSql(place, place.name)]),
  };
}

const slugPattern = {
  expression: /^[-a-zA-Z0-9_]+$/,
  message: 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.',
};

/**
 * Creates a field for a slug, a short name for URLs: letters, digits, hyphens and underscores. Clients send the slug;
 * the service never generates a slug (docs/contract/inventory.md 1.5).
 */
export function slugField(options: TextFieldOptions = {}): ModelField<string | null> {
  return textField({ max: 100, required: true, pattern: slugPattern, metadataType: 'slug', ...options });
}

/**
 * Regular expression of the host in a URL. The host is `localhost`, an IPv4 address, an IPv6 address in brackets, or a
 * domain name. The labels of a domain name consist of letters, digits and hyphens, and the last label is not a number.
 */
const urlHostPattern = String.raw`(?:(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,100}(?:\p{L}{2,63}|xn--[a-z0-9-]{1,59})\.?|localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]{2,45}\])`;

const urlPattern = {
  expression: new RegExp(
    String.raw`^(?:https?|ftps?)://(?:[^\s:@/?#]+(?::[^\s:@/?#]*)?@)?${urlHostPattern}(?::\d{1,5})?(?:[/?#]\S*)?$`,
    'iu',
  ),
  message: 'Enter a valid URL.',
};

/** Creates a field for an absolute URL with the scheme http, https, ftp or ftps. */
export function urlField(options: TextFieldOptions = {}): ModelField<string | null> {
  return textField({ max: 200, pattern: urlPattern, format: 'uri', metadataType: 'url', ...options });
}

/** Creates a field for a color as six hexadecimal digits. */
export function colorField(options: TextFieldOptions = {}): ModelField<string | null> {
  const pattern = { expression: /^[0-9a-f]{6}$/, message: 'Enter a valid hexadecimal RGB color code.' };
  return textField({ max: 6, blank: false, pattern, ...options });
}

export interface ParseTextInputOptions extends TextFieldOptions {
  readonly nullable: boolean;
  readonly blank: boolean;
}

/**
 * Parses the value of a text field. Returns the text, or null if the value is null and the field is nullable. With
 * `blankAsNull`, a blank text also becomes null.
 */
export function parseTextInput(value: unknown, options: ParseTextInputOptions): string | null {
  if (value === null) {
    if (options.nullable) return null;
    throw createInvalidInputProblem('This field may not be null.');
  }
  if (typeof value !== 'string' && typeof value !== 'number') throw createInvalidInputProblem('Not a valid string.');
  const given = String(value);
  const trimmed = given.trim();
  if (given.includes('\0')) throw createInvalidInputProblem('Null characters are not allowed.');
  if (trimmed === '') {
    if (!options.blank) throw createInvalidInputProblem('This field may not be blank.');
    return options.blankAsNull === true ? null : '';
  }
  const messages: string[] = [];
  if (options.pattern && !options.pattern.expression.test(trimmed)) messages.push(options.pattern.message);
  // Counts characters like the database, not UTF-16 units.
  if (options.max !== undefined && trimmed.length > options.max && [...trimmed].length > options.max) {
    messages.push(`Ensure this field has no more than ${options.max} characters.`);
  }
  if (messages.length > 0) throw new InputProblem(messages);
  if (!trimmed.isWellFormed()) throw createInvalidInputProblem('Not a valid string.');
  return options.normalize === undefined ? trimmed : options.normalize(trimmed);
}

/**
 * Returns true if a regular expression contains Unicode classes, such as `\p{L}`. The OpenAPI document omits regular
 * expressions with Unicode classes, because most languages of generated clients do not support them.
 */
function hasUnicodeClasses({ source }: RegExp): boolean {
  return /\\p\{/i.test(source);
}
