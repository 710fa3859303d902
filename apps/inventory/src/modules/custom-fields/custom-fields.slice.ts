import { defineSlice } from '../../http/define-slice.js';
import { choicesPaths } from './custom-field-choices-openapi.js';
import { ChoicesController } from './custom-field-choices.controller.js';

export const customFieldsSlice = defineSlice('custom-fields', {
  controllers: [ChoicesController],
  openApi: () => ({ paths: choicesPaths }),
});
