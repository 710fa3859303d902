import { z } from 'zod';
import { anyObjectSchema, defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import {
  formatBold,
  toSingleLine,
  formatMarkdownLink,
  formatMarkdownList,
  formatListItems,
  joinParagraphs,
  formatMarkdownTime,
} from '../format-payload-text.js';
import { createBodySignatureCheck } from '../check-webhook-signatures.js';

const textSchema = z.string().nullish();
const valuesSchema = anyObjectSchema.nullish();

const alertSchema = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: valuesSchema,
  annotations: valuesSchema,
  startsAt: textSchema,
  endsAt: textSchema,
  values: valuesSchema,
  valueString: textSchema,
  fingerprint: textSchema,
  generatorURL: textSchema,
  silenceURL: textSchema,
  dashboardURL: textSchema,
  panelURL: textSchema,
  imageURL: textSchema,
});
type GrafanaAlert = z.output<typeof alertSchema>;

/** Placeholder time that Grafana sends as the end of alerts that have not ended. */
const unsetEndTime = '0001-01-01T00:00:00Z';

function getAlertName({ labels, fingerprint }: GrafanaAlert): string {
  const { alertname: name } = labels ?? {};
  return typeof name === 'string' && name !== '' ? name : (fingerprint ?? 'alert');
}

/** Maximum number of labels, of values and of annotations that a message shows for one alert. */
const maxLabelPairs = 20;

function formatLabelPairs(title: string, shown: z.output<typeof valuesSchema>): string {
  const names = Object.keys(shown ?? {}).filter((name) => name !== 'alertname');
  const lines = names
    .slice(0, maxLabelPairs)
    .map((name) => `${toSingleLine(name)}: ${formatAlertValue(shown?.[name])}`);
  const more = names.length > maxLabelPairs ? `… and ${names.length - maxLabelPairs} more` : '';
  return lines.length === 0 ? '' : joinParagraphs(`${title}:`, formatMarkdownList([...lines, more], maxLabelPairs + 1));
}

function formatAlertValue(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? toSingleLine(value) : 'none';
}

function formatAlert(one: GrafanaAlert, icon: string, state: string): string {
  const hasEnded = one.endsAt !== null && one.endsAt !== undefined && one.endsAt !== unsetEndTime;
  const times = `Started ${formatMarkdownTime(one.startsAt)}${hasEnded ? `, ended ${formatMarkdownTime(one.endsAt)}` : ''}.`;
  const links = [
    ['Rule', one.generatorURL],
    ['Silence', one.silenceURL],
    ['Dashboard', one.dashboardURL],
    ['Panel', one.panelURL],
    ['Image', one.imageURL],
  ] as const;
  const measured = one.values
    ? formatLabelPairs('Values', one.values)
    : one.valueString
      ? `Values: ${toSingleLine(one.valueString)}`
      : '';
  return joinParagraphs(
    `${icon} **${state}**: ${formatBold(getAlertName(one))}`,
    toSingleLine(one.startsAt) === '' ? '' : times,
    formatLabelPairs('Labels', one.labels),
    measured,
    formatLabelPairs('Annotations', one.annotations),
    links.flatMap(([name, url]) => (url ? [formatMarkdownLink(name, url)] : [])).join(' · '),
  );
}

const alertEvent = (icon: string, state: string) =>
  defineWebhookEvent({
    payload: alertSchema,
    topic: '[{alert}]',
    values: (p) => ({ alert: getAlertName(p) }),
    text: (p) => formatAlert(p, icon, state),
  });

/** Schema of an alert notification in the format of Grafana versions before 8. */
const legacyAlertSchema = z.object({
  title: z.string(),
  ruleName: z.string(),
  ruleUrl: z.string().default(''),
  message: textSchema,
  imageUrl: textSchema,
  evalMatches: z.array(z.object({ metric: z.string(), value: z.union([z.number(), z.string()]).nullish() })).nullish(),
});

const legacyEvent = (icon: string, state: string) =>
  defineWebhookEvent({
    payload: legacyAlertSchema,
    topic: '{title}',
    values: ({ title }) => ({ title }),
    text: (p) =>
      joinParagraphs(
        `${icon} **${state}**: ${formatMarkdownLink(p.ruleName, p.ruleUrl)}`,
        toSingleLine(p.message),
        formatListItems(
          p.evalMatches ?? [],
          ({ metric, value }) => `${formatBold(metric)}: ${toSingleLine(value ?? 'none')}`,
        ),
        p.imageUrl ? formatMarkdownLink('Image', p.imageUrl) : '',
      ),
  });

const [fires, ends, informs] = [':rotating_light:', ':white_check_mark:', ':information_source:'];

/** Format of the webhook requests that Grafana's contact points send. */
export const grafanaFormat = defineWebhookFormat({
  name: 'grafana',
  displayName: 'Grafana',
  sender: 'Grafana',
  documentation:
    'https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/',
  payload: z.looseObject({
    alerts: z.array(z.looseObject({ status: z.string() })).optional(),
    state: z.string().optional(),
  }),
  signature: createBodySignatureCheck('X-Grafana-Alerting-Signature', { label: 'Secret of the contact point' }),
  route({ payload }) {
    if (payload.alerts !== undefined) return payload.alerts.map((one) => ({ event: one.status, payload: one }));
    return [{ event: payload.state ?? 'unknown', payload }];
  },
  events: {
    firing: alertEvent(fires, 'Firing'),
    resolved: alertEvent(ends, 'Resolved'),
    alerting: legacyEvent(fires, 'Alerting'),
    ok: legacyEvent(ends, 'OK'),
    pending: legacyEvent(informs, 'Pending'),
    paused: legacyEvent(informs, 'Paused'),
    no_data: legacyEvent(informs, 'No data'),
  },
});
