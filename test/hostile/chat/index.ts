import type { HostileSubject } from '../hostile-request.js';
import { bodiesOfManyItems } from './bodies-of-many-items.js';
import { filters } from './narrows.js';
import { images } from './images.js';
import { longPolls } from './long-polls.js';
import { markup } from './markup.js';
import { patterns } from './patterns.js';
import { uploads } from './uploads.js';

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
