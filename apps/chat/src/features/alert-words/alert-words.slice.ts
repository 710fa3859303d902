import { defineSlice } from '../../events/define-feature-slice.js';
import { AlertWordsController } from './alert-words.controller.js';
import { alertWordEvents } from './alert-words.events.js';
import { alertWordSnapshotParts } from './alert-words.snapshot.js';
import { ChangeAlertWords } from './change-alert-words.action.js';

/** Feature module (slice) of alert words: its endpoints, events and snapshot parts. */
export const alertWordsSlice = defineSlice('alert-words', {
  controllers: [AlertWordsController],
  providers: [ChangeAlertWords],
  events: alertWordEvents,
  snapshotParts: alertWordSnapshotParts,
});
