export { DocumentationController } from './documentation.controller.js';
