import type { Field } from '../declaration/field.js';
import { secretFilter } from '../filter/secret-filter.js';
import { digestColumn, maskedJson, sealedJson, sealPurpose } from '../sealed/sealed-text.js';
import { sql } from '../sql/pieces.js';
import { text, type TextOptions } from './text.js';

/**
 * A text that is written and never shown: '' when none is set, else eight asterisks. It is stored sealed, with a
 * fingerprint in `<name>_digest` beside it; asterisks that come back keep what is stored.
 */
export function secret(options: TextOptions = {}): Field<string | null> {
  return { ...sealedText(options), kind: 'secret', sealed: 'hidden', json: (place) => [sql(maskedJson(place))] };
}

/**
 * A text that is stored as a {@link secret} is, and shown to whoever may view the object. It leaves the service in no
 * other way: the change log and events have asterisks in its place.
 */
export function sealed(options: TextOptions = {}): Field<string | null> {
  return { ...sealedText(options), kind: 'sealed', sealed: 'shown', json: (place) => [sql(sealedJson(place))] };
}

function sealedText(options: TextOptions): Field<string | null> {
  return {
    ...text(options),
    column: (name) => ({ name, type: 'text' }),
    snapshot: (place) => [sql(maskedJson(place))],
    filters: (name, _registry, model) => [secretFilter(name, digestColumn(name), sealPurpose(model, name))],
    order: () => [],
  };
}
