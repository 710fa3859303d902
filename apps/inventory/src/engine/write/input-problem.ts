/** Messages about one field: a list, or a nested map where the field has parts (contract 1.5). */
export type FieldMessages = readonly string[] | { readonly [part: string]: FieldMessages | string };

/** A value that a field does not accept. */
export class InputProblem extends Error {
  override readonly name = 'InputProblem';

  constructor(readonly messages: FieldMessages) {
    super('A field was given a value that it does not accept');
  }
}

/** Refuses a value with one message. */
export function refuse(message: string): InputProblem {
  return new InputProblem([message]);
}

/** What a value is called in messages that name its type, in the words of the reference API. */
export function typeName(value: unknown): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'dict';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  return Number.isInteger(value) ? 'int' : 'float';
}
