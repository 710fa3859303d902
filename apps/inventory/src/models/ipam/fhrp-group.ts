import { defineModel } from '../../engine/declaration/define-model.js';
import { singleObjectFilter } from '../../engine/filter/single-object-filter.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { integerField } from '../../engine/field-types/number.js';
import { reverseGenericReferencesField } from '../../engine/field-types/reverse-generic.js';
import { encryptedTextField } from '../../engine/field-types/secret-field.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';

const fhrpProtocols = {
  vrrp2: 'VRRPv2',
  vrrp3: 'VRRPv3',
  carp: 'CARP',
  clusterxl: 'ClusterXL',
  hsrp: 'HSRP',
  glbp: 'GLBP',
  other: 'Other',
};

const createProtocolLabelSql = (alias: string): string =>
  `CASE ${alias}.protocol ${Object.entries(fhrpProtocols)
    .map(([value, label]) => `WHEN '${value}' THEN '${label}'`)
    .join(' ')} END`;

const createFirstAddressSql = (alias: string): string =>
  `(SELECT concat(' (', host(a.address), '/', masklen(a.address), ')') FROM ipam_ipaddress a
    WHERE a.assigned_object_type = 'ipam.fhrpgroup' AND a.assigned_object_id = ${alias}.id
    ORDER BY host(a.address)::inet, masklen(a.address), a.id LIMIT 1)`;

const { id, url, display_url, display } = common.identityFields;

/** Model of an FHRP group: a group of routers that share IP addresses by a first-hop redundancy protocol. */
export const fhrpGroupModel = defineModel('ipam.fhrpgroup', {
  path: 'ipam/fhrp-groups',
  objectName: 'FHRPGroup',
  verboseName: 'FHRP group',
  verboseNamePlural: 'FHRP groups',
  fields: {
    id,
    name: textField({ max: 100 }),
    url,
    display_url,
    display,
    protocol: choiceField(fhrpProtocols, { required: true, raw: true }),
    group_id: integerField({ required: true, min: 0, max: 32_767, label: 'group ID' }),
    auth_type: choiceField(
      { plaintext: 'Plaintext', md5: 'MD5' },
      { nullable: true, raw: true, label: 'authentication type' },
    ),
    auth_key: encryptedTextField({ max: 255, label: 'authentication key' }),
    description: common.descriptionField,
    owner: common.ownerField,
    comments: common.commentsField,
    tags: common.objectTagsField,
    custom_fields: common.objectCustomFieldsField,
    ...common.creationTimeFields,
    ip_addresses: reverseGenericReferencesField('ipam.ipaddress', {
      type: 'assigned_object_type',
      id: 'assigned_object_id',
    }),
  },
  display: (alias) =>
    `concat(nullif(${alias}.name, '') || ' ', ${createProtocolLabelSql(alias)}, ': ', ${alias}.group_id, ${createFirstAddressSql(alias)})`,
  brief: ['id', 'url', 'display', 'protocol', 'group_id', 'description'],
  order: [{ field: 'protocol' }, { field: 'group_id' }],
  search: [
    { sql: (alias) => `${alias}.description`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.group_id`, lookup: 'icontains' },
    { sql: (alias) => `${alias}.name`, lookup: 'icontains' },
  ],
  filters: [
    {
      ...singleObjectFilter(
        'related_ip',
        { table: 'ipam_ipaddress' },
        'id',
        (alias, ids) => `${alias}.id IN (SELECT a.assigned_object_id FROM ipam_ipaddress given
        JOIN ipam_ipaddress a ON a.address <<= network(given.address) AND a.vrf_id IS NOT DISTINCT FROM given.vrf_id
        WHERE given.id = ANY (${ids}) AND a.assigned_object_type = 'ipam.fhrpgroup')`,
      ),
      multiple: true,
    },
  ],
});
