export { mailMissed, mailMissedJob } from './mail-missed.js';
export { missedDispatcher } from './missed-messages.repository.js';
