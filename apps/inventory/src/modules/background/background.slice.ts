import { defineSlice } from '../../http/define-slice.js';
import {
  backgroundListPaths,
  allowedBackgroundMethods,
  backgroundPaths,
  backgroundSchemas,
} from './background-paths.js';
import { BackgroundController } from './background.controller.js';

export const backgroundSlice = defineSlice('background', {
  controllers: [BackgroundController],
  methods: allowedBackgroundMethods,
  listedPaths: backgroundListPaths,
  openApi: () => ({ paths: backgroundPaths, schemas: backgroundSchemas }),
});
