import { defineSlice } from '../../http/define-slice.js';
import { cablePathOpenApiPaths, cablePathSchemas } from './cable-path-openapi.js';
import { CablePathsController } from './cable-paths.controller.js';
import { ConnectedDeviceController } from './connected-device.controller.js';

export const cablePathsSlice = defineSlice('cable-paths', {
  controllers: [CablePathsController, ConnectedDeviceController],
  listedPaths: ['dcim/connected-device'],
  openApi: ({ registry }) => ({ paths: cablePathOpenApiPaths(registry), schemas: cablePathSchemas(registry) }),
});
