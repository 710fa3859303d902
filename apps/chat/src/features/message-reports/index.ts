export { messageReportsSlice } from './message-reports.slice.js';
