export { DevelopmentMailsController } from './development-mails.controller.js';
