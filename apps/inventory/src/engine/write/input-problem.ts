/**
 * Messages about one field: a list; for a composite field, a map; for a list of objects, one entry each, `{}` for valid
 * ones (docs/contract/inventory.md 1.5).
 */
export type FieldMessages =
  | readonly string[]
  | readonly FieldMessages[]
  | { readonly [part: string]: FieldMessages | string };

/** A value that a field does not accept. */
export class InputProblem extends Error {
  override readonly name: string = 'InputProblem';

  constructor(readonly messages: FieldMessages) {
    super('A field was given a value that it does not accept');
  }
}

/** A condition that names a field or lookup that the model lacks. */
export class UnknownAttributeError extends InputProblem {
  override readonly name = 'UnknownAttributeError';
}

/** Creates an error with one message. */
export function refuse(message: string): InputProblem {
  return new InputProblem([message]);
}

/** Refuses a value where a list of objects belongs. */
export function noList(value: unknown): InputProblem {
  return new InputProblem({ non_field_errors: [`Expected a list of items but got type "${typeName(value)}".`] });
}

/**
 * Reads each item of a list of objects.
 *
 * @throws InputProblem with one entry for each item when some are wrong
 */
export function readEach<Item, Read>(items: readonly Item[], read: (item: Item) => Read): Read[] {
  const messages: FieldMessages[] = [];
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

/** Returns the name of a value's type in messages, in the words of the reference API. */
export function typeName(value: unknown): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'dict';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  return Number.isInteger(value) ? 'int' : 'float';
}
