import { defineSlice } from '../../events/define-feature-slice.js';
import { MessageReaders } from './message-readers.js';

/** Feature module through which other modules read and lock messages. The module has no endpoints. */
export const messageAccessSlice = defineSlice('message-access', {
  providers: [MessageReaders],
});
