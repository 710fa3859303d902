import { createModelRegistry } from '../engine/declaration/model-registry.js';
import { circuitsModels } from './circuits/index.js';
import { coreModels } from './core/index.js';
import { dcimModels } from './dcim/index.js';
import { extrasModels } from './extras/index.js';
import { fieldHelpTexts } from './field-help-texts.js';
import { ipamModels } from './ipam/index.js';
import { tenancyModels } from './tenancy/index.js';
import { usersModels } from './users/index.js';
import { virtualizationModels } from './virtualization/index.js';
import { vpnModels } from './vpn/index.js';
import { wirelessModels } from './wireless/index.js';

/** Registry of all models of the service. */
export const modelRegistry = createModelRegistry(
  [
    ...circuitsModels,
    ...coreModels,
    ...dcimModels,
    ...extrasModels,
    ...ipamModels,
    ...tenancyModels,
    ...usersModels,
    ...virtualizationModels,
    ...vpnModels,
    ...wirelessModels,
  ],
  fieldHelpTexts,
);
