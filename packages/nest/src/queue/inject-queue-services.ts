import { Inject } from '@nestjs/common';
import { EventLog, Jobs, Outbox } from '@switchboard/queue';

/** Parameter decorator: injects the outbox of {@link QueueModule}. The class `Outbox` is the injection token. */
export const InjectOutbox = (): ReturnType<typeof Inject> => Inject(Outbox);

/** Parameter decorator: injects the object `Jobs` of {@link QueueModule}. The class `Jobs` is the injection token. */
export const InjectJobs = (): ReturnType<typeof Inject> => Inject(Jobs);

/** Parameter decorator: injects the event log of {@link QueueModule}. The class `EventLog` is the injection token. */
export const InjectEventLog = (): ReturnType<typeof Inject> => Inject(EventLog);
