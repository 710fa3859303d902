import type { Logger } from '@switchboard/platform';
import { FolderMailTransport } from './folder-transport.js';
import type { MailTransport } from './mail-transport.js';
import { SmtpTransport } from './smtp-transport.js';

interface MailConfig {
  readonly NODE_ENV: string;
  readonly SMTP_URL?: string | undefined;
  readonly MAIL_FOLDER: string;
  readonly MAIL_FROM: string;
}

/** Creates the mail transport of the process, which sends emails. Does not connect to the mail server yet. */
export function openMailTransport(config: MailConfig): MailTransport {
  const { SMTP_URL: url, MAIL_FOLDER: folder, MAIL_FROM: from } = config;
  return url === undefined ? new FolderMailTransport(folder, from) : new SmtpTransport({ url, from });
}

/** Logs a warning if emails are written to a folder but not sent. */
export function warnIfMailIsUnsent(config: MailConfig, logger: Pick<Logger, 'warn'>): void {
  if (config.NODE_ENV !== 'production' || config.SMTP_URL !== undefined) return;
  logger.warn({ folder: config.MAIL_FOLDER }, 'mails are written to a folder instead of being sent: set SMTP_URL');
}
