export { botCallsSlice } from './bot-calls.slice.js';
export { defineBotCallJob, sweepBotCalls } from './define-bot-call-job.js';
export { MakeBotCall } from './make-bot-call.js';
