import { defineFeatureModule } from '../../http/define-slice.js';
import { LoginController } from './login.controller.js';

export const sessionsFeatureModule = defineFeatureModule('sessions', {
  controllers: [LoginController],
});
