export { redirectBrowsers } from './browser-redirect.js';
export { DocumentationController } from './documentation.controller.js';
