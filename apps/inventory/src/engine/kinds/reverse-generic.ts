import type { Field, Place } from '../declaration/field.js';
import { nestedSchema } from '../meta/component-schemas.js';
import { orNull } from '../meta/json-schema.js';
import { nestedObject } from '../read/representation.js';
import { assemble, sql, type Sql, text } from '../sql/pieces.js';
import { computed } from './computed.js';

/** The pair of fields by which objects of another model point here. */
export interface GenericPair {
  readonly type: string;
  readonly id: string;
}

/** The objects whose pair of type and id points here, nested; read-only. */
export function reverseGeneric(type: string, pair: GenericPair): Field<readonly number[]> {
  const { schema: _schema, ...field } = computed(
    {
      json: (place) => {
        const rows = pointingHere(place, type, pair);
        if (rows === null) return [text('[]')];
        return [sql(`concat('[', (SELECT string_agg(item, ', ') FROM (${rows}) ${place.scope.alias()}), ']')`)];
      },
      schema: {},
    },
    'reverse',
  );
  return {
    ...field,
    schema: {
      read: (registry) => {
        const target = registry.find(type);
        return { type: 'array', items: target === null ? {} : nestedSchema(target) };
      },
      write: () => ({}),
    },
    metadata: { type: 'list', child: { type: 'nested object', required: false, read_only: true } },
  };
}

/** The one object whose pair of type and id points here, nested; null when there is none. */
export function reverseGenericOne(type: string, pair: GenericPair): Field<number | null> {
  const { schema: _schema, ...field } = computed({
    json: (place) => {
      const rows = pointingHere(place, type, pair);
      return [rows === null ? text('null') : sql(`coalesce((${rows} LIMIT 1), 'null')`)];
    },
    schema: {},
    metadataType: 'nested object',
  });
  return {
    ...field,
    traits: { ...field.traits, nullable: true },
    schema: {
      read: (registry) => {
        const target = registry.find(type);
        return target === null ? { type: 'null' } : orNull(nestedSchema(target));
      },
      write: () => ({}),
    },
  };
}

function pointingHere(place: Place, type: string, pair: GenericPair): Sql | null {
  const target = place.scope.registry.find(type);
  if (target === null) return null;
  const alias = place.scope.alias();
  return `SELECT ${assemble(nestedObject(target, alias, place.scope))} AS item FROM ${target.table} ${alias}
    WHERE ${alias}.${pair.type} = '${place.model.type}' AND ${alias}.${pair.id} = ${place.alias}.id ORDER BY ${alias}.id`;
}
