import { defineFeatureModule } from '../../http/define-slice.js';
import {
  backgroundListPaths,
  allowedBackgroundMethods,
  backgroundTaskOpenApiPaths,
  backgroundSchemas,
} from './background-paths.js';
import { BackgroundTasksController } from './background.controller.js';

export const backgroundTasksFeatureModule = defineFeatureModule('background', {
  controllers: [BackgroundTasksController],
  methods: allowedBackgroundMethods,
  listedPaths: backgroundListPaths,
  openApi: () => ({ paths: backgroundTaskOpenApiPaths, schemas: backgroundSchemas }),
});
