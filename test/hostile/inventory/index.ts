import type { HostileSubject } from '../hostile-request.js';
import { attributePaths } from './hostile-attribute-paths.js';
import { bodiesOfManyItems } from './bodies-with-many-items.js';
import { filters } from './hostile-filters.js';
import { ordering } from './hostile-ordering.js';
import { patterns } from './hostile-patterns.js';
import { templates } from './hostile-templates.js';
import { uploads } from './hostile-uploads.js';

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
