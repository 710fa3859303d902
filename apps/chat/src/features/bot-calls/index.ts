export { botCallDispatcher, type BotCallJob, defineBotCallJob, sweepCalls, sweepCallsJob } from './bot-call-job.js';
export { MakeBotCall } from './make-bot-call.js';
export { botCallEnv, botCallOutbound } from './settings.js';
