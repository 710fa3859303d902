import { defineFeatureModule } from '../../http/define-slice.js';
import { createCablePathEndpointPaths, createCablePathSchemas } from './cable-path-openapi.js';
import { CablePathsController } from './cable-paths.controller.js';
import { ConnectedDeviceController } from './connected-device.controller.js';

export const cablePathsFeatureModule = defineFeatureModule('cable-paths', {
  controllers: [CablePathsController, ConnectedDeviceController],
  listedPaths: ['dcim/connected-device'],
  openApi: ({ registry }) => ({
    paths: createCablePathEndpointPaths(registry),
    schemas: createCablePathSchemas(registry),
  }),
});
