import type { HostileSubject } from '../hostile-request.js';
import { bodiesOfManyItems } from './bodies-with-many-items.js';
import { filters } from './hostile-narrows.js';
import { images } from './hostile-images.js';
import { longPolls } from './hostile-long-polls.js';
import { markup } from './hostile-markup.js';
import { patterns } from './hostile-patterns.js';
import { uploads } from './hostile-uploads.js';

/** All hostile requests to chat, grouped by subject. */
export const chatSubjects: readonly HostileSubject[] = [
  bodiesOfManyItems,
  filters,
  images,
  longPolls,
  markup,
  patterns,
  uploads,
];
