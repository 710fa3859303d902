import type { HostileSubject } from '../hostile-request.js';
import { filters } from './filters.js';

/** The hostile requests to the inventory, one file a subject. */
export const inventorySubjects: readonly HostileSubject[] = [filters];
