import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { ikePolicyModel } from './ike-policy.js';
import { ikeProposalModel } from './ike-proposal.js';
import { ipsecPolicyModel } from './ipsec-policy.js';
import { ipsecProfileModel } from './ipsec-profile.js';
import { ipsecProposalModel } from './ipsec-proposal.js';
import { l2vpnModel } from './l2vpn.js';
import { l2vpnTerminationModel } from './l2vpn-termination.js';
import { tunnelModel } from './tunnel.js';
import { tunnelGroupModel } from './tunnel-group.js';
import { tunnelTerminationModel } from './tunnel-termination.js';

/** All models of the app `vpn`. */
export const vpnModels: readonly ModelDefinition[] = [
  ikePolicyModel,
  ikeProposalModel,
  ipsecPolicyModel,
  ipsecProfileModel,
  ipsecProposalModel,
  l2vpnModel,
  l2vpnTerminationModel,
  tunnelModel,
  tunnelGroupModel,
  tunnelTerminationModel,
];
