export { integrationsFeatureModule } from './integrations.slice.js';
export { webhookFormats } from './formats/index.js';
export { createIntegrationsPage } from './integrations-page.js';
