import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { circuitModel } from './circuit.js';
import { circuitGroupModel } from './circuit-group.js';
import { circuitGroupAssignmentModel } from './circuit-group-assignment.js';
import { circuitTerminationModel } from './circuit-termination.js';
import { circuitTypeModel } from './circuit-type.js';
import { providerModel } from './provider.js';
import { providerAccountModel } from './provider-account.js';
import { providerNetworkModel } from './provider-network.js';
import { virtualCircuitModel } from './virtual-circuit.js';
import { virtualCircuitTerminationModel } from './virtual-circuit-termination.js';
import { virtualCircuitTypeModel } from './virtual-circuit-type.js';

/** All models of the app `circuits`. */
export const circuitsModels: readonly ModelDefinition[] = [
  circuitModel,
  circuitGroupModel,
  circuitGroupAssignmentModel,
  circuitTerminationModel,
  circuitTypeModel,
  providerModel,
  providerAccountModel,
  providerNetworkModel,
  virtualCircuitModel,
  virtualCircuitTerminationModel,
  virtualCircuitTypeModel,
];
