export { Join } from './join.action.js';
export { JoinPages } from './join-pages.action.js';
export { RegistrationController } from './registration.controller.js';
