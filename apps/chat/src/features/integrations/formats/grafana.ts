import { z } from 'zod';
import { anyObjectSchema, defineWebhookFormat, webhookEvent } from '../define-webhook-format.js';
import {
  boldText,
  singleLine,
  markdownLink,
  markdownList,
  renderedList,
  paragraphs,
  markdownTime,
} from '../format-payload-text.js';
import { bodySignature } from '../check-webhook-signatures.js';

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
type Alert = z.output<typeof alertSchema>;

/** Placeholder time that Grafana sends as the end of alerts that have not ended. */
const unsetEndTime = '0001-01-01T00:00:00Z';

function alertName({ labels, fingerprint }: Alert): string {
  const { alertname: name } = labels ?? {};
  return typeof name === 'string' && name !== '' ? name : (fingerprint ?? 'alert');
}

/** Maximum number of labels, values or annotations of an alert that a message shows. */
const maxPairs = 20;

function pairLines(title: string, shown: z.output<typeof valuesSchema>): string {
  const names = Object.keys(shown ?? {}).filter((name) => name !== 'alertname');
  const lines = names.slice(0, maxPairs).map((name) => `${singleLine(name)}: ${formatValue(shown?.[name])}`);
  const more = names.length > maxPairs ? `… and ${names.length - maxPairs} more` : '';
  return lines.length === 0 ? '' : paragraphs(`${title}:`, markdownList([...lines, more], maxPairs + 1));
}

function formatValue(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? singleLine(value) : 'none';
}

function alertText(one: Alert, icon: string, state: string): string {
  const hasEnded = one.endsAt !== null && one.endsAt !== undefined && one.endsAt !== unsetEndTime;
  const times = `Started ${markdownTime(one.startsAt)}${hasEnded ? `, ended ${markdownTime(one.endsAt)}` : ''}.`;
  const links = [
    ['Rule', one.generatorURL],
    ['Silence', one.silenceURL],
    ['Dashboard', one.dashboardURL],
    ['Panel', one.panelURL],
    ['Image', one.imageURL],
  ] as const;
  const measured = one.values
    ? pairLines('Values', one.values)
    : one.valueString
      ? `Values: ${singleLine(one.valueString)}`
      : '';
  return paragraphs(
    `${icon} **${state}**: ${boldText(alertName(one))}`,
    singleLine(one.startsAt) === '' ? '' : times,
    pairLines('Labels', one.labels),
    measured,
    pairLines('Annotations', one.annotations),
    links.flatMap(([name, url]) => (url ? [markdownLink(name, url)] : [])).join(' · '),
  );
}

const alertEvent = (icon: string, state: string) =>
  webhookEvent({
    payload: alertSchema,
    topic: '[{alert}]',
    values: (p) => ({ alert: alertName(p) }),
    text: (p) => alertText(p, icon, state),
  });

/** A notification in the format of Grafana versions before 8. */
const legacyAlert = z.object({
  title: z.string(),
  ruleName: z.string(),
  ruleUrl: z.string().default(''),
  message: textSchema,
  imageUrl: textSchema,
  evalMatches: z.array(z.object({ metric: z.string(), value: z.union([z.number(), z.string()]).nullish() })).nullish(),
});

const legacyEvent = (icon: string, state: string) =>
  webhookEvent({
    payload: legacyAlert,
    topic: '{title}',
    values: ({ title }) => ({ title }),
    text: (p) =>
      paragraphs(
        `${icon} **${state}**: ${markdownLink(p.ruleName, p.ruleUrl)}`,
        singleLine(p.message),
        renderedList(p.evalMatches ?? [], ({ metric, value }) => `${boldText(metric)}: ${singleLine(value ?? 'none')}`),
        p.imageUrl ? markdownLink('Image', p.imageUrl) : '',
      ),
  });

const [fires, ends, informs] = [':rotating_light:', ':white_check_mark:', ':information_source:'];

/** Format of Grafana's webhook contact points. */
export const grafana = defineWebhookFormat({
  name: 'grafana',
  displayName: 'Grafana',
  sender: 'Grafana',
  documentation:
    'https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/',
  payload: z.looseObject({
    alerts: z.array(z.looseObject({ status: z.string() })).optional(),
    state: z.string().optional(),
  }),
  signature: bodySignature('X-Grafana-Alerting-Signature', { label: 'Secret of the contact point' }),
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
