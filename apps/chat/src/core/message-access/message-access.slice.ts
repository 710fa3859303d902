import { defineSlice } from '../../events/define-slice.js';
import { MessageReaders } from './message-readers.js';

/** The slice of message access, which other slices use. It has no endpoints. */
export const messageAccessSlice = defineSlice('message-access', {
  providers: [MessageReaders],
});
