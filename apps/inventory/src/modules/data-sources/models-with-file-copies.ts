import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { configContext } from '../../models/extras/config-context.js';
import { configContextProfile } from '../../models/extras/config-context-profile.js';
import { configTemplate } from '../../models/extras/config-template.js';
import { exportTemplate } from '../../models/extras/export-template.js';

/** Models whose objects copy the content of a data file. */
export const syncedModels: readonly ModelDefinition[] = [
  configContext,
  configContextProfile,
  configTemplate,
  exportTemplate,
];
