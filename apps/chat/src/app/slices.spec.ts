import { expect, it } from 'vitest';
import { chatEnv } from './environment.js';
import { serviceSlices } from './service-slices.js';

it('readConfig reads the environment variables of every slice', () => {
  const names = serviceSlices.flatMap(({ configuration }) => Object.keys(configuration));
  expect(names).toContain('BOT_CALL_TIMEOUT_MS');
  expect(Object.keys(chatEnv.shape)).toEqual(expect.arrayContaining(names));
});

it('the list of slices contains each slice and each controller once', () => {
  const names = serviceSlices.flatMap(({ name, controllersIn }) => [
    ...controllersIn('development').map((controller) => controller.name),
    ...(name === 'users' ? [] : [name]),
  ]);
  expect(names).toEqual([...new Set(names)]);
});
