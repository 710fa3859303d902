import { expect, it } from 'vitest';
import { chatEnv } from './environment.js';
import { serviceSlices } from './create-service-slices.js';

it('readConfig reads the environment variables of every feature module', () => {
  const names = serviceSlices.flatMap(({ configuration }) => Object.keys(configuration));
  expect(names).toContain('BOT_CALL_TIMEOUT_MS');
  expect(Object.keys(chatEnv.shape)).toEqual(expect.arrayContaining(names));
});

it('the list of feature modules contains each module and each controller once', () => {
  const names = serviceSlices.flatMap(({ name, controllersIn }) => [
    ...controllersIn('development').map((controller) => controller.name),
    ...(name === 'users' ? [] : [name]),
  ]);
  expect(names).toEqual([...new Set(names)]);
});
