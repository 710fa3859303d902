import type { ModelConstraint } from '../engine/declaration/define-model.js';
import type { ListFilter } from '../engine/filter/filter-problem.js';
import { relatedObjectIdFilter } from '../engine/filter/relation-filter.js';

/**
 * Returns the database constraints of a table whose rows form a tree. Names and slugs are unique among siblings and at
 * the top level. A node cannot be below itself (docs/contract/inventory.md 3.1).
 */
export function createTreeConstraints(table: string, verboseName: string): readonly ModelConstraint[] {
  return [
    ...(['name', 'slug'] as const).flatMap((field) => [
      { name: `${table}_parent_id_${field}_key`, fields: ['parent', field] },
      {
        name: `${table}_${field}`,
        fields: [field],
        whereNull: 'parent',
        key: '__all__',
        message: `A top-level ${verboseName} with this ${field} already exists.`,
      },
    ]),
    createParentCycleConstraint(table, verboseName),
  ];
}

/**
 * Returns the database constraint that a tree node cannot be below itself. A trigger of the tree's table enforces the
 * constraint.
 */
export function createParentCycleConstraint(table: string, verboseName: string): ModelConstraint {
  return {
    name: `${table}_parent_cycle`,
    key: 'parent',
    message: `Cannot assign self or child ${verboseName} as parent.`,
  };
}

/**
 * Returns the filters `ancestor`, which compares slugs, and `ancestor_id`, which compares ids. The filters match all
 * nodes of a tree below the given node.
 */
export function createTreeAncestorFilters(table: string): readonly ListFilter[] {
  const parent = (alias: string): string => `${alias}.parent_id`;
  return [
    relatedObjectIdFilter('ancestor_id', parent, { table }, 'id', true),
    relatedObjectIdFilter('ancestor', parent, { table }, 'slug', true),
  ];
}
