import { defineSlice } from '../../http/define-slice.js';
import { ElevationController } from './elevation.controller.js';
import { elevationPaths, rackUnitSchema } from './elevation-paths.js';

export const elevationsSlice = defineSlice('elevations', {
  controllers: [ElevationController],
  openApi: () => ({ paths: elevationPaths, schemas: { RackUnit: rackUnitSchema } }),
});
