export { developmentMailsFeatureModule } from './development-mails.slice.js';
export { DevelopmentMailsController } from './development-mails.controller.js';
