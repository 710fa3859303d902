/**
 * Error messages of one field: a list for a plain field, a map for a composite field. For a field that is a list of
 * objects, the list has one entry for each object. The entry of a valid object is `{}` (docs/contract/inventory.md
 * 1.5).
 */
export type FieldErrorMessages =
  | readonly string[]
  | readonly FieldErrorMessages[]
  | { readonly [part: string]: FieldErrorMessages | string };

/** Error for a value in a request that a field does not accept. */
export class InputProblem extends Error {
  override readonly name: string = 'InputProblem';

  constructor(readonly messages: FieldErrorMessages) {
    super('A field was given a value that it does not accept');
  }
}

/** Error for a condition that names a field that the model does not have, or uses an unsupported lookup. */
export class UnknownAttributeError extends InputProblem {
  override readonly name = 'UnknownAttributeError';
}

/** Creates the error for an invalid value. The error has exactly one message. */
export function createInvalidInputProblem(message: string): InputProblem {
  return new InputProblem([message]);
}

/** Creates the error for a value that is not a list although a list of objects is expected. */
export function createNotAListProblem(value: unknown): InputProblem {
  return new InputProblem({ non_field_errors: [`Expected a list of items but got type "${getJsonTypeName(value)}".`] });
}

/**
 * Parses each item of a list.
 *
 * @throws InputProblem with one entry per item if any item is invalid
 */
export function parseEachListItem<Item, Read>(items: readonly Item[], read: (item: Item) => Read): Read[] {
  const messages: FieldErrorMessages[] = [];
  let areRight = true;
  const values = items.flatMap((item) => {
    try {
      const value = read(item);
      messages.push({});
      return [value];
    } catch (error) {
      if (!(error instanceof InputProblem)) throw error;
      areRight = false;
      messages.push(error.messages);
      return [];
    }
  });
  if (!areRight) throw new InputProblem(messages);
  return values;
}

/** Returns the name of a JSON value's type in the words of the reference API's error messages. */
export function getJsonTypeName(value: unknown): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'dict';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  return Number.isInteger(value) ? 'int' : 'float';
}
