import type { Field } from '../declaration/field.js';
import { sql } from '../sql/pieces.js';
import { InputProblem, refuse } from '../write/input-problem.js';
import { columnOf, traits } from './traits.js';

/**
 * Values of the custom fields that are assigned to the model. As long as no model of custom fields is declared there
 * are none, and naming one is answered as for any unknown name.
 */
export function customFields(): Field<Readonly<Record<string, unknown>>> {
  return {
    kind: 'customFields',
    traits: traits({}, {}),
    column: () => ({ name: 'custom_field_data', type: 'jsonb' }),
    json: (place) => [sql(`${columnOf(place, 'custom_field_data')}::text`)],
    snapshot: (place) => [sql(`${columnOf(place, 'custom_field_data')}::text`)],
    input: (value) => {
      if (value === null || typeof value !== 'object' || Array.isArray(value)) {
        throw refuse(
          'Invalid data format. Custom field data must be passed as a dictionary mapping field names to their values.',
        );
      }
      const names = Object.keys(value);
      if (names.length > 0) {
        throw new InputProblem(
          Object.fromEntries(
            names.map((name) => [name, `Custom field '${name}' does not exist for this object type.`]),
          ),
        );
      }
      return {};
    },
    schema: {
      read: () => ({ type: 'object', additionalProperties: true }),
      write: () => ({ type: 'object', additionalProperties: true }),
    },
    metadata: { type: 'field' },
    filters: () => [],
    order: (place) => [columnOf(place, 'custom_field_data')],
  };
}
