export { MessageReportsController } from './message-reports.controller.js';
export { ReportMessage } from './report-message.action.js';
