import type { CreateFilters } from '../../engine/filter/filter-problem.js';
import { relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';

const stepToContactAssignments = resolveStepToReferringObjects('tenancy.contactassignment', 'object');

/**
 * Filters of objects with contacts by id: `contact`, `contact_role` and `contact_group`. A group includes the groups
 * below it.
 */
export const contactFilters: readonly CreateFilters[] = [
  relatedObjectFilter('contact', [stepToContactAssignments, 'contact']),
  relatedObjectFilter('contact_role', [stepToContactAssignments, 'role']),
  relatedObjectFilter('contact_group', [stepToContactAssignments, 'contact.groups']),
];
