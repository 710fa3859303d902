import { describe, expect, it } from 'vitest';
import { chatSubjects } from './chat/index.js';
import { inventorySubjects } from './inventory/index.js';

const titles = [...inventorySubjects, ...chatSubjects].flatMap(({ subject, requests }) =>
  requests.map(({ title }) => `${subject}: ${title}`),
);

describe('the tables of hostile requests', () => {
  it('hold no two requests that differ by a number alone', () => {
    const shapes = titles.map((title) => title.replace(/\d[\d,]*/g, '#'));
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
  });
});
