export { integrationsSlice } from './integrations.slice.js';
export { webhookFormats } from './formats/index.js';
export { integrationsPage } from './integrations-page.js';
