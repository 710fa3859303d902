import { UndeliverableError } from '@switchboard/webhooks';
import { scriptModel as model } from '../../models/extras/script.js';
import { defineEventDestination } from '../define-destination.js';

/**
 * Event rule action that runs a script. This service cannot run scripts, so each delivery fails with the error that a
 * request to run a script gets (docs/contract/inventory.md 1.5).
 */
export const scriptEventRuleAction = defineEventDestination({
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
