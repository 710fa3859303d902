import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { referenceField } from '../../engine/field-types/relation.js';
import * as common from '../shared-model-fields.js';

/** Model of an IPSec profile, which combines an IKE policy with an IPSec policy. */
export const ipsecProfileModel = defineModel('vpn.ipsecprofile', {
  path: 'vpn/ipsec-profiles',
  objectName: 'IPSecProfile',
  verboseName: 'IPSec profile',
  verboseNamePlural: 'IPSec profiles',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    description: common.descriptionField,
    mode: choiceField({ esp: 'ESP', ah: 'AH' }, { required: true }),
    ike_policy: referenceField('vpn.ikepolicy', { required: true, filterBy: 'name' }),
    ipsec_policy: referenceField('vpn.ipsecpolicy', { required: true, filterBy: 'name' }),
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'comments'),
  constraints: [{ name: 'vpn_ipsecprofile_name_key', fields: ['name'] }],
});
