export { integrationsSlice } from './integrations.slice.js';
export { formats } from './formats/index.js';
export { integrationsPage } from './integrations-page.js';
