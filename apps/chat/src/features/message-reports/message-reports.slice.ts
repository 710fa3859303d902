import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { MessageReportsController } from './message-reports.controller.js';
import { ReportMessage } from './report-message.action.js';

/** Feature module (slice) of message reports. The module declares one endpoint. */
export const messageReportsFeatureModule = defineFeatureModule('message-reports', {
  controllers: [MessageReportsController],
  providers: [ReportMessage],
});
