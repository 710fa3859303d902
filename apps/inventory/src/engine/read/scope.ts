import { type CustomFieldSource, noCustomFields } from '../custom-fields/custom-field.js';
import type { SqlScope } from '../declaration/field.js';
import type { Registry } from '../declaration/registry.js';

/** A scope whose aliases begin with `prefix`, for one part of a statement. `$1` is what URLs begin with. */
export function statementScope(
  registry: Registry,
  prefix: string,
  customFields: CustomFieldSource = noCustomFields,
): SqlScope {
  let count = 0;
  return {
    registry,
    customFields,
    base: '$1::text',
    alias: () => {
      count += 1;
      return `${prefix}${count}`;
    },
  };
}
