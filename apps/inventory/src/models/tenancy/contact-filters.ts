import type { ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';

const referenceStepToContactAssignments = resolveStepToReferringObjects('tenancy.contactassignment', 'object');

/**
 * Filters of objects by the ids of their contacts: `contact`, `contact_role` and `contact_group`. A filter by a contact
 * group also matches contacts of the groups below it.
 */
export const contactFilters: readonly ModelFilterFactory[] = [
  relatedObjectFilter('contact', [referenceStepToContactAssignments, 'contact']),
  relatedObjectFilter('contact_role', [referenceStepToContactAssignments, 'role']),
  relatedObjectFilter('contact_group', [referenceStepToContactAssignments, 'contact.groups']),
];
