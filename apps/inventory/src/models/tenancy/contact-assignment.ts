import { defineModel } from '../../engine/declaration/model.js';
import { choice } from '../../engine/kinds/choice.js';
import { genericObject } from '../../engine/kinds/generic-object.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import { ref } from '../../engine/kinds/relation.js';
import { withContacts } from '../features/contacts.js';
import * as common from '../field-groups.js';
import { priorities } from '../priorities.js';

const { id, url, display } = common.identity;

/** That somebody is to be turned to about an object. */
export const contactAssignment = defineModel('tenancy.contactassignment', {
  path: 'tenancy/contact-assignments',
  objectName: 'ContactAssignment',
  verboseName: 'contact assignment',
  verboseNamePlural: 'contact assignments',
  fields: {
    id,
    url,
    display,
    object_type: objectType(withContacts, { required: true }),
    object_id: integer({ required: true, min: 0 }),
    object: genericObject({ type: 'object_type', id: 'object_id', allowed: withContacts }),
    contact: ref('tenancy.contact', { required: true, filterBy: null }),
    role: ref('tenancy.contactrole', { nullable: true }),
    priority: choice(priorities, { nullable: true, filterSingle: true }),
    tags: common.tags,
    custom_fields: common.customFieldValues,
    ...common.times,
  },
  relatedTo: 'object',
  // DRAFT display: what the object is called is more than this
  display: (alias) =>
    `(SELECT c.name FROM tenancy_contact c WHERE c.id = ${alias}.contact_id) || coalesce(' (' || initcap(${alias}.priority) || ')', '')`,
  brief: ['id', 'url', 'display', 'contact', 'role', 'priority'],
  order: [{ field: 'contact' }, { field: 'priority' }, { field: 'role' }],
  search: [
    { sql: (alias) => `(SELECT r.name FROM tenancy_contact r WHERE r.id = ${alias}.contact_id)`, lookup: 'icontains' },
    { sql: (alias) => `(SELECT r.name FROM tenancy_contactrole r WHERE r.id = ${alias}.role_id)`, lookup: 'icontains' },
  ],
  constraints: [
    {
      name: 'tenancy_contactassignment_object_type_object_id_contact_id__key',
      fields: ['object_type', 'object_id', 'contact', 'role'],
    },
  ],
  // DRAFT rules: object type must have the contacts feature; one per object, contact and role
  // DRAFT filters: object_type_id (object, n)
  // DRAFT filters: group_id (tree_node, n): path contact.groups
  // DRAFT filters: group (tree_node, n): path contact.groups
});
