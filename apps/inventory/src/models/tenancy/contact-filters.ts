import type { FilterSource } from '../../engine/filter/filter.js';
import { relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { reverseOf } from '../../engine/filter/path.js';

const assignments = reverseOf('tenancy.contactassignment', 'object');

/**
 * Filters of objects with contacts by id: `contact`, `contact_role` and `contact_group`. A group includes the groups
 * below it.
 */
export const contactFilters: readonly FilterSource[] = [
  relatedObjectFilter('contact', [assignments, 'contact']),
  relatedObjectFilter('contact_role', [assignments, 'role']),
  relatedObjectFilter('contact_group', [assignments, 'contact.groups']),
];
