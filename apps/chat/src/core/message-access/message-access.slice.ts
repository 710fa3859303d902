import { defineSlice } from '../../events/define-slice.js';
import { MessageReaders } from './message-readers.js';

/** The slice of message access. */
export const messageAccessSlice = defineSlice('message-access', {
  providers: [MessageReaders],
});
