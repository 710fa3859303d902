import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { clusterModel } from './cluster.js';
import { clusterGroupModel } from './cluster-group.js';
import { clusterTypeModel } from './cluster-type.js';
import { virtualDiskModel } from './virtual-disk.js';
import { virtualMachineModel } from './virtual-machine.js';
import { virtualMachineTypeModel } from './virtual-machine-type.js';
import { vmInterfaceModel } from './vm-interface.js';

/** All models of the app `virtualization`. */
export const virtualizationModels: readonly ModelDefinition[] = [
  clusterModel,
  clusterGroupModel,
  clusterTypeModel,
  virtualDiskModel,
  virtualMachineModel,
  virtualMachineTypeModel,
  vmInterfaceModel,
];
