import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { quoteSqlLiteral } from '../../engine/sql/json-text-sql.js';
import { changeRecordEmptyCustomFields } from '../change-log-members.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';
import { contactAndCircuitGroupPriorities } from '../contact-and-circuit-group-priorities.js';
import { circuitGroupMemberFilters } from './circuit-group-member-filters.js';

const circuitGroupMemberTypes = ['circuits.circuit', 'circuits.virtualcircuit'];

/** Model of the membership of a circuit in a circuit group, with the circuit's priority in the group. */
export const circuitGroupAssignmentModel = defineModel('circuits.circuitgroupassignment', {
  path: 'circuits/circuit-group-assignments',
  objectName: 'CircuitGroupAssignment',
  verboseName: 'Circuit group assignment',
  verboseNamePlural: 'Circuit group assignments',
  fields: {
    ...common.identityFields,
    group: referenceField('circuits.circuitgroup', { required: true, onDelete: 'cascade' }),
    member_type: objectTypeField(circuitGroupMemberTypes, { required: true }),
    member_id: integerField({ required: true, min: 0, label: 'member ID' }),
    member: genericObjectField({ type: 'member_type', id: 'member_id', allowed: circuitGroupMemberTypes }),
    priority: choiceField(contactAndCircuitGroupPriorities, { nullable: true, filterSingle: true }),
    tags: common.objectTagsField,
    ...common.creationTimeFields,
  },
  changeLogMembers: changeRecordEmptyCustomFields,
  display: (alias) =>
    `(SELECT g.name FROM circuits_circuitgroup g WHERE g.id = ${alias}.group_id) || coalesce(' (' || initcap(${alias}.priority) || ')', '')`,
  brief: ['id', 'url', 'display', 'group', 'member_type', 'member_id', 'member', 'priority'],
  order: [{ field: 'group' }, { field: 'member_type' }, { field: 'member_id' }, { field: 'priority' }],
  search: [
    ...circuitGroupMemberTypes.map((type) => ({
      sql: (alias: string) =>
        `(SELECT c.cid FROM ${type.replace('.', '_')} c WHERE ${alias}.member_type = ${quoteSqlLiteral(type)} AND c.id = ${alias}.member_id)`,
      lookup: 'icontains' as const,
    })),
    {
      sql: (alias) => `(SELECT r.name FROM circuits_circuitgroup r WHERE r.id = ${alias}.group_id)`,
      lookup: 'icontains',
    },
  ],
  constraints: [
    {
      name: 'circuits_circuitgroupassignment_member_type_member_id_group_key',
      fields: ['member_type', 'member_id', 'group'],
    },
  ],
  filters: [createModelIdFilter('member_type_id'), ...circuitGroupMemberFilters],
});
