import { readFileSync } from 'node:fs';
import { actionObjectModels } from '../../src/destinations/index.js';

const reference: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(new URL('../reference/models.json', import.meta.url), 'utf8'),
);

/** Reason why the reference API has no models that correspond to {@link ownDestinations}. */
export const ownDestination = 'Beyond the reference API: a further kind of destination of event rules.';

/** Models of destinations that the reference API does not have. */
export const ownDestinations = actionObjectModels.filter(({ type }) => !(type in reference));
