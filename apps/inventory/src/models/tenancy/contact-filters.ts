import type { FilterSource } from '../../engine/filter/filter.js';
import { relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { reverseOf } from '../../engine/filter/path.js';

const assignments = reverseOf('tenancy.contactassignment', 'object');

/**
 * `contact`, `contact_role` and `contact_group`, all by id, of models that contacts are assigned to; a group represents
 * those below it as well.
 */
export const contactFilters: readonly FilterSource[] = [
  relatedObjectFilter('contact', [assignments, 'contact']),
  relatedObjectFilter('contact_role', [assignments, 'role']),
  relatedObjectFilter('contact_group', [assignments, 'contact.groups']),
];
