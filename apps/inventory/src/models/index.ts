import { Registry } from '../engine/declaration/registry.js';
import { objectChange } from './core/object-change.js';
import { region } from './dcim/region.js';
import { siteGroup } from './dcim/site-group.js';
import { site } from './dcim/site.js';
import { customFieldChoiceSet } from './extras/custom-field-choice-set.js';
import { customField } from './extras/custom-field.js';
import { eventRule } from './extras/event-rule.js';
import { tag } from './extras/tag.js';
import { webhook } from './extras/webhook.js';
import { aggregate } from './ipam/aggregate.js';
import { asnRange } from './ipam/asn-range.js';
import { asn } from './ipam/asn.js';
import { fhrpGroup } from './ipam/fhrp-group.js';
import { ipAddress } from './ipam/ip-address.js';
import { ipRange } from './ipam/ip-range.js';
import { prefix } from './ipam/prefix.js';
import { rir } from './ipam/rir.js';
import { role } from './ipam/role.js';
import { routeTarget } from './ipam/route-target.js';
import { serviceTemplate } from './ipam/service-template.js';
import { service } from './ipam/service.js';
import { vlanGroup } from './ipam/vlan-group.js';
import { vlanTranslationPolicy, vlanTranslationRule } from './ipam/vlan-translation.js';
import { vlan } from './ipam/vlan.js';
import { vrf } from './ipam/vrf.js';
import { tenantGroup } from './tenancy/tenant-group.js';
import { tenant } from './tenancy/tenant.js';
import { group } from './users/group.js';
import { objectPermission } from './users/object-permission.js';
import { token } from './users/token.js';
import { user } from './users/user.js';

/** Every model of the service. */
export const registry = new Registry([
  objectChange,
  region,
  siteGroup,
  site,
  customField,
  customFieldChoiceSet,
  eventRule,
  tag,
  webhook,
  aggregate,
  asn,
  asnRange,
  fhrpGroup,
  ipAddress,
  ipRange,
  prefix,
  rir,
  role,
  routeTarget,
  service,
  serviceTemplate,
  vlan,
  vlanGroup,
  vlanTranslationPolicy,
  vlanTranslationRule,
  vrf,
  tenantGroup,
  tenant,
  group,
  objectPermission,
  token,
  user,
]);
