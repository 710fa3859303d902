import { defineSlice } from '../../events/define-feature-slice.js';
import { AlertWordsController } from './alert-words.controller.js';
import { alertWordEvents } from './alert-words.events.js';
import { alertWordSnapshotParts } from './alert-words.snapshot.js';
import { ChangeAlertWords } from './change-alert-words.action.js';

/** Feature module (slice) that provides the endpoints, events and response parts of alert words. */
export const alertWordsSlice = defineSlice('alert-words', {
  controllers: [AlertWordsController],
  providers: [ChangeAlertWords],
  events: alertWordEvents,
  snapshotParts: alertWordSnapshotParts,
});
