import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { aggregateModel } from './aggregate.js';
import { asnModel } from './asn.js';
import { asnRangeModel } from './asn-range.js';
import { fhrpGroupModel } from './fhrp-group.js';
import { fhrpGroupAssignmentModel } from './fhrp-group-assignment.js';
import { ipAddressModel } from './ip-address.js';
import { ipRangeModel } from './ip-range.js';
import { prefixModel } from './prefix.js';
import { rirModel } from './rir.js';
import { roleModel } from './role.js';
import { routeTargetModel } from './route-target.js';
import { serviceModel } from './service.js';
import { serviceTemplateModel } from './service-template.js';
import { vlanModel } from './vlan.js';
import { vlanGroupModel } from './vlan-group.js';
import { vlanTranslationPolicyModel, vlanTranslationRuleModel } from './vlan-translation.js';
import { vrfModel } from './vrf.js';

/** All models of the app `ipam`. */
export const ipamModels: readonly ModelDefinition[] = [
  aggregateModel,
  asnModel,
  asnRangeModel,
  fhrpGroupModel,
  fhrpGroupAssignmentModel,
  ipAddressModel,
  ipRangeModel,
  prefixModel,
  rirModel,
  roleModel,
  routeTargetModel,
  serviceModel,
  serviceTemplateModel,
  vlanModel,
  vlanGroupModel,
  vlanTranslationPolicyModel,
  vlanTranslationRuleModel,
  vrfModel,
];
