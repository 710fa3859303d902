import { defineFeatureModule } from '../../http/define-slice.js';
import { customFieldChoicesPaths } from './custom-field-choices-openapi.js';
import { CustomFieldChoicesController } from './custom-field-choices.controller.js';

export const customFieldsFeatureModule = defineFeatureModule('custom-fields', {
  controllers: [CustomFieldChoicesController],
  openApi: () => ({ paths: customFieldChoicesPaths }),
});
