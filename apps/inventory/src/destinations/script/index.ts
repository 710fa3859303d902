import { script as model } from '../../models/extras/script.js';
import { UndeliverableError } from '../../webhooks/undeliverable-error.js';
import { defineDestination } from '../destination.js';

/**
 * No script is run: a delivery to one fails with the error of a request that runs it by hand
 * (docs/contract/inventory.md 1.5), and stays in the list of deliveries.
 */
export const script = defineDestination({
  actionType: 'script',
  label: 'Script',
  model,
  features: ['jobs'],
  columns: {},
  secretFields: [],
  receiverColumn: null,
  build: () => Promise.reject(new UndeliverableError('Unable to process request: RQ worker process not running.')),
  checkResponse: () => null,
});
