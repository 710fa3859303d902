import { z } from 'zod';
import { anyObjectSchema, defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import {
  formatBold,
  toMarkdownLine,
  formatMarkdownLink,
  formatMarkdownList,
  formatMarkdownListItems,
  joinParagraphs,
  formatMarkdownTime,
} from '../format-payload-text.js';
import { createBodySignatureCheck } from '../check-webhook-signatures.js';

const nullableTextSchema = z.string().nullish();
const alertValuesSchema = anyObjectSchema.nullish();

const grafanaAlertSchema = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: alertValuesSchema,
  annotations: alertValuesSchema,
  startsAt: nullableTextSchema,
  endsAt: nullableTextSchema,
  values: alertValuesSchema,
  valueString: nullableTextSchema,
  fingerprint: nullableTextSchema,
  generatorURL: nullableTextSchema,
  silenceURL: nullableTextSchema,
  dashboardURL: nullableTextSchema,
  panelURL: nullableTextSchema,
  imageURL: nullableTextSchema,
});
type GrafanaAlert = z.output<typeof grafanaAlertSchema>;

/** Placeholder time that Grafana sends as the end of alerts that have not ended. */
const unsetEndTime = '0001-01-01T00:00:00Z';

function getAlertName({ labels, fingerprint }: GrafanaAlert): string {
  const { alertname: name } = labels ?? {};
  return typeof name === 'string' && name !== '' ? name : (fingerprint ?? 'alert');
}

/** Maximum number of labels, of values and of annotations that a message shows for one alert. */
const maxLabelPairs = 20;

function formatLabelPairs(title: string, shown: z.output<typeof alertValuesSchema>): string {
  const names = Object.keys(shown ?? {}).filter((name) => name !== 'alertname');
  const lines = names
    .slice(0, maxLabelPairs)
    .map((name) => `${toMarkdownLine(name)}: ${formatAlertValue(shown?.[name])}`);
  const more = names.length > maxLabelPairs ? `… and ${names.length - maxLabelPairs} more` : '';
  return lines.length === 0 ? '' : joinParagraphs(`${title}:`, formatMarkdownList([...lines, more], maxLabelPairs + 1));
}

function formatAlertValue(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? toMarkdownLine(value) : 'none';
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
      ? `Values: ${toMarkdownLine(one.valueString)}`
      : '';
  return joinParagraphs(
    `${icon} **${state}**: ${formatBold(getAlertName(one))}`,
    toMarkdownLine(one.startsAt) === '' ? '' : times,
    formatLabelPairs('Labels', one.labels),
    measured,
    formatLabelPairs('Annotations', one.annotations),
    links.flatMap(([name, url]) => (url ? [formatMarkdownLink(name, url)] : [])).join(' · '),
  );
}

const defineGrafanaAlertEvent = (icon: string, state: string) =>
  defineWebhookEvent({
    payload: grafanaAlertSchema,
    topic: '[{alert}]',
    values: (p) => ({ alert: getAlertName(p) }),
    text: (p) => formatAlert(p, icon, state),
  });

/** Schema of an alert notification in the format of Grafana versions before 8. */
const legacyAlertSchema = z.object({
  title: z.string(),
  ruleName: z.string(),
  ruleUrl: z.string().default(''),
  message: nullableTextSchema,
  imageUrl: nullableTextSchema,
  evalMatches: z.array(z.object({ metric: z.string(), value: z.union([z.number(), z.string()]).nullish() })).nullish(),
});

const defineLegacyGrafanaEvent = (icon: string, state: string) =>
  defineWebhookEvent({
    payload: legacyAlertSchema,
    topic: '{title}',
    values: ({ title }) => ({ title }),
    text: (p) =>
      joinParagraphs(
        `${icon} **${state}**: ${formatMarkdownLink(p.ruleName, p.ruleUrl)}`,
        toMarkdownLine(p.message),
        formatMarkdownListItems(
          p.evalMatches ?? [],
          ({ metric, value }) => `${formatBold(metric)}: ${toMarkdownLine(value ?? 'none')}`,
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
    firing: defineGrafanaAlertEvent(fires, 'Firing'),
    resolved: defineGrafanaAlertEvent(ends, 'Resolved'),
    alerting: defineLegacyGrafanaEvent(fires, 'Alerting'),
    ok: defineLegacyGrafanaEvent(ends, 'OK'),
    pending: defineLegacyGrafanaEvent(informs, 'Pending'),
    paused: defineLegacyGrafanaEvent(informs, 'Paused'),
    no_data: defineLegacyGrafanaEvent(informs, 'No data'),
  },
});
