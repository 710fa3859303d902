import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { dataFileModel } from './data-file.js';
import { dataSourceModel } from './data-source.js';
import { backgroundJobModel } from './job.js';
import { objectChangeModel } from './object-change.js';
import { objectTypeModel } from './object-type.js';

/** All models of the app `core`. */
export const coreModels: readonly ModelDefinition[] = [
  dataFileModel,
  dataSourceModel,
  backgroundJobModel,
  objectChangeModel,
  objectTypeModel,
];
