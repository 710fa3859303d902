import { TemplateRuntimeError, UndefinedError } from '../template-errors.js';
import { toNumberOrNull } from '../values/compare-values.js';
import { TemplateTextBuilder, templateValueToText } from '../values/value-to-text.js';
import { UndefinedTemplateValue, type TemplateValue } from '../values/template-value.js';
import { createTemplateFilter, type TemplateFilter } from '../run/filter-runtime.js';

const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const monthNames = 'January February March April May June July August September October November December'.split(' ');

/** A point in time in UTC. */
interface UtcMoment {
  readonly date: Date;
  /**
   * Microseconds of the second as six digits. The separate field is needed because a `Date` contains only milliseconds.
   */
  readonly microseconds: string;
}

const formatTwoDigits = (number: number): string => String(number).padStart(2, '0');
const millisecondsPerDay = 86_400_000;

function getDayOfYear(date: Date): number {
  const start = new Date(date.getTime());
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / millisecondsPerDay) + 1;
}

// Directives of Python's strftime that need only the C locale, and `%s`, `%F`, `%T` and `%e` of C.
const strftimeFormatterByDirective = new Map<string, (moment: UtcMoment) => string>([
  ['Y', ({ date }) => String(date.getUTCFullYear()).padStart(4, '0')],
  ['y', ({ date }) => formatTwoDigits(date.getUTCFullYear() % 100)],
  ['m', ({ date }) => formatTwoDigits(date.getUTCMonth() + 1)],
  ['d', ({ date }) => formatTwoDigits(date.getUTCDate())],
  ['e', ({ date }) => String(date.getUTCDate()).padStart(2)],
  ['H', ({ date }) => formatTwoDigits(date.getUTCHours())],
  ['I', ({ date }) => formatTwoDigits(date.getUTCHours() % 12 || 12)],
  ['M', ({ date }) => formatTwoDigits(date.getUTCMinutes())],
  ['S', ({ date }) => formatTwoDigits(date.getUTCSeconds())],
  ['f', ({ microseconds }) => microseconds],
  ['p', ({ date }) => (date.getUTCHours() < 12 ? 'AM' : 'PM')],
  ['j', ({ date }) => String(getDayOfYear(date)).padStart(3, '0')],
  ['w', ({ date }) => String(date.getUTCDay())],
  ['u', ({ date }) => String(date.getUTCDay() || 7)],
  ['a', ({ date }) => (weekdayNames[date.getUTCDay()] ?? '').slice(0, 3)],
  ['A', ({ date }) => weekdayNames[date.getUTCDay()] ?? ''],
  ['b', ({ date }) => (monthNames[date.getUTCMonth()] ?? '').slice(0, 3)],
  ['B', ({ date }) => monthNames[date.getUTCMonth()] ?? ''],
  ['F', ({ date }) => date.toISOString().slice(0, 10)],
  ['T', ({ date }) => date.toISOString().slice(11, 19)],
  ['s', ({ date }) => String(Math.floor(date.getTime() / 1000))],
  ['z', () => '+0000'],
  ['Z', () => 'UTC'],
  ['%', () => '%'],
]);

const isoTimePattern = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Parses a point in time, given in the API's text format or in seconds since 1970. A time without an offset is in UTC.
 */
function parseUtcMoment(value: TemplateValue, text: string): UtcMoment {
  if (value instanceof UndefinedTemplateValue) throw new UndefinedError(value.reason);
  const number = toNumberOrNull(value);
  const [, day, time = '00:00', seconds = ':00', fraction = '', offset = 'Z'] = isoTimePattern.exec(text.trim()) ?? [];
  const zone = offset.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2');
  const date = number === null ? new Date(`${day}T${time}${seconds}${zone}`) : new Date(Math.floor(number) * 1000);
  // Only years of four digits are accepted, as in texts.
  if (!(Math.abs(date.getTime()) < 253_402_300_800_000) || date.getUTCFullYear() < 0) {
    throw new TemplateRuntimeError(
      `strftime takes a time as ISO 8601 or seconds since 1970, not '${text.slice(0, 100)}'`,
    );
  }
  const ofSecond = number === null ? 0 : Math.floor((number - Math.floor(number)) * 1e6);
  const microseconds = number === null ? fraction.slice(0, 6).padEnd(6, '0') : String(ofSecond).padStart(6, '0');
  return { date, microseconds };
}

const strftimeFilter = createTemplateFilter('format', (value, given, { budget }) => {
  const moment = parseUtcMoment(value, templateValueToText(value, budget));
  const written = new TemplateTextBuilder(budget);
  for (const [part] of given.getTextArgument('format', '%Y-%m-%d').matchAll(/%[^]|[^%]+|%$/g)) {
    const directive = part.startsWith('%') ? part.slice(1) : null;
    const write = directive === null ? () => part : strftimeFormatterByDirective.get(directive);
    if (write === undefined) throw new TemplateRuntimeError(`strftime does not know '${part}'`);
    written.appendPiece(write(moment));
  }
  return written.buildText();
});

/** Template filters for points in time. Jinja has no filters for times. */
export const templateTimeFilters: readonly (readonly [string, TemplateFilter])[] = [['strftime', strftimeFilter]];
