import { randomUUID } from 'node:crypto';
import type { InstallationCheckFinding, InstallationCheck } from '@switchboard/platform';
import { SmtpTransport } from './smtp-transport.js';

interface CheckedMailConfig {
  readonly SMTP_URL?: string | undefined;
  readonly MAIL_FOLDER: string;
  readonly MAIL_FROM: string;
}

/**
 * Returns the check that the mail server of `SMTP_URL` accepts connections and the configured user.
 *
 * @param to address to which the check sends an email. Without it, no email is sent
 */
export function createMailCheck(config: CheckedMailConfig, to: string | undefined): InstallationCheck {
  return { name: 'mail', run: () => checkMailServer(config, to) };
}

async function checkMailServer(config: CheckedMailConfig, to: string | undefined): Promise<InstallationCheckFinding> {
  const { SMTP_URL: url, MAIL_FOLDER: folder, MAIL_FROM: from } = config;
  if (url === undefined) {
    const text = `Mails are written to the folder ${folder} and not sent. Set SMTP_URL.`;
    return { level: to === undefined ? 'warning' : 'failed', text };
  }
  const { host } = new URL(url);
  const transport = new SmtpTransport({ url, from });
  try {
    await transport.checkConnection();
    if (to === undefined) return { level: 'ok', text: `The mail server ${host} accepts connections.` };
    await transport.send({ id: randomUUID(), to, subject: 'Test of the mail server', text: testMailText });
    return { level: 'ok', text: `The mail server ${host} has accepted an email to ${to}.` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { level: 'failed', text: `The mail server ${host} of SMTP_URL cannot be used: ${reason}` };
  } finally {
    transport.close();
  }
}

const testMailText =
  'This email was sent by the command "admin check --mail". The mail server accepts emails of Switchboard.\n';
