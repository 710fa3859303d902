import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { ikePolicy } from './ike-policy.js';
import { ikeProposal } from './ike-proposal.js';
import { ipsecPolicy } from './ipsec-policy.js';
import { ipsecProfile } from './ipsec-profile.js';
import { ipsecProposal } from './ipsec-proposal.js';
import { l2vpn } from './l2vpn.js';
import { l2vpnTermination } from './l2vpn-termination.js';
import { tunnel } from './tunnel.js';
import { tunnelGroup } from './tunnel-group.js';
import { tunnelTermination } from './tunnel-termination.js';

/** All models of the app `vpn`. */
export const vpnModels: readonly ModelDefinition[] = [
  ikePolicy,
  ikeProposal,
  ipsecPolicy,
  ipsecProfile,
  ipsecProposal,
  l2vpn,
  l2vpnTermination,
  tunnel,
  tunnelGroup,
  tunnelTermination,
];
