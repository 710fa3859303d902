import { type PermissionConstraint, replaceUserPlaceholder } from '../../engine/object-access.js';
import { defineModel } from '../../engine/declaration/define-model.js';
import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { jsonField } from '../../engine/field-types/json.js';
import { createListField } from '../../engine/field-types/text-list.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import { objectTypeListField } from '../../engine/field-types/object-type.js';
import type { RequestLimits } from '../../engine/request-limits.js';
import { SqlParameters } from '../../engine/sql/parameterized-statement.js';
import { createAttributeConditionsSql } from '../../engine/write/lookup-attribute-conditions.js';
import {
  InputProblem,
  createInvalidInputProblem,
  UnknownAttributeError,
} from '../../engine/write/invalid-input-problem.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';
import {
  groupPermissionsJoinTable,
  userPermissionsJoinTable,
  createReverseJoinTable,
} from './user-and-group-join-tables.js';

const maxPermissionActionLength = 30;

const createPermissionActionFilter = (action: string) =>
  booleanFilter(`can_${action}`, (alias) => `(${alias}.actions @> ARRAY['${action}']::text[])`);

/**
 * Model of an object permission, which allows users and members of groups actions on objects of some models
 * (docs/contract/inventory.md 1.3).
 */
export const objectPermissionModel = defineModel('users.objectpermission', {
  path: 'users/permissions',
  objectName: 'ObjectPermission',
  verboseName: 'permission',
  verboseNamePlural: 'permissions',
  events: false,
  audit: {
    noun: 'permission',
    shownFields: ['name', 'enabled', 'object_types', 'actions', 'constraints', 'groups', 'users'],
  },
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    enabled: booleanField({ default: true }),
    object_types: objectTypeListField(({ registry }) => registry.models.map(({ type }) => type), {
      required: true,
      label: 'object types',
      filterName: 'object_type',
    }),
    actions: createListField<string>({
      required: true,
      nonEmpty: true,
      columnType: 'text[]',
      child: { type: 'string', label: 'Actions', max_length: maxPermissionActionLength },
      itemSchema: { type: 'string', maxLength: maxPermissionActionLength },
      item: (value) => parsePermissionAction(value),
    }),
    constraints: jsonField({ nullable: true, check: parsePermissionConstraints }),
    groups: manyToManyField('users.group', {
      join: createReverseJoinTable(groupPermissionsJoinTable),
      filter: { name: 'group', by: 'name' },
    }),
    users: manyToManyField('users.user', {
      join: createReverseJoinTable(userPermissionsJoinTable),
      filter: { name: 'user', by: 'username' },
    }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description', 'enabled', 'object_types', 'actions'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description'),
  filters: [
    ...['view', 'add', 'change', 'delete'].map(createPermissionActionFilter),
    ...['object_types', 'object_type_id'].map((name) =>
      createModelIdFilter(name, { column: 'object_types', list: true }),
    ),
  ],
  rules: [
    ({ constraints, object_types: types }, { registry, limits }) => {
      const messages = (types ?? []).flatMap((type) =>
        listPermissionConstraintProblems(type, parsePermissionConstraints(constraints ?? null), { registry, limits }),
      );
      return messages.length === 0 ? null : { constraints: [...new Set(messages)] };
    },
  ],
});

function parsePermissionAction(value: unknown): string {
  const given = typeof value === 'string' ? value.trim() : '';
  if (typeof value !== 'string' || given.includes('\0')) throw createInvalidInputProblem('Not a valid string.');
  if (given === '') throw createInvalidInputProblem('This field may not be blank.');
  if (given.length > maxPermissionActionLength)
    throw createInvalidInputProblem(`Ensure this field has no more than ${maxPermissionActionLength} characters.`);
  return given;
}

/**
 * Returns the constraints of a permission as a list. The constraints are stored in the database or sent by a client.
 *
 * @throws InputProblem unless the value is an object or a list of objects
 */
function parsePermissionConstraints(value: unknown): readonly PermissionConstraint[] {
  if (value === null) return [];
  const sets: readonly unknown[] = Array.isArray(value) ? value : [value];
  return sets.map((set) => {
    if (set === null || typeof set !== 'object' || Array.isArray(set)) {
      throw createInvalidInputProblem('Constraints are an object of conditions, or a list of such objects.');
    }
    return { ...set };
  });
}

/**
 * Returns the errors of a permission's constraints. Errors are values that no object of the model can have, and
 * constraints that exceed the limits of a request. As in the reference API, a constraint may use a field or lookup that
 * the model lacks. The permission then grants nothing for that model.
 */
function listPermissionConstraintProblems(
  type: string,
  sets: readonly PermissionConstraint[],
  { registry, limits }: { readonly registry: ModelRegistry; readonly limits: RequestLimits },
): string[] {
  const model = registry.find(type);
  if (model === null) return [];
  return sets.flatMap((set) => {
    try {
      const place = { registry, limits, parameters: new SqlParameters(), alias: 't', strict: true };
      createAttributeConditionsSql(model, replaceUserPlaceholder(set, 1), place);
      return [];
    } catch (error) {
      if (error instanceof UnknownAttributeError) return [];
      if (!(error instanceof InputProblem) || !Array.isArray(error.messages)) throw error;
      return error.messages.map((message) => `Invalid filter for ${type}: ${String(message)}`);
    }
  });
}
