import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { cluster } from './cluster.js';
import { clusterGroup } from './cluster-group.js';
import { clusterType } from './cluster-type.js';
import { virtualDisk } from './virtual-disk.js';
import { virtualMachine } from './virtual-machine.js';
import { virtualMachineType } from './virtual-machine-type.js';
import { vmInterface } from './vm-interface.js';

/** All models of the app `virtualization`. */
export const virtualizationModels: readonly ModelDefinition[] = [
  cluster,
  clusterGroup,
  clusterType,
  virtualDisk,
  virtualMachine,
  virtualMachineType,
  vmInterface,
];
