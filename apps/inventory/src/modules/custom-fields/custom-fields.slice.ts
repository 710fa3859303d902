import { defineSlice } from '../../http/define-slice.js';
import { choicesPaths } from './choices-paths.js';
import { ChoicesController } from './choices.controller.js';

export const customFieldsSlice = defineSlice('custom-fields', {
  controllers: [ChoicesController],
  openApi: () => ({ paths: choicesPaths }),
});
