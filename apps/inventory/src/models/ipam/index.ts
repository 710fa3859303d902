import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { aggregate } from './aggregate.js';
import { asn } from './asn.js';
import { asnRange } from './asn-range.js';
import { fhrpGroup } from './fhrp-group.js';
import { fhrpGroupAssignment } from './fhrp-group-assignment.js';
import { ipAddress } from './ip-address.js';
import { ipRange } from './ip-range.js';
import { prefix } from './prefix.js';
import { rir } from './rir.js';
import { role } from './role.js';
import { routeTarget } from './route-target.js';
import { service } from './service.js';
import { serviceTemplate } from './service-template.js';
import { vlan } from './vlan.js';
import { vlanGroup } from './vlan-group.js';
import { vlanTranslationPolicy, vlanTranslationRule } from './vlan-translation.js';
import { vrf } from './vrf.js';

/** All models of the app `ipam`. */
export const ipamModels: readonly ModelDefinition[] = [
  aggregate,
  asn,
  asnRange,
  fhrpGroup,
  fhrpGroupAssignment,
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
];
