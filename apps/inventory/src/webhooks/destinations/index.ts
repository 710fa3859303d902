import { chatDestination } from './chat-destination.js';
import type { Destination } from './destination.js';
import { scriptDestination } from './script-destination.js';
import { webhookDestination } from './webhook-destination.js';

/**
 * Every kind of destination by the action type of its event rules.
 *
 * Stored objects come from the kind's own `storedSql` and go back to its own `build`, so nothing else looks into them.
 */
export const destinations: Readonly<Record<string, Destination<never>>> = {
  webhook: webhookDestination,
  chat: chatDestination,
  script: scriptDestination,
};

export type { BuildEnvironment, BuiltRequest, Destination, OpenSecret, StoredObject } from './destination.js';
export type { StoredWebhook } from './webhook-destination.js';
