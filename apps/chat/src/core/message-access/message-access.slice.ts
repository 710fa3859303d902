import { defineSlice } from '../../events/define-slice.js';
import { MessageReaders } from './message-readers.js';

/** Feature module (slice) with which other slices read and lock messages. It has no endpoints. */
export const messageAccessSlice = defineSlice('message-access', {
  providers: [MessageReaders],
});
