import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { dataFile } from './data-file.js';
import { dataSource } from './data-source.js';
import { job } from './job.js';
import { objectChange } from './object-change.js';
import { objectType } from './object-type.js';

/** All models of the app `core`. */
export const coreModels: readonly ModelDefinition[] = [dataFile, dataSource, job, objectChange, objectType];
