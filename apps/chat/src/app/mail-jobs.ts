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

/** Handlers of mails: outbox messages become rows and jobs, and jobs send the mails. */
export class MailJobHandlers {
  readonly #dispatcher: Dispatcher<WrittenMail>;

  constructor(
    private readonly runtime: Pick<ChatRuntime, 'database' | 'mailTransport' | 'secrets'>,
    private readonly jobs: Jobs,
  ) {
    const { secrets } = runtime;
    this.#dispatcher = writtenMailDispatcher(mailDispatcher(jobs, secrets), secrets);
  }

  /** Stores the mails of committed messages, and adds a job for each. */
  @OnOutboxMessage(outgoingMailMessage)
  addMails(rows: readonly DispatchedOutboxRow<WrittenMail>[], tx: QueueTx): ReturnType<Dispatcher<WrittenMail>> {
    return this.#dispatcher(rows, tx);
  }

  /** Sends a stored mail. */
  @OnJob(sendMailJob)
  send({ id }: { readonly id: string }, attempt: JobContext): Promise<void> {
    const { database, mailTransport: transport, secrets } = this.runtime;
    return sendMail(database, { transport, secrets }, id, attempt);
  }

  /** Adds a job for each stored mail without a job. */
  @OnJob(sweepMailsJob)
  sweep(): Promise<void> {
    return sweepMails(this.runtime.database.background('mail sweep'), this.jobs);
  }
}
