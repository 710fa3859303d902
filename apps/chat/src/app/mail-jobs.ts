import { OnJob, OnOutboxMessage } from '@switchboard/nest';
import type { OutboxRowsDispatcher, DispatchedOutboxRow, JobContext, Jobs, QueueTx } from '@switchboard/queue';
import {
  createMailStoringOutboxHandler,
  outgoingMailOutboxMessageType,
  sendStoredMail,
  sendMailJobDefinition,
  recoverLostMails,
  recoverLostMailsJobDefinition,
  type EnqueuedMailPayload,
  createOutgoingMailOutboxHandler,
} from '../infra/mail/index.js';
import type { ChatRuntime } from './runtime.js';

/** Outbox and job handlers of emails. Outbox messages become database rows and jobs, and jobs send the emails. */
export class MailJobHandlers {
  readonly #dispatcher: OutboxRowsDispatcher<EnqueuedMailPayload>;

  constructor(
    private readonly runtime: Pick<ChatRuntime, 'database' | 'mailTransport' | 'secrets'>,
    private readonly jobs: Jobs,
  ) {
    const { secrets } = runtime;
    this.#dispatcher = createOutgoingMailOutboxHandler(createMailStoringOutboxHandler(jobs, secrets), secrets);
  }

  /** Stores the emails of committed outbox messages, and adds a job for each email. */
  @OnOutboxMessage(outgoingMailOutboxMessageType)
  storeEmailsAndAddJobs(
    rows: readonly DispatchedOutboxRow<EnqueuedMailPayload>[],
    tx: QueueTx,
  ): ReturnType<OutboxRowsDispatcher<EnqueuedMailPayload>> {
    return this.#dispatcher(rows, tx);
  }

  /** Sends the stored email that a job names. */
  @OnJob(sendMailJobDefinition)
  sendStoredEmail({ id }: { readonly id: string }, attempt: JobContext): Promise<void> {
    const { database, mailTransport: transport, secrets } = this.runtime;
    return sendStoredMail(database, { transport, secrets }, id, attempt);
  }

  /** Adds a job for each stored email that has no job. */
  @OnJob(recoverLostMailsJobDefinition)
  addMissingJobsOfEmails(): Promise<void> {
    return recoverLostMails(this.runtime.database.background('mail sweep'), this.jobs);
  }
}
