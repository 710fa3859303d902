import { defineSlice } from '../../http/define-slice.js';
import { backgroundLists, backgroundMethods, backgroundPaths, backgroundSchemas } from './background-paths.js';
import { BackgroundController } from './background.controller.js';

export const backgroundSlice = defineSlice('background', {
  controllers: [BackgroundController],
  methods: backgroundMethods,
  listedPaths: backgroundLists,
  openApi: () => ({ paths: backgroundPaths, schemas: backgroundSchemas }),
});
