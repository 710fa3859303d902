const calendarDatePattern = /^(?<year>\d{4})(?<dash>-?)(?<month>\d{2})\k<dash>(?<day>\d{2})$/;
const ordinalDatePattern = /^(?<year>\d{4})-?(?<day>\d{3})$/;
/** Pattern of an ISO 8601 week date. A week date without a day means the Monday of the week. */
const weekDatePattern = /^(?<year>\d{4})(?<dash>-?)W(?<week>\d{2})(?:\k<dash>(?<day>[1-7]))?$/i;

const millisecondsPerDay = 86_400_000;

/**
 * Converts an ISO 8601 date (calendar, ordinal or week date, in extended or basic form) to `YYYY-MM-DD`. Returns null
 * for any other text, and for a day that does not exist.
 */
export function normalizeIsoDate(text: string): string | null {
  const calendar = calendarDatePattern.exec(text)?.groups;
  if (calendar !== undefined) {
    const { year, month, day } = calendar;
    const date = `${year}-${month}-${day}`;
    // Date accepts days up to 31 in every month, and moves those that do not exist into the next month.
    return new Date(date).getUTCDate() === Number(day) ? date : null;
  }
  const ordinal = ordinalDatePattern.exec(text)?.groups;
  if (ordinal !== undefined) return createDateOfYearDay(Number(ordinal['year']), Number(ordinal['day']));
  const week = weekDatePattern.exec(text)?.groups;
  return week === undefined
    ? null
    : createDateOfWeekDay(Number(week['year']), Number(week['week']), Number(week['day'] ?? 1));
}

function createDateOfYearDay(year: number, day: number): string | null {
  const date = new Date(getFirstOfJanuary(year) + (day - 1) * millisecondsPerDay);
  return date.getUTCFullYear() === year ? formatIsoCalendarDate(date) : null;
}

/**
 * Returns the date of a day in a week of a year. The first week of a year is the week with the year's first Thursday.
 */
function createDateOfWeekDay(year: number, week: number, day: number): string | null {
  const thursday = new Date(getMondayOfFirstWeek(year) + ((week - 1) * 7 + 3) * millisecondsPerDay);
  if (thursday.getUTCFullYear() !== year) return null;
  return formatIsoCalendarDate(new Date(thursday.getTime() + (day - 4) * millisecondsPerDay));
}

function getMondayOfFirstWeek(year: number): number {
  const fourth = getFirstOfJanuary(year) + 3 * millisecondsPerDay;
  const daysSinceMonday = (new Date(fourth).getUTCDay() + 6) % 7;
  return fourth - daysSinceMonday * millisecondsPerDay;
}

/**
 * Returns the time of January 1 of a year in milliseconds since the epoch. Date.UTC would interpret years before 100 as
 * years of the twentieth century.
 */
function getFirstOfJanuary(year: number): number {
  return new Date(`${String(year).padStart(4, '0')}-01-01`).getTime();
}

function formatIsoCalendarDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}
