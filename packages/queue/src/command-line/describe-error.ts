/** SQLSTATEs of the errors for a missing table, function or schema. */
const missingTableCodes: ReadonlySet<unknown> = new Set(['42P01', '42883', '3F000']);

/** Regular expression for control characters, which could change the display of a terminal. */
const CONTROL_CHARACTERS_PATTERN = /\p{Cc}+/gu;

/** Returns a text as one line, with a space in place of control characters. */
export const toOneLine = (text: string): string => text.replaceAll(CONTROL_CHARACTERS_PATTERN, ' ').trim();

/**
 * Describes an error in one line, without its stack. In the result, passwords of the given URLs are masked. User name
 * and password of every other URL are also masked.
 */
export function describeError(error: unknown, urls: readonly (string | null)[]): string {
  const isMissing = error instanceof Error && missingTableCodes.has(Reflect.get(error, 'code'));
  const text = messageOf(error) + (isMissing ? ' (run the command migrate)' : '');
  const hidden = text.replaceAll(/:\/\/\S*@/g, '://***@');
  const passwords = urls.flatMap((url) => (url === null ? [] : listPasswords(url)));
  return toOneLine(passwords.reduce((shown, password) => shown.replaceAll(password, '***'), hidden));
}

/**
 * Returns the message of an error. An AggregateError of connections to several addresses has no message. For it,
 * returns the message of the first collected error.
 */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0) {
    return messageOf(error.errors[0]);
  }
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? error.name : error.message;
}

/**
 * Minimum length of passwords that are masked in messages. Shorter passwords are not searched, because they could be
 * parts of ordinary words.
 */
const MIN_PASSWORD_LENGTH = 4;

/** Returns the passwords in a URL both in their written form and percent-decoded. */
function listPasswords(url: string): string[] {
  const account = /:\/\/([^/?]*)@/.exec(url)?.[1] ?? '';
  const written = account.includes(':') ? [account.slice(account.indexOf(':') + 1)] : [];
  const parameters = [...url.matchAll(/[?&]\w*password=([^&]*)/gi)].map(([, value = '']) => value);
  return [...written, ...parameters]
    .flatMap((password) => [password, decodePercent(password)])
    .filter(({ length }) => length >= MIN_PASSWORD_LENGTH);
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
