import type { ModelDefinition } from '../../../engine/declaration/define-model.js';
import type { ModelRegistry } from '../../../engine/declaration/model-registry.js';
import { objectRowAlias } from '../../../engine/read/object-json-sql.js';
import type { SqlText } from '../../../engine/sql/json-text-sql.js';
import type { ReverseRelation } from './find-relations.js';

/** SQL alias of the row of the object whose method is called. */
const hierarchyOwnerAlias = 'own';

/** Ancestors or descendants of an object, as a template method of the reference server returns them. */
interface HierarchyList {
  readonly relation: ReverseRelation;
  /** True to return the list in reverse order. */
  readonly isReversed: boolean;
}

/** Arguments of a method call in a template. */
interface HierarchyCallArguments {
  readonly positional: readonly unknown[];
  readonly named: ReadonlyMap<string, unknown>;
}

/** Declaration of a template method that returns ancestors or descendants of an object. */
interface HierarchyMethod {
  /** Model of the returned objects, as `<app>.<model>`. */
  readonly target: string;
  /** SQL condition on a returned row and the row of the object whose method is called. */
  readonly condition: SqlText;
  /** SQL condition that excludes the object itself; null if the returned objects have another model. */
  readonly withoutSelf: SqlText | null;
  /** Names of the method's parameters in order; they are false by default. */
  readonly parameters: readonly ('ascending' | 'include_self')[];
}

/**
 * SQL condition that an object is in the VRF of a prefix. For a container prefix in the global table, any VRF matches.
 */
const isInVrfCondition = `(${objectRowAlias}.vrf_id = ${hierarchyOwnerAlias}.vrf_id OR ${hierarchyOwnerAlias}.vrf_id IS NULL AND (${objectRowAlias}.vrf_id IS NULL OR ${hierarchyOwnerAlias}.status = 'container'))`;

const isInSameVrfCondition = `(${objectRowAlias}.vrf_id = ${hierarchyOwnerAlias}.vrf_id OR ${hierarchyOwnerAlias}.vrf_id IS NULL AND ${objectRowAlias}.vrf_id IS NULL)`;

/**
 * Returns the SQL condition that a host address is in a prefix. It also compares the address with the first and last
 * address of the prefix, so that an index can be used.
 */
function isHostInPrefixCondition(address: SqlText): SqlText {
  const host = `host(${objectRowAlias}.${address})::inet`;
  return `${host} >= ${hierarchyOwnerAlias}.prefix::inet AND ${host} <= ipam_last_address(${hierarchyOwnerAlias}.prefix) AND ${host} <<= ${hierarchyOwnerAlias}.prefix::inet`;
}

const prefixSql = `${objectRowAlias}.prefix::inet`;

const ownerPrefixSql = `${prefixSql} <> ${hierarchyOwnerAlias}.prefix::inet`;

const prefixMethods: Readonly<Record<string, HierarchyMethod>> = {
  get_parents: {
    target: 'ipam.prefix',
    condition: `${prefixSql} >>= ${hierarchyOwnerAlias}.prefix::inet AND ${isInSameVrfCondition}`,
    withoutSelf: ownerPrefixSql,
    parameters: ['include_self'],
  },
  get_children: {
    target: 'ipam.prefix',
    condition: `${prefixSql} <<= ${hierarchyOwnerAlias}.prefix::inet AND ${isInSameVrfCondition}`,
    withoutSelf: ownerPrefixSql,
    parameters: ['include_self'],
  },
  get_child_prefixes: {
    target: 'ipam.prefix',
    condition: `${prefixSql} <<= ${hierarchyOwnerAlias}.prefix::inet AND ${isInVrfCondition}`,
    withoutSelf: ownerPrefixSql,
    parameters: [],
  },
  get_child_ips: {
    target: 'ipam.ipaddress',
    condition: `${isHostInPrefixCondition('address')} AND ${isInVrfCondition}`,
    withoutSelf: null,
    parameters: [],
  },
  get_child_ranges: {
    target: 'ipam.iprange',
    condition: `${isHostInPrefixCondition('start_address')} AND ${isHostInPrefixCondition('end_address')} AND ${isInSameVrfCondition}`,
    withoutSelf: null,
    parameters: [],
  },
};

/**
 * Returns the template methods of objects in a tree, such as `get_ancestors`. Each node stores the ids on its path from
 * the root, including its own id.
 */
function createTreeMethods(target: string): Readonly<Record<string, HierarchyMethod>> {
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
 * Returns a template method of a model's objects by its name in the reference server, or null if the model lacks it.
 */
export function findHierarchyMethod(
  registry: ModelRegistry,
  model: ModelDefinition,
  name: string,
): ((given: HierarchyCallArguments) => HierarchyList) | null {
  const methods = model.tree ? createTreeMethods(model.type) : model.type === 'ipam.prefix' ? prefixMethods : {};
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  const target = method === undefined ? null : registry.find(method.target);
  if (method === undefined || target === null) return null;
  const { condition, withoutSelf, parameters } = method;
  return ({ positional, named }) => {
    const isSet = (parameter: HierarchyMethod['parameters'][number]): boolean =>
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
