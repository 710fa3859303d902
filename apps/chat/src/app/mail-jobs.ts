import { OnJob, OnOutboxMessage } from '@switchboard/nest';
import type { Dispatcher, DispatchedOutboxRow, JobContext, Jobs, QueueTx } from '@switchboard/queue';
import {
  mailDispatcher,
  outgoingMailMessage,
  sendMail,
  sendMailJob,
  sweepMails,
  sweepMailsJob,
  type WrittenMail,
  writtenMailDispatcher,
} from '../infra/mail/index.js';
import type { ChatRuntime } from './runtime.js';

/** Outbox and job handlers of emails. Outbox messages become database rows and jobs, and jobs send the emails. */
export class MailJobHandlers {
  readonly #dispatcher: Dispatcher<WrittenMail>;

  constructor(
    private readonly runtime: Pick<ChatRuntime, 'database' | 'mailTransport' | 'secrets'>,
    private readonly jobs: Jobs,
  ) {
    const { secrets } = runtime;
    this.#dispatcher = writtenMailDispatcher(mailDispatcher(jobs, secrets), secrets);
  }

  /** Stores the emails of committed outbox messages, and adds a job for each email. */
  @OnOutboxMessage(outgoingMailMessage)
  addMails(rows: readonly DispatchedOutboxRow<WrittenMail>[], tx: QueueTx): ReturnType<Dispatcher<WrittenMail>> {
    return this.#dispatcher(rows, tx);
  }

  /** Sends the stored email that a job names. */
  @OnJob(sendMailJob)
  send({ id }: { readonly id: string }, attempt: JobContext): Promise<void> {
    const { database, mailTransport: transport, secrets } = this.runtime;
    return sendMail(database, { transport, secrets }, id, attempt);
  }

  /** Adds a job for each stored email that has no job. */
  @OnJob(sweepMailsJob)
  sweep(): Promise<void> {
    return sweepMails(this.runtime.database.background('mail sweep'), this.jobs);
  }
}
