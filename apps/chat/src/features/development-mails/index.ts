export { developmentMailsSlice } from './development-mails.slice.js';
export { DevelopmentMailsController } from './development-mails.controller.js';
