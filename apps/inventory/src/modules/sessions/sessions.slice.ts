import { defineSlice } from '../../http/define-slice.js';
import { LoginController } from './login.controller.js';

export const sessionsSlice = defineSlice('sessions', {
  controllers: [LoginController],
});
