import { z } from 'zod';

/** Environment variables for sending emails. */
export const mailEnvironmentVariables = {
  SMTP_URL: z
    .string()
    .refine(isSmtpUrl, 'must read smtp://user:password@host:port, or smtps:// for TLS from the start')
    .optional()
    .meta({
      description:
        'SMTP server: smtp://user:password@host:port, or smtps:// for TLS from the start. ' +
        'Mails are put into `MAIL_FOLDER` when absent',
      secret: true,
    }),
  MAIL_FOLDER: z
    .string()
    .default('.data/mail')
    .meta({ description: 'Folder of mails, one file each, used without `SMTP_URL`' }),
  MAIL_FROM: z.string().default('noreply@localhost').meta({ description: 'Sender of all mails' }),
};

/**
 * Returns true for an SMTP URL without path, query parameters and fragment. Query parameters are rejected, because the
 * mail library reads options from query parameters, and some options log secrets.
 */
function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  const isPlain = search === '' && hash === '' && (pathname === '' || pathname === '/');
  return (protocol === 'smtp:' || protocol === 'smtps:') && hostname !== '' && isPlain;
}
