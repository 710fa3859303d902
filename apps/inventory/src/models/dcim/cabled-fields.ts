import type { ModelField, ReferencedTextSource, FieldSqlContext } from '../../engine/declaration/field.js';
import type { ChangeLogMembers, ModelConstraint, ModelDefinition } from '../../engine/declaration/define-model.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import type { ListFilter, CreateFilters } from '../../engine/filter/filter-problem.js';
import { integerFilter } from '../../engine/filter/number-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { nestedSchemasOfTypes, genericObjectJsonSql } from '../../engine/field-types/generic-object.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { jsonValue, sqlLiteral, computedJson, type SqlText, constantJson } from '../../engine/sql/json-text-sql.js';
import { compatibleCableEnds } from './cable-end-types.js';

/** Names of the two sides of a cable, by stored value. */
export const cableSides = { A: 'A', B: 'B' };

/**
 * Fields of a component that show the component's cable, and the side of the cable (A or B) to which the component is
 * connected.
 */
export const cableFields = {
  mark_connected: booleanField(),
  cable: referenceField('dcim.cable', { nullable: true, readOnly: true, onDelete: 'set_null', filterBy: null }),
  cable_end: choiceField(cableSides, { nullable: true, readOnly: true, raw: true, filterSingle: true }),
};

/**
 * Members of a component's change records that describe the component's end of the cable: the number of the connector,
 * and the positions on the connector.
 */
export const cableChangeLogMembers: ChangeLogMembers = {
  cable_connector: (alias, { type }) => cableEndMember('e.connector::text', alias, type),
  cable_positions: (alias, { type }) => cableEndMember('to_json(e.positions)::text', alias, type),
};

function cableEndMember(value: SqlText, alias: string, type: string): SqlText {
  const end = `SELECT ${value} FROM dcim_cabletermination e WHERE e.termination_type = ${sqlLiteral(type)} AND e.termination_id = ${alias}.id`;
  return `CASE WHEN ${alias}.cable_id IS NULL THEN 'null' ELSE coalesce((${end}), 'null') END`;
}

/**
 * SQL for an object with which a component is connected, but not by a cable. `of` is the model of that object. `found`
 * returns the SQL expressions of the object's model and id, which are null if the component has no such connection.
 */
export interface PeerWithoutCable {
  readonly of: string;
  readonly found: (alias: string) => { readonly type: SqlText; readonly id: SqlText };
}

/**
 * Creates two fields of a component: the objects at the other end of its cable (`link_peers`), and their model
 * (`link_peers_type`). If the cable has a profile, `link_peers` contains only the objects at the connected positions.
 * `link_peers_type` is null without a cable.
 */
export function linkPeerFields(other?: PeerWithoutCable): { link_peers: ModelField; link_peers_type: ModelField } {
  return { link_peers: linkPeersField(other), link_peers_type: linkPeersType };
}

function linkPeersField(other?: PeerWithoutCable): ModelField {
  const field = computedField(
    {
      json: ({ model, alias, scope }) => {
        const peer = scope.alias();
        const allowed = compatibleCableEnds[model.type] ?? [];
        const shape = genericObjectJsonSql(scope, allowed, { type: `${peer}.type`, id: `${peer}.id` });
        if (shape === null) return [constantJson('[]')];
        const listOf = (peers: SqlText): SqlText =>
          `(SELECT string_agg(item, ', ') FROM (SELECT ${shape} AS item FROM ${peers} ${peer} ORDER BY ${peer}.place, ${peer}.id) ${scope.alias()})`;
        const shared = scope.batchLookup?.load(alias, linkPeersKeySql(model.type, alias), (keys) => {
          const key = scope.alias();
          return `SELECT ${key}.id, ${listOf(linkPeersByKeySql(`${key}.id`))} AS value FROM (SELECT DISTINCT unnest(${keys}) AS id) ${key} WHERE ${key}.id IS NOT NULL`;
        });
        const list = shared ?? listOf(linkPeersSql(model.type, alias));
        const cabled = `WHEN ${alias}.cable_id IS NOT NULL THEN concat('[', ${list}, ']')`;
        const further = other === undefined ? null : genericObjectJsonSql(scope, [other.of], other.found(alias));
        const otherwise = further === null ? `'[]'` : `coalesce('[' || ${further} || ']', '[]')`;
        return [computedJson(`CASE ${cabled} ELSE ${otherwise} END`)];
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
        items: { anyOf: nestedSchemasOfTypes(registry, Object.keys(compatibleCableEnds)) },
      }),
      write: () => ({}),
    },
    metadata: { type: 'field' },
  };
}

const linkPeersType = computedField({
  json: ({ model, alias, scope }) => {
    const peer = scope.alias();
    const first = `SELECT ${peer}.type FROM ${linkPeersSql(model.type, alias)} ${peer} ORDER BY ${peer}.place, ${peer}.id LIMIT 1`;
    return [jsonValue(`CASE WHEN ${alias}.cable_id IS NOT NULL THEN (${first}) END`)];
  },
  schema: { type: ['string', 'null'] },
});

/**
 * Returns the SQL expression of a key for the link peers of a component, which are the objects at the other end of its
 * cable. Without a cable profile, all components at one side of a cable have the same link peers. The key is then a
 * negative number made from the cable id and the side. With a profile, the key is the id of the cable termination.
 */
function linkPeersKeySql(type: string, alias: string): SqlText {
  return `CASE WHEN ${alias}.cable_id IS NOT NULL THEN (
    SELECT CASE WHEN e.connector IS NULL THEN -2 * e.cable_id - (e.cable_end = 'A')::int ELSE e.id END
    FROM dcim_cabletermination e WHERE e.termination_type = ${sqlLiteral(type)} AND e.termination_id = ${alias}.id) END`;
}

/**
 * Returns SQL for a FROM clause that selects the link peers with a {@link linkPeersKeySql}. Link peers are the objects
 * at the other end of a cable. The columns are the objects' types, ids and positions in the list.
 */
function linkPeersByKeySql(key: SqlText): SqlText {
  return `(SELECT far.termination_type AS type, far.termination_id AS id, far.id AS place FROM dcim_cabletermination far
      WHERE ${key} < 0 AND far.cable_id = -${key} / 2 AND far.cable_end = CASE -${key} % 2 WHEN 1 THEN 'B' ELSE 'A' END
    UNION ALL SELECT far.type, far.id, far.place FROM dcim_cabletermination near,
      dcim_link_peers(near.termination_type, near.termination_id, near.cable_id, near.cable_end) far
      WHERE ${key} > 0 AND near.id = ${key})`;
}

function linkPeersSql(type: string, alias: string): SqlText {
  return `dcim_link_peers(${sqlLiteral(type)}, ${alias}.id, ${alias}.cable_id, ${alias}.cable_end)`;
}

/**
 * Returns the SQL condition that a cable or a complete cable path connects two of the objects with the given ids. Each
 * of the two objects then shows the other one as a link peer or connected endpoint.
 */
export function areEndsConnectedSql(type: string, ids: SqlText): SqlText {
  const at = (end: string): SqlText =>
    `${end}.termination_type = ${sqlLiteral(type)} AND ${end}.termination_id = ANY (${ids})`;
  const on = (node: string): SqlText =>
    `${node}.object_type = ${sqlLiteral(type)} AND ${node}.object_id = ANY (${ids})`;
  return `EXISTS (SELECT FROM dcim_cabletermination a
      JOIN dcim_cabletermination b ON b.cable_id = a.cable_id AND b.cable_end <> a.cable_end WHERE ${at('a')} AND ${at('b')})
    OR EXISTS (SELECT FROM dcim_cablepathnode a JOIN dcim_cablepathnode b ON b.path_id = a.path_id
      WHERE a.is_origin AND b.is_destination AND ${on('a')} AND ${on('b')})`;
}

/**
 * Models of power objects at which a cable path can end. A cable path that begins at a power object can end only at
 * power objects.
 */
const powerEndTypes = ['dcim.powerfeed', 'dcim.poweroutlet', 'dcim.powerport'];
const dataEndTypes = ['circuits.providernetwork', 'dcim.consoleport', 'dcim.consoleserverport', 'dcim.interface'];

function listTypesOfPathEnds({ type }: ModelDefinition): readonly string[] {
  return powerEndTypes.includes(type) ? powerEndTypes : dataEndTypes;
}

/** Fields of a component that show the objects at the end of the complete cable path that begins at the component. */
export const connectedEndpointFields = createConnectedFields({
  isLinked: ({ alias }) => `${alias}.cable_id IS NOT NULL`,
});

/**
 * SQL for the objects with which components are connected without a cable or wireless link, for example through a
 * virtual circuit.
 */
export interface EndsWithoutPath {
  /** Model of the connected objects, as `<app>.<model>`. */
  readonly of: string;
  /**
   * SQL condition that the database contains any connections without a cable path. A statement checks the condition
   * only once.
   */
  readonly exist: SqlText;
  /** Returns the SQL condition that the component `alias` can be connected with objects without a cable path. */
  readonly when: (alias: string) => SqlText;
  /**
   * Returns an SQL query for the ids of the objects connected with the component `alias`, in the column `id`. Responses
   * show these objects in the order of their ids.
   */
  readonly found: (alias: string) => SqlText;
}

/**
 * Creates fields like {@link connectedEndpointFields} for components whose path can begin with a link other than a cable, or
 * that can be connected without a cable path.
 *
 * @param isLinked returns the SQL condition that the component has a link
 */
export function createConnectedFields({
  isLinked,
  others,
}: {
  readonly isLinked: (place: FieldSqlContext) => SqlText;
  readonly others?: EndsWithoutPath;
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
        const shape = genericObjectJsonSql(scope, types, { type: `${end}.type`, id: `${end}.id`, ...own });
        return shape === null
          ? null
          : `(SELECT '[' || string_agg(item, ', ') || ']' FROM (SELECT ${shape} AS item FROM ${rows} ${end} ORDER BY ${end}.place) ${scope.alias()})`;
      };
      const end = scope.alias();
      const ownEnds = listOf(listTypesOfPathEnds(model), end, pathEndsSql(model.type, alias));
      const key = `CASE WHEN ${isLinked(place)} THEN ${pathIdSql(model.type, alias)} END`;
      const shared = scope.batchLookup?.load(alias, key, (keys) => {
        const path = scope.alias();
        const list = listOf(listTypesOfPathEnds(model), end, endsOfPathIdSql(`${path}.id`)) ?? 'NULL::text';
        return `SELECT ${path}.id, ${list} AS value FROM (SELECT DISTINCT unnest(${keys}) AS id) ${path} WHERE ${path}.id IS NOT NULL`;
      });
      const atEnd = ownEnds === null ? null : (shared ?? ownEnds);
      if (atEnd === null) return [constantJson('null')];
      const linked = whenLinked(place, atEnd, `'null'`);
      if (others === undefined) return [computedJson(linked)];
      const otherEnd = nestedEndsJsonSql(place, others);
      const other = listOf([others.of], otherEnd, endsWithoutPathSql(others, alias), { alias: otherEnd });
      if (other === null) return [computedJson(linked)];
      return [computedJson(`CASE WHEN ${others.when(alias)} THEN coalesce(${other}, 'null') ELSE ${linked} END`)];
    },
    schema: {},
  });
  const shownTypes = [...dataEndTypes, ...powerEndTypes, ...(others === undefined ? [] : [others.of])];
  return {
    connected_endpoints: {
      ...endpoints,
      ...(others === undefined ? {} : { foreignTexts: endsWithoutPathTexts(others) }),
      schema: {
        read: (registry) => ({
          type: ['array', 'null'],
          items: { anyOf: nestedSchemasOfTypes(registry, shownTypes) },
        }),
        write: () => ({}),
      },
      metadata: { type: 'field' },
    },
    connected_endpoints_type: computedField({
      json: (place) => {
        const end = place.scope.alias();
        const type = `(SELECT ${end}.type FROM ${pathEndsSql(place.model.type, place.alias)} ${end} LIMIT 1)`;
        const linked = `WHEN ${isLinked(place)} THEN ${type}`;
        if (others === undefined) return [jsonValue(`CASE ${linked} END`)];
        const other = `(SELECT ${end}.type FROM ${endsWithoutPathSql(others, place.alias)} ${end} LIMIT 1)`;
        return [jsonValue(`CASE WHEN ${others.when(place.alias)} THEN ${other} ${linked} END`)];
      },
      schema: { type: ['string', 'null'] },
    }),
    connected_endpoints_reachable: computedField({
      json: (place) => [
        computedJson(whenLinked(place, `(${hasActivePathSql(place.model.type, place.alias)})::text`, `'false'`)),
      ],
      schema: { type: 'boolean' },
    }),
  };
}

/**
 * Returns SQL for a FROM clause that selects the objects with which a component is connected without a cable path. The
 * columns are the objects' types, ids and positions in the list.
 */
function endsWithoutPathSql({ of, found }: EndsWithoutPath, alias: string): SqlText {
  return `(SELECT ${sqlLiteral(of)}::text AS type, f.id, f.id AS place FROM (${found(alias)}) f)`;
}

/**
 * Estimated average length, in bytes, of the JSON of one object with which a component is connected without a cable
 * path.
 */
const estimatedBytesPerEndWithoutPath = 1000;

/** Returns the SQL that estimates the length of a component's list of objects connected without a cable path. */
function endsWithoutPathTexts({ exist, when, found }: EndsWithoutPath): ReferencedTextSource {
  return {
    exist,
    bytes: (alias) =>
      `CASE WHEN ${when(alias)} THEN ${estimatedBytesPerEndWithoutPath} * (SELECT count(*) FROM (${found(alias)}) f) ELSE 0 END`,
    rowsTogether: 500,
    isShownByNew: false,
  };
}

/**
 * Returns the SQL expression of the objects of {@link endsWithoutPathSql} in nested form. For a page of components, the
 * JSON of each connected object is built only once. Otherwise the work for components that are all connected with one
 * another would grow with the square of their number.
 */
function nestedEndsJsonSql({ scope, alias }: FieldSqlContext, { of, found }: EndsWithoutPath): string {
  const [end, row] = [scope.alias(), scope.alias()];
  const ids = scope.batchLookup?.keys(alias, `${alias}.id`) ?? null;
  if (ids !== null) {
    const ends = `SELECT DISTINCT ${sqlLiteral(of)}::text AS type, f.id FROM unnest(${ids}) AS ${row} (id), LATERAL (${found(row)}) f`;
    scope.batchLookup?.nest(end, `FROM (${ends}) ${end}`);
  }
  return end;
}

/**
 * Returns SQL for a FROM clause that selects the objects at the end of a component's cable path. The columns are the
 * objects' types, ids and positions in the list.
 */
function pathEndsSql(type: string, alias: string): SqlText {
  return `(SELECT d.object_type::text AS type, d.object_id AS id, d.place FROM dcim_cablepathnode o
    JOIN dcim_cablepathnode d ON d.path_id = o.path_id AND d.is_destination
    WHERE o.object_type = ${sqlLiteral(type)} AND o.object_id = ${alias}.id AND o.is_origin)`;
}

/**
 * Returns the SQL expression of the id of the cable path that begins at a component. All components at the same side of
 * a cable have the same cable path.
 */
function pathIdSql(type: string, alias: string): SqlText {
  return `(SELECT o.path_id FROM dcim_cablepathnode o WHERE o.object_type = ${sqlLiteral(type)} AND o.object_id = ${alias}.id AND o.is_origin)`;
}

/**
 * Returns SQL for a FROM clause that selects the objects at the end of the cable path with a given id. The columns are
 * `type`, `id` and `place`.
 */
function endsOfPathIdSql(path: SqlText): SqlText {
  return `(SELECT d.object_type::text AS type, d.object_id AS id, d.place FROM dcim_cablepathnode d
    WHERE d.path_id = ${path} AND d.is_destination)`;
}

/**
 * Returns the SQL condition that the cable path of a component is active. An active cable path begins at the component,
 * is complete, and all its links are connected.
 */
function hasActivePathSql(type: string, alias: string): SqlText {
  return `EXISTS (SELECT FROM dcim_cablepathnode o JOIN dcim_cablepath p ON p.id = o.path_id AND p.is_complete AND p.is_active
    WHERE o.object_type = ${sqlLiteral(type)} AND o.object_id = ${alias}.id AND o.is_origin)`;
}

const isOccupiedSql = (alias: string): SqlText => `(${alias}.mark_connected OR ${alias}.cable_id IS NOT NULL)`;

/** Field of a component that is true if the component has a cable or is marked as connected. */
export const occupiedField = occupiedFieldWithCondition(isOccupiedSql);

/**
 * Creates a field like {@link occupiedField} for components that can also be connected without a cable. The field is
 * true if the given SQL condition is true.
 */
export function occupiedFieldWithCondition(condition: (alias: string) => SqlText): ModelField {
  return computedField({
    json: ({ alias }) => [computedJson(`(${condition(alias)})::text`)],
    schema: { type: 'boolean' },
  });
}

/**
 * Returns the filters of components by their cable. `occupiedWhen` returns the SQL condition that a component counts as
 * occupied; see {@link occupiedFieldWithCondition}.
 */
export function cabledFilters(
  occupiedWhen: (alias: string) => SqlText = isOccupiedSql,
): readonly (ListFilter | CreateFilters)[] {
  return [
    booleanFilter('cabled', (alias) => `(${alias}.cable_id IS NOT NULL)`),
    booleanFilter('occupied', occupiedWhen),
    ({ type }) => [
      integerFilter(
        'cable_connector',
        (alias) =>
          `(SELECT e.connector FROM dcim_cabletermination e WHERE e.termination_type = ${sqlLiteral(type)} AND e.termination_id = ${alias}.id)`,
      ),
    ],
  ];
}

/** Filter for components whose cable path is complete and active, which means that all its links are connected. */
export const connectedFilter: CreateFilters = ({ type }) => [
  booleanFilter('connected', (alias) => `(${hasActivePathSql(type, alias)})`),
];

/**
 * Returns the name and error key of a database check constraint of a table of components. The constraint requires that
 * a component marked as connected has no cable.
 */
export function markedConnectedConstraint(table: string): ModelConstraint {
  return {
    name: `${table}_mark_connected_check`,
    key: 'mark_connected',
    message: 'Cannot mark as connected with a cable attached.',
  };
}
