import type { Type } from '@nestjs/common';
import type { ChatConfig } from '../config.js';
import { eventQueuesSlice } from './event-queues/index.js';
import { slices } from './slices.js';

/** All slices of the service. The slice of event queues uses the events and snapshot parts of all others. */
export const serviceSlices = [...slices, eventQueuesSlice];

/** Returns the controllers of a mode (`NODE_ENV`). */
export function controllersOf({ NODE_ENV: mode }: Pick<ChatConfig, 'NODE_ENV'>): Type[] {
  return serviceSlices.flatMap((slice) => slice.controllersIn(mode));
}
