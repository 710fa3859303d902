import { expect, it } from 'vitest';
import { chatEnvironmentSchema } from './environment.js';
import { createFeatureModules } from './create-service-slices.js';

it('the service configuration contains the environment variables of every feature module', () => {
  const names = createFeatureModules.flatMap(({ configuration }) => Object.keys(configuration));
  expect(names).toContain('BOT_CALL_TIMEOUT_MS');
  expect(Object.keys(chatEnvironmentSchema.shape)).toEqual(expect.arrayContaining(names));
});

it('the list of feature modules contains each module and each controller once', () => {
  const names = createFeatureModules.flatMap(({ name, controllersIn }) => [
    ...controllersIn('development').map((controller) => controller.name),
    ...(name === 'users' ? [] : [name]),
  ]);
  expect(names).toEqual([...new Set(names)]);
});
