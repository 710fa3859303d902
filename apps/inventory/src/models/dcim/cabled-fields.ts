import type { ModelField, ReferencedTextSource, FieldSqlContext } from '../../engine/declaration/field.js';
import type { ChangeRecordMemberSql, ModelConstraint, ModelDefinition } from '../../engine/declaration/define-model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import type { ListFilter, ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { listNestedSchemasOfModels, createGenericObjectJsonSql } from '../../engine/field-types/generic-object.js';
import { referenceField } from '../../engine/field-types/relation.js';
import {
  createJsonValueFragment,
  quoteSqlLiteral,
  createComputedJsonFragment,
  type SqlText,
  createConstantJsonFragment,
} from '../../engine/sql/json-text-sql.js';
import { compatibleCableEndTypes } from './cable-end-types.js';

/** Names of the two sides of a cable, by stored value. */
export const cableSides = { A: 'A', B: 'B' };

/** Fields of a component with its cable, and with the side of the cable (A or B) to which it is connected. */
export const componentCableFields = {
  mark_connected: booleanField(),
  cable: referenceField('dcim.cable', { nullable: true, readOnly: true, onDelete: 'set_null', filterBy: null }),
  cable_end: choiceField(cableSides, { nullable: true, readOnly: true, raw: true, filterSingle: true }),
};

/**
 * Members of a component's change records that describe the component's end of the cable: the number of the connector,
 * and the positions on the connector.
 */
export const componentCableChangeMembers: ChangeRecordMemberSql = {
  cable_connector: (alias, { type }) => createCableEndMember('e.connector::text', alias, type),
  cable_positions: (alias, { type }) => createCableEndMember('to_json(e.positions)::text', alias, type),
};

function createCableEndMember(value: SqlText, alias: string, type: string): SqlText {
  const end = `SELECT ${value} FROM dcim_cabletermination e WHERE e.termination_type = ${quoteSqlLiteral(type)} AND e.termination_id = ${alias}.id`;
  return `CASE WHEN ${alias}.cable_id IS NULL THEN 'null' ELSE coalesce((${end}), 'null') END`;
}

/**
 * SQL for an object with which a component is connected, but not by a cable. `of` is the model of that object. `found`
 * returns the SQL expressions of the object's model and id, which are null if the component has no such connection.
 */
export interface PeerWithoutCableSql {
  readonly of: string;
  readonly found: (alias: string) => { readonly type: SqlText; readonly id: SqlText };
}

/**
 * Creates the fields with the objects at the other end of a component's cable. With a cable profile, the fields contain
 * only the objects at the connected positions. The field with their type is null without a cable.
 */
export function createLinkPeerFields(other?: PeerWithoutCableSql): {
  link_peers: ModelField;
  link_peers_type: ModelField;
} {
  return { link_peers: createLinkPeersField(other), link_peers_type: linkPeersTypeField };
}

function createLinkPeersField(other?: PeerWithoutCableSql): ModelField {
  const field = computedField(
    {
      json: ({ model, alias, scope }) => {
        const peer = scope.alias();
        const allowed = compatibleCableEndTypes[model.type] ?? [];
        const shape = createGenericObjectJsonSql(scope, allowed, { type: `${peer}.type`, id: `${peer}.id` });
        if (shape === null) return [createConstantJsonFragment('[]')];
        const listOf = (peers: SqlText): SqlText =>
          `(SELECT string_agg(item, ', ') FROM (SELECT ${shape} AS item FROM ${peers} ${peer} ORDER BY ${peer}.place, ${peer}.id) ${scope.alias()})`;
        const shared = scope.batchLookup?.load(alias, createLinkPeersKeySql(model.type, alias), (keys) => {
          const key = scope.alias();
          return `SELECT ${key}.id, ${listOf(createKeyedLinkPeersSql(`${key}.id`))} AS value FROM (SELECT DISTINCT unnest(${keys}) AS id) ${key} WHERE ${key}.id IS NOT NULL`;
        });
        const list = shared ?? listOf(createLinkPeersSql(model.type, alias));
        const cabled = `WHEN ${alias}.cable_id IS NOT NULL THEN concat('[', ${list}, ']')`;
        const further = other === undefined ? null : createGenericObjectJsonSql(scope, [other.of], other.found(alias));
        const otherwise = further === null ? `'[]'` : `coalesce('[' || ${further} || ']', '[]')`;
        return [createComputedJsonFragment(`CASE ${cabled} ELSE ${otherwise} END`)];
      },
      schema: {},
    },
    'reverse',
  );
  return {
    ...field,
    schema: {
      read: (registry) => ({
        type: 'array',
        items: { anyOf: listNestedSchemasOfModels(registry, Object.keys(compatibleCableEndTypes)) },
      }),
      write: () => ({}),
    },
    metadata: { type: 'field' },
  };
}

const linkPeersTypeField = computedField({
  json: ({ model, alias, scope }) => {
    const peer = scope.alias();
    const first = `SELECT ${peer}.type FROM ${createLinkPeersSql(model.type, alias)} ${peer} ORDER BY ${peer}.place, ${peer}.id LIMIT 1`;
    return [createJsonValueFragment(`CASE WHEN ${alias}.cable_id IS NOT NULL THEN (${first}) END`)];
  },
  schema: { type: ['string', 'null'] },
});

/**
 * Returns the SQL expression of a key for the link peers of a component, which are the objects at the other end of its
 * cable. Without a cable profile, all components at one side of a cable have the same link peers. The key is then a
 * negative number made from the cable id and the side. With a profile, the key is the id of the cable termination.
 */
function createLinkPeersKeySql(type: string, alias: string): SqlText {
  return `CASE WHEN ${alias}.cable_id IS NOT NULL THEN (
    SELECT CASE WHEN e.connector IS NULL THEN -2 * e.cable_id - (e.cable_end = 'A')::int ELSE e.id END
    FROM dcim_cabletermination e WHERE e.termination_type = ${quoteSqlLiteral(type)} AND e.termination_id = ${alias}.id) END`;
}

/**
 * Returns SQL for a FROM clause that selects the link peers with a {@link createLinkPeersKeySql}. Link peers are the objects
 * at the other end of a cable. The columns are the objects' types, ids and positions in the list.
 */
function createKeyedLinkPeersSql(key: SqlText): SqlText {
  return `(SELECT far.termination_type AS type, far.termination_id AS id, far.id AS place FROM dcim_cabletermination far
      WHERE ${key} < 0 AND far.cable_id = -${key} / 2 AND far.cable_end = CASE -${key} % 2 WHEN 1 THEN 'B' ELSE 'A' END
    UNION ALL SELECT far.type, far.id, far.place FROM dcim_cabletermination near,
      dcim_link_peers(near.termination_type, near.termination_id, near.cable_id, near.cable_end) far
      WHERE ${key} > 0 AND near.id = ${key})`;
}

function createLinkPeersSql(type: string, alias: string): SqlText {
  return `dcim_link_peers(${quoteSqlLiteral(type)}, ${alias}.id, ${alias}.cable_id, ${alias}.cable_end)`;
}

/**
 * Returns the SQL condition that a cable or a complete cable path connects two of the objects with the given ids. Each
 * of the two objects then shows the other one as a link peer or connected endpoint.
 */
export function createEndsConnectedCondition(type: string, ids: SqlText): SqlText {
  const at = (end: string): SqlText =>
    `${end}.termination_type = ${quoteSqlLiteral(type)} AND ${end}.termination_id = ANY (${ids})`;
  const on = (node: string): SqlText =>
    `${node}.object_type = ${quoteSqlLiteral(type)} AND ${node}.object_id = ANY (${ids})`;
  return `EXISTS (SELECT FROM dcim_cabletermination a
      JOIN dcim_cabletermination b ON b.cable_id = a.cable_id AND b.cable_end <> a.cable_end WHERE ${at('a')} AND ${at('b')})
    OR EXISTS (SELECT FROM dcim_cablepathnode a JOIN dcim_cablepathnode b ON b.path_id = a.path_id
      WHERE a.is_origin AND b.is_destination AND ${on('a')} AND ${on('b')})`;
}

/**
 * Models of power objects at which a cable path can end. A cable path that begins at a power object can end only at
 * power objects.
 */
const powerPathEndTypes = ['dcim.powerfeed', 'dcim.poweroutlet', 'dcim.powerport'];
const dataPathEndTypes = ['circuits.providernetwork', 'dcim.consoleport', 'dcim.consoleserverport', 'dcim.interface'];

function listPathEndTypes({ type }: ModelDefinition): readonly string[] {
  return powerPathEndTypes.includes(type) ? powerPathEndTypes : dataPathEndTypes;
}

/** Fields of a component that show the objects at the end of the complete cable path that begins at the component. */
export const connectedEndpointFields = createConnectedEndpointFields({
  isLinked: ({ alias }) => `${alias}.cable_id IS NOT NULL`,
});

/**
 * SQL for the objects with which components are connected without a cable or wireless link, for example through a
 * virtual circuit.
 */
export interface EndsWithoutCablePath {
  /** Model of the connected objects, as `<app>.<model>`. */
  readonly of: string;
  /** SQL condition that any such connections exist, checked once per statement. */
  readonly exist: SqlText;
  /** Returns the SQL condition that the component `alias` can be connected with objects without a cable path. */
  readonly when: (alias: string) => SqlText;
  /**
   * Returns an SQL query for the ids of the connected objects, in the column `id`. The objects are shown ordered by id.
   */
  readonly found: (alias: string) => SqlText;
}

/**
 * Creates fields like {@link connectedEndpointFields} for other components. Their path can begin with a link other than
 * a cable, or they can be connected without a cable path.
 *
 * @param isLinked returns the SQL condition that the component has a link
 */
export function createConnectedEndpointFields({
  isLinked,
  others,
}: {
  readonly isLinked: (place: FieldSqlContext) => SqlText;
  readonly others?: EndsWithoutCablePath;
}): Readonly<Record<string, ModelField>> {
  const whenLinked = (place: FieldSqlContext, value: SqlText, otherwise: SqlText): SqlText =>
    `CASE WHEN ${isLinked(place)} THEN coalesce(${value}, ${otherwise}) ELSE ${otherwise} END`;
  const endpoints = computedField({
    json: (place) => {
      const { scope, model, alias } = place;
      const listOf = (
        types: readonly string[],
        end: SqlText,
        rows: SqlText,
        own: { alias?: string } = {},
      ): SqlText | null => {
        const shape = createGenericObjectJsonSql(scope, types, { type: `${end}.type`, id: `${end}.id`, ...own });
        return shape === null
          ? null
          : `(SELECT '[' || string_agg(item, ', ') || ']' FROM (SELECT ${shape} AS item FROM ${rows} ${end} ORDER BY ${end}.place) ${scope.alias()})`;
      };
      const end = scope.alias();
      const ownEnds = listOf(listPathEndTypes(model), end, createCablePathEndsSql(model.type, alias));
      const key = `CASE WHEN ${isLinked(place)} THEN ${createCablePathIdSql(model.type, alias)} END`;
      const shared = scope.batchLookup?.load(alias, key, (keys) => {
        const path = scope.alias();
        const list = listOf(listPathEndTypes(model), end, createPathIdEndsSql(`${path}.id`)) ?? 'NULL::text';
        return `SELECT ${path}.id, ${list} AS value FROM (SELECT DISTINCT unnest(${keys}) AS id) ${path} WHERE ${path}.id IS NOT NULL`;
      });
      const atEnd = ownEnds === null ? null : (shared ?? ownEnds);
      if (atEnd === null) return [createConstantJsonFragment('null')];
      const linked = whenLinked(place, atEnd, `'null'`);
      if (others === undefined) return [createComputedJsonFragment(linked)];
      const otherEnd = createNestedEndsJsonSql(place, others);
      const other = listOf([others.of], otherEnd, createEndsWithoutPathSql(others, alias), { alias: otherEnd });
      if (other === null) return [createComputedJsonFragment(linked)];
      const shown = `CASE WHEN ${others.when(alias)} THEN coalesce(${other}, 'null') ELSE ${linked} END`;
      return [createComputedJsonFragment(shown)];
    },
    schema: {},
  });
  const shownTypes = [...dataPathEndTypes, ...powerPathEndTypes, ...(others === undefined ? [] : [others.of])];
  return {
    connected_endpoints: {
      ...endpoints,
      ...(others === undefined ? {} : { foreignTexts: createEndsWithoutPathTexts(others) }),
      schema: {
        read: (registry) => ({
          type: ['array', 'null'],
          items: { anyOf: listNestedSchemasOfModels(registry, shownTypes) },
        }),
        write: () => ({}),
      },
      metadata: { type: 'field' },
    },
    connected_endpoints_type: computedField({
      json: (place) => {
        const end = place.scope.alias();
        const type = `(SELECT ${end}.type FROM ${createCablePathEndsSql(place.model.type, place.alias)} ${end} LIMIT 1)`;
        const linked = `WHEN ${isLinked(place)} THEN ${type}`;
        if (others === undefined) return [createJsonValueFragment(`CASE ${linked} END`)];
        const other = `(SELECT ${end}.type FROM ${createEndsWithoutPathSql(others, place.alias)} ${end} LIMIT 1)`;
        return [createJsonValueFragment(`CASE WHEN ${others.when(place.alias)} THEN ${other} ${linked} END`)];
      },
      schema: { type: ['string', 'null'] },
    }),
    connected_endpoints_reachable: computedField({
      json: (place) => [
        createComputedJsonFragment(
          whenLinked(place, `(${createActiveCablePathCondition(place.model.type, place.alias)})::text`, `'false'`),
        ),
      ],
      schema: { type: 'boolean' },
    }),
  };
}

/**
 * Returns SQL for a FROM clause that selects the objects with which a component is connected without a cable path. The
 * columns are the objects' types, ids and positions in the list.
 */
function createEndsWithoutPathSql({ of, found }: EndsWithoutCablePath, alias: string): SqlText {
  return `(SELECT ${quoteSqlLiteral(of)}::text AS type, f.id, f.id AS place FROM (${found(alias)}) f)`;
}

/** Average length, in bytes, of the JSON of an object that a component is connected with without a cable path. */
const estimatedBytesPerEndWithoutPath = 1000;

/** Returns the SQL that estimates the length of a component's list of objects connected without a cable path. */
function createEndsWithoutPathTexts({ exist, when, found }: EndsWithoutCablePath): ReferencedTextSource {
  return {
    exist,
    bytes: (alias) =>
      `CASE WHEN ${when(alias)} THEN ${estimatedBytesPerEndWithoutPath} * (SELECT count(*) FROM (${found(alias)}) f) ELSE 0 END`,
    rowsTogether: 500,
    isShownByNew: false,
  };
}

/**
 * Returns the SQL expression of the objects of {@link createEndsWithoutPathSql} in nested form. For a page of components, the
 * JSON of each connected object is built only once. Otherwise the work for components that are all connected with one
 * another would grow with the square of their number.
 */
function createNestedEndsJsonSql({ scope, alias }: FieldSqlContext, { of, found }: EndsWithoutCablePath): string {
  const [end, row] = [scope.alias(), scope.alias()];
  const ids = scope.batchLookup?.keys(alias, `${alias}.id`) ?? null;
  if (ids !== null) {
    const ends = `SELECT DISTINCT ${quoteSqlLiteral(of)}::text AS type, f.id FROM unnest(${ids}) AS ${row} (id), LATERAL (${found(row)}) f`;
    scope.batchLookup?.nest(end, `FROM (${ends}) ${end}`);
  }
  return end;
}

/**
 * Returns SQL for a FROM clause that selects the objects at the end of a component's cable path. The columns are the
 * objects' types, ids and positions in the list.
 */
function createCablePathEndsSql(type: string, alias: string): SqlText {
  return `(SELECT d.object_type::text AS type, d.object_id AS id, d.place FROM dcim_cablepathnode o
    JOIN dcim_cablepathnode d ON d.path_id = o.path_id AND d.is_destination
    WHERE o.object_type = ${quoteSqlLiteral(type)} AND o.object_id = ${alias}.id AND o.is_origin)`;
}

/**
 * Returns the SQL expression of the id of the cable path that begins at a component. All components at the same side of
 * a cable have the same cable path.
 */
function createCablePathIdSql(type: string, alias: string): SqlText {
  return `(SELECT o.path_id FROM dcim_cablepathnode o WHERE o.object_type = ${quoteSqlLiteral(type)} AND o.object_id = ${alias}.id AND o.is_origin)`;
}

/**
 * Returns SQL for a FROM clause that selects the objects at the end of the cable path with a given id. The columns are
 * `type`, `id` and `place`.
 */
function createPathIdEndsSql(path: SqlText): SqlText {
  return `(SELECT d.object_type::text AS type, d.object_id AS id, d.place FROM dcim_cablepathnode d
    WHERE d.path_id = ${path} AND d.is_destination)`;
}

/**
 * Returns the SQL condition that the cable path of a component is active. An active cable path begins at the component,
 * is complete, and all its links are connected.
 */
function createActiveCablePathCondition(type: string, alias: string): SqlText {
  return `EXISTS (SELECT FROM dcim_cablepathnode o JOIN dcim_cablepath p ON p.id = o.path_id AND p.is_complete AND p.is_active
    WHERE o.object_type = ${quoteSqlLiteral(type)} AND o.object_id = ${alias}.id AND o.is_origin)`;
}

const createOccupiedCondition = (alias: string): SqlText =>
  `(${alias}.mark_connected OR ${alias}.cable_id IS NOT NULL)`;

/** Field of a component that is true if the component has a cable or is marked as connected. */
export const componentOccupiedField = createOccupiedFieldWithCondition(createOccupiedCondition);

/**
 * Creates a field like {@link componentOccupiedField} for components that can also be connected without a cable. The field is
 * true if the given SQL condition is true.
 */
export function createOccupiedFieldWithCondition(condition: (alias: string) => SqlText): ModelField {
  return computedField({
    json: ({ alias }) => [createComputedJsonFragment(`(${condition(alias)})::text`)],
    schema: { type: 'boolean' },
  });
}

/**
 * Returns the filters of components by their cable. `occupiedWhen` returns the SQL condition that a component counts as
 * occupied; see {@link createOccupiedFieldWithCondition}.
 */
export function createComponentCableFilters(
  occupiedWhen: (alias: string) => SqlText = createOccupiedCondition,
): readonly (ListFilter | ModelFilterFactory)[] {
  return [
    booleanFilter('cabled', (alias) => `(${alias}.cable_id IS NOT NULL)`),
    booleanFilter('occupied', occupiedWhen),
    ({ type }) => [
      integerFilter(
        'cable_connector',
        (alias) =>
          `(SELECT e.connector FROM dcim_cabletermination e WHERE e.termination_type = ${quoteSqlLiteral(type)} AND e.termination_id = ${alias}.id)`,
      ),
    ],
  ];
}

/** Filter for components whose cable path is complete and active, which means that all its links are connected. */
export const connectedComponentFilter: ModelFilterFactory = ({ type }) => [
  booleanFilter('connected', (alias) => `(${createActiveCablePathCondition(type, alias)})`),
];

/**
 * Returns the name and error key of a database check constraint of a table of components. The constraint requires that
 * a component marked as connected has no cable.
 */
export function createMarkedConnectedConstraint(table: string): ModelConstraint {
  return {
    name: `${table}_mark_connected_check`,
    key: 'mark_connected',
    message: 'Cannot mark as connected with a cable attached.',
  };
}
