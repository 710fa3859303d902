import { expect } from 'vitest';
import type { AnyModelField } from '../../src/engine/declaration/field.js';
import type { ModelDefinition } from '../../src/engine/declaration/define-model.js';

/** An invalid value of a field, with the error message that the response must contain. */
type Wrong = readonly [value: unknown, message: unknown];

/** A request body that has only invalid values, with the expected error message for each field. */
export interface WrongBody {
  readonly json: Readonly<Record<string, unknown>>;
  readonly messages: Readonly<Record<string, unknown>>;
}

/**
 * Returns request bodies with values just outside the bounds of each writable field. Each request body has one invalid
 * value for each field.
 */
export function wrongBodies(model: ModelDefinition): readonly WrongBody[] {
  const fields = Object.entries(model.fields).filter(([, { traits }]) => !traits.readOnly && !traits.immutable);
  const wrong = fields.map(([name, field]) => [name, wrongValues(field)] as const);
  const most = Math.max(...wrong.map(([, values]) => values.length));
  return Array.from({ length: most }, (_, round) => {
    const some = wrong.flatMap(([name, values]) => {
      const one = values[round];
      return one === undefined ? [] : [{ name, value: one[0], message: one[1] }];
    });
    return {
      json: Object.fromEntries(some.map(({ name, value }) => [name, value])),
      messages: Object.fromEntries(some.map(({ name, message }) => [name, message])),
    };
  });
}

function wrongValues(field: AnyModelField): readonly Wrong[] {
  const own = byKind[field.kind]?.(field) ?? [];
  const nothing: Wrong[] = own.length === 0 || field.traits.nullable ? [] : [[null, nothingRefused(field)]];
  return [...own, ...nothing];
}

/**
 * Expected error message for a value that is not an integer. For some columns, the message of the reference server
 * names a larger integer type; see `writes-of-empty-values.spec.ts`.
 */
const noInteger: unknown = expect.stringMatching(/^A valid (big)?integer is required\.$/);

/**
 * Returns the expected error message for null in a field that does not accept null. For a choice field whose label is
 * shown, the message is that for an empty string.
 */
function nothingRefused({ kind, metadata }: AnyModelField): string {
  return `This field may not be ${kind === 'choice' && metadata.type !== 'choice' ? 'blank' : 'null'}.`;
}

const byKind: Readonly<Record<string, (field: AnyModelField) => readonly Wrong[]>> = {
  text: ({ metadata: { max_length: max } }) => [
    ['a\0b', 'Null characters are not allowed.'],
    ...(max === undefined ? [] : [tooLong(max)]),
  ],
  integer: (field) => [['many', noInteger], ['1.5', noInteger], ...outside(field)],
  decimal: (field) => [['many', 'A valid number is required.'], ...tooPrecise(field), ...outside(field)],
  // For a choice that is shown as a bare value, the message quotes the invalid value.
  choice: ({ metadata: { type } }) => [
    ['nonsense', type === 'choice' ? '"nonsense" is not a valid choice.' : 'nonsense is not a valid choice.'],
  ],
  boolean: () => [['perhaps', 'Must be a valid boolean.']],
};

function tooLong(max: number): Wrong {
  return ['x'.repeat(max + 1), `Ensure this field has no more than ${max} characters.`];
}

/** Returns the integers just outside the bounds of a field, which the service must reject. */
function outside({ metadata: { min_value: min, max_value: max } }: AnyModelField): readonly Wrong[] {
  return [
    ...(min === undefined ? [] : [[min - 1, `Ensure this value is greater than or equal to ${min}.`] as const]),
    ...(max === undefined ? [] : [[max + 1, `Ensure this value is less than or equal to ${max}.`] as const]),
  ];
}

function tooPrecise({
  metadata: { max_digits: digits = 0, decimal_places: places = 0 },
}: AnyModelField): readonly Wrong[] {
  const whole = digits - places;
  return [
    [`0.${'1'.repeat(places + 1)}`, `Ensure that there are no more than ${places} decimal places.`],
    ['1'.repeat(whole + 1), `Ensure that there are no more than ${whole} digits before the decimal point.`],
    ['1'.repeat(digits + 1), `Ensure that there are no more than ${digits} digits in total.`],
  ];
}
