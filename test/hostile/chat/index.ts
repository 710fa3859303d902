import type { HostileSubject } from '../hostile-request.js';
import { bodiesOfManyItems } from './bodies-of-many-items.js';

/** The hostile requests to chat, one file a subject. */
export const chatSubjects: readonly HostileSubject[] = [bodiesOfManyItems];
