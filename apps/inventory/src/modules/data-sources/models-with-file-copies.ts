import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { configContextModel } from '../../models/extras/config-context.js';
import { configContextProfileModel } from '../../models/extras/config-context-profile.js';
import { configTemplateModel } from '../../models/extras/config-template.js';
import { exportTemplateModel } from '../../models/extras/export-template.js';

/** Models whose objects copy the content of a data file. */
export const modelsWithDataFileCopies: readonly ModelDefinition[] = [
  configContextModel,
  configContextProfileModel,
  configTemplateModel,
  exportTemplateModel,
];
