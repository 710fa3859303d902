import type { Field } from '../declaration/field.js';
import { sql, text as fixed } from '../sql/pieces.js';
import { columnOf } from './traits.js';
import { text, type TextOptions } from './text.js';

/** What a stored secret looks like to a reader. */
export const maskedSecret = '********';

/**
 * A text that is written and never shown: '' when none is set, else eight asterisks. The model's `prepare` hook seals
 * it; asterisks that come back keep what is stored.
 */
export function secret(options: TextOptions = {}): Field<string | null> {
  const plain = text(options);
  return {
    ...plain,
    kind: 'secret',
    column: (name) => ({ name, type: 'text' }),
    json: (place) => [sql(`CASE ${columnOf(place, place.name)} WHEN '' THEN '""' ELSE '"${maskedSecret}"' END`)],
    snapshot: () => [fixed(`"${maskedSecret}"`)],
    filters: () => [],
    order: () => [],
  };
}
