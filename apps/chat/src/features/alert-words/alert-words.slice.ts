import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { AlertWordsController } from './alert-words.controller.js';
import { alertWordEventTypes } from './alert-words.events.js';
import { alertWordSnapshotParts } from './alert-words.snapshot.js';
import { ReadAndChangeAlertWords } from './change-alert-words.action.js';

/** Feature module (slice) that provides the endpoints, events and response parts of alert words. */
export const alertWordsFeatureModule = defineFeatureModule('alert-words', {
  controllers: [AlertWordsController],
  providers: [ReadAndChangeAlertWords],
  events: alertWordEventTypes,
  snapshotParts: alertWordSnapshotParts,
});
