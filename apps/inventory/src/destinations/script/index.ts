import { script as model } from '../../models/extras/script.js';
import { UndeliverableError } from '../../webhooks/undeliverable-error.js';
import { defineDestination } from '../destination.js';

/**
 * Action that runs a script, which this service cannot do. Its deliveries fail with the error of a request that runs a
 * script (docs/contract/inventory.md 1.5), and are listed as failed.
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
