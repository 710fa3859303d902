import type { ModelDefinition } from '../../../engine/declaration/define-model.js';
import type { ModelRegistry } from '../../../engine/declaration/model-registry.js';
import { objectRowAlias } from '../../../engine/read/object-json-sql.js';
import type { SqlText } from '../../../engine/sql/json-text-sql.js';
import type { ReverseRelation } from './find-relations.js';

/** SQL alias of the row of the object whose template method is called. */
const hierarchyOwnerAlias = 'own';

/** Ancestors or descendants of an object, as the result of a template method that the reference server also has. */
interface HierarchyList {
  readonly relation: ReverseRelation;
  /** True if the method returns the list in reverse order. */
  readonly isReversed: boolean;
}

/** Arguments of a method call in a template: positional and named arguments. */
interface HierarchyCallArguments {
  readonly positional: readonly unknown[];
  readonly named: ReadonlyMap<string, unknown>;
}

/** Declaration of a template method that returns ancestors or descendants of an object. */
interface TemplateHierarchyMethod {
  /** Model of the objects that the template method returns, as `<app>.<model>`. */
  readonly target: string;
  /**
   * SQL condition that a row belongs to the result of the template method. The condition compares the row with the row
   * of the object whose method is called.
   */
  readonly condition: SqlText;
  /**
   * SQL condition that excludes the object whose template method is called. Null if the returned objects have another
   * model.
   */
  readonly withoutSelf: SqlText | null;
  /** Names of the template method's parameters, in order. Each parameter is false by default. */
  readonly parameters: readonly ('ascending' | 'include_self')[];
}

/**
 * SQL condition that an object is in the same VRF as a prefix. For a container prefix in the global table, the VRF of
 * the object does not matter.
 */
const vrfOfPrefixCondition = `(${objectRowAlias}.vrf_id = ${hierarchyOwnerAlias}.vrf_id OR ${hierarchyOwnerAlias}.vrf_id IS NULL AND (${objectRowAlias}.vrf_id IS NULL OR ${hierarchyOwnerAlias}.status = 'container'))`;

const sameVrfCondition = `(${objectRowAlias}.vrf_id = ${hierarchyOwnerAlias}.vrf_id OR ${hierarchyOwnerAlias}.vrf_id IS NULL AND ${objectRowAlias}.vrf_id IS NULL)`;

/**
 * Returns the SQL condition that a host address is in a prefix. The condition also compares the address with the first
 * and last address of the prefix, so that PostgreSQL can use an index.
 */
function createHostInPrefixCondition(address: SqlText): SqlText {
  const host = `host(${objectRowAlias}.${address})::inet`;
  return `${host} >= ${hierarchyOwnerAlias}.prefix::inet AND ${host} <= ipam_last_address(${hierarchyOwnerAlias}.prefix) AND ${host} <<= ${hierarchyOwnerAlias}.prefix::inet`;
}

const objectPrefixSql = `${objectRowAlias}.prefix::inet`;

const otherThanOwnerPrefixCondition = `${objectPrefixSql} <> ${hierarchyOwnerAlias}.prefix::inet`;

const prefixHierarchyMethods: Readonly<Record<string, TemplateHierarchyMethod>> = {
  get_parents: {
    target: 'ipam.prefix',
    condition: `${objectPrefixSql} >>= ${hierarchyOwnerAlias}.prefix::inet AND ${sameVrfCondition}`,
    withoutSelf: otherThanOwnerPrefixCondition,
    parameters: ['include_self'],
  },
  get_children: {
    target: 'ipam.prefix',
    condition: `${objectPrefixSql} <<= ${hierarchyOwnerAlias}.prefix::inet AND ${sameVrfCondition}`,
    withoutSelf: otherThanOwnerPrefixCondition,
    parameters: ['include_self'],
  },
  get_child_prefixes: {
    target: 'ipam.prefix',
    condition: `${objectPrefixSql} <<= ${hierarchyOwnerAlias}.prefix::inet AND ${vrfOfPrefixCondition}`,
    withoutSelf: otherThanOwnerPrefixCondition,
    parameters: [],
  },
  get_child_ips: {
    target: 'ipam.ipaddress',
    condition: `${createHostInPrefixCondition('address')} AND ${vrfOfPrefixCondition}`,
    withoutSelf: null,
    parameters: [],
  },
  get_child_ranges: {
    target: 'ipam.iprange',
    condition: `${createHostInPrefixCondition('start_address')} AND ${createHostInPrefixCondition('end_address')} AND ${sameVrfCondition}`,
    withoutSelf: null,
    parameters: [],
  },
};

/**
 * Returns the template methods, such as `get_ancestors`, of objects that form a tree. Each node of the tree stores the
 * ids of all nodes on the path from the root to itself.
 */
function createTreeMethods(target: string): Readonly<Record<string, TemplateHierarchyMethod>> {
  const withoutSelf = `${objectRowAlias}.id <> ${hierarchyOwnerAlias}.id`;
  return {
    get_ancestors: {
      target,
      condition: `${objectRowAlias}.id = ANY (${hierarchyOwnerAlias}._path)`,
      withoutSelf,
      parameters: ['ascending', 'include_self'],
    },
    get_descendants: {
      target,
      condition: `${objectRowAlias}._path @> ARRAY[${hierarchyOwnerAlias}.id]`,
      withoutSelf,
      parameters: ['include_self'],
    },
    get_children: {
      target,
      condition: `${objectRowAlias}.parent_id = ${hierarchyOwnerAlias}.id`,
      withoutSelf: null,
      parameters: [],
    },
  };
}

/**
 * Returns the template method of a model's objects that has the given name in the reference server. Returns null if the
 * model has no such method.
 */
export function findHierarchyMethod(
  registry: ModelRegistry,
  model: ModelDefinition,
  name: string,
): ((given: HierarchyCallArguments) => HierarchyList) | null {
  const methods = model.tree
    ? createTreeMethods(model.type)
    : model.type === 'ipam.prefix'
      ? prefixHierarchyMethods
      : {};
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  const target = method === undefined ? null : registry.find(method.target);
  if (method === undefined || target === null) return null;
  const { condition, withoutSelf, parameters } = method;
  return ({ positional, named }) => {
    const isSet = (parameter: TemplateHierarchyMethod['parameters'][number]): boolean =>
      parameters.includes(parameter) && Boolean(named.get(parameter) ?? positional[parameters.indexOf(parameter)]);
    const leavesOut = withoutSelf !== null && !isSet('include_self');
    const relation: ReverseRelation = {
      name: `${name} ${leavesOut ? 'without' : 'with'} self`,
      model: target,
      isSingle: false,
      from: `${model.table} ${hierarchyOwnerAlias} JOIN ${target.table} ${objectRowAlias} ON ${condition}${leavesOut ? ` AND ${withoutSelf}` : ''}`,
      owner: `${hierarchyOwnerAlias}.id`,
      condition: null,
      viewedOwner: { model, alias: hierarchyOwnerAlias },
    };
    return { relation, isReversed: isSet('ascending') };
  };
}
