import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { circuit } from './circuit.js';
import { circuitGroup } from './circuit-group.js';
import { circuitGroupAssignment } from './circuit-group-assignment.js';
import { circuitTermination } from './circuit-termination.js';
import { circuitType } from './circuit-type.js';
import { provider } from './provider.js';
import { providerAccount } from './provider-account.js';
import { providerNetwork } from './provider-network.js';
import { virtualCircuit } from './virtual-circuit.js';
import { virtualCircuitTermination } from './virtual-circuit-termination.js';
import { virtualCircuitType } from './virtual-circuit-type.js';

/** All models of the app `circuits`. */
export const circuitsModels: readonly ModelDefinition[] = [
  circuit,
  circuitGroup,
  circuitGroupAssignment,
  circuitTermination,
  circuitType,
  provider,
  providerAccount,
  providerNetwork,
  virtualCircuit,
  virtualCircuitTermination,
  virtualCircuitType,
];
