import { defineFeatureModule } from '../../http/define-slice.js';
import { RackElevationController } from './elevation.controller.js';
import { rackElevationOpenApiPaths, rackUnitSchema } from './elevation-paths.js';

export const rackElevationsFeatureModule = defineFeatureModule('elevations', {
  controllers: [RackElevationController],
  openApi: () => ({ paths: rackElevationOpenApiPaths, schemas: { RackUnit: rackUnitSchema } }),
});
