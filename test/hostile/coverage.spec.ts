import { describe, expect, it } from 'vitest';
import { chatSubjects } from './chat/index.js';
import { inventorySubjects } from './inventory/index.js';

/** Names of the subjects of hostile requests. Every subject must have at least five hostile requests. */
const subjects = [
  'attribute paths',
  'filters',
  'ordering',
  'patterns',
  'templates',
  'images',
  'bodies of many items',
  'long polls',
  'uploads',
];

const titles = [...inventorySubjects, ...chatSubjects].flatMap(({ subject, requests }) =>
  requests.map(({ title }) => `${subject}: ${title}`),
);

describe('lists of hostile requests', () => {
  it('contain no two requests that differ by a number only', () => {
    const shapes = titles.map((title) => title.replace(/\d[\d,]*/g, '#'));
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
  });

  it('contain at least sixty requests, and at least five for each subject', () => {
    expect(titles.length).toBeGreaterThanOrEqual(60);
    const few = subjects.filter((subject) => titles.filter((title) => title.startsWith(`${subject}: `)).length < 5);
    expect(few).toEqual([]);
  });
});
