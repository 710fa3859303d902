import type { EventLogMetrics, RealmLogState } from '@switchboard/queue';
import type { QueueBoardEventLog } from './queue-board-options.js';
import { escapeHtml } from './escape-html.js';

/** Number of realms on a page, unless the request has another. */
const DEFAULT_REALMS = 100;

/** Maximum number of realms on a page. */
const MAX_REALMS = 1_000;

/** State of the event log as JSON. */
interface EventLogJson {
  /** Figures of the process that has responded, and of the deployment at its last maintenance round. */
  readonly metrics: EventLogMetrics;
  readonly realms: readonly RealmLogState[];
  /** Value of `after` for the next page; null on the last page. */
  readonly next: string | null;
}

/** Reads the state of the event log. The query parameters `after` and `limit` select a page of realms. */
export async function readEventLog(eventLog: QueueBoardEventLog, query: URLSearchParams): Promise<EventLogJson> {
  const requested = Number(query.get('limit') ?? DEFAULT_REALMS);
  const limit = Number.isInteger(requested) ? Math.min(Math.max(requested, 1), MAX_REALMS) : DEFAULT_REALMS;
  const after = query.get('after') ?? undefined;
  // Text with this character cannot be sent to PostgreSQL.
  const realms = after?.includes('\0') === true ? [] : await eventLog.listRealms({ after, limit });
  const next = realms.length < limit ? null : (realms.at(-1)?.realm ?? null);
  return { metrics: eventLog.metrics(), realms, next };
}

/** Descriptions of the figures on the page of the event log. */
const descriptions: Readonly<Record<keyof EventLogMetrics, string>> = {
  queues: 'Event queues of all realms, at the last maintenance round',
  behind: 'Positions of all realms that are not stored yet, at the last maintenance round',
  waiters: 'Polls of this process that wait for an event',
  streams: 'Open streams of this process',
  realms: 'Realms that this process follows',
  tailBytes: 'Bytes of entries in the memory of this process',
  appended: 'Entries that this process has appended',
  voided: 'Entries that this process has replaced by void entries',
};

const style =
  'body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}' +
  'table{border-collapse:collapse;margin:1rem 0}td,th{text-align:left;padding:.2rem 1rem .2rem 0}' +
  'td.number,th.number{text-align:right;font-variant-numeric:tabular-nums}';

/** Returns the HTML page of the event log, without scripts. */
export function renderEventLogPage(basePath: string, title: string, { metrics, realms, next }: EventLogJson): string {
  const figures = Object.entries(descriptions).map(
    ([name, description]) =>
      `<tr><td>${description}</td><td class="number">${metrics[name as keyof EventLogMetrics]}</td></tr>`,
  );
  const rows = realms.map(({ realm, position, storedPosition, lag, queues }) => {
    const numbers = [position, storedPosition, lag, queues].map((number) => `<td class="number">${number}</td>`);
    return `<tr><td>${escapeHtml(realm)}</td>${numbers.join('')}</tr>`;
  });
  const headings = ['Assigned position', 'Stored position', 'Lag', 'Event queues'];
  const base = escapeHtml(basePath);
  const nextLink =
    next === null ? '' : `<p><a href="${base}event-log?after=${encodeURIComponent(next)}">Next realms</a></p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<meta name="robots" content="noindex" />
<title>Event log – ${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<p><a href="${base}">${escapeHtml(title)}</a></p>
<h1>Event log</h1>
<table>${figures.join('\n')}</table>
<table>
<tr><th>Realm</th>${headings.map((heading) => `<th class="number">${heading}</th>`).join('')}</tr>
${rows.join('\n')}
</table>
${nextLink}
</body>
</html>
`;
}
