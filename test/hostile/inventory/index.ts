import type { HostileSubject } from '../hostile-request.js';
import { attributePaths } from './attribute-paths.js';
import { bodiesOfManyItems } from './bodies-of-many-items.js';
import { filters } from './filters.js';
import { ordering } from './ordering.js';
import { patterns } from './patterns.js';
import { templates } from './templates.js';
import { uploads } from './uploads.js';

/** All hostile requests to the inventory, grouped by subject. */
export const inventorySubjects: readonly HostileSubject[] = [
  attributePaths,
  filters,
  ordering,
  patterns,
  templates,
  bodiesOfManyItems,
  uploads,
];
