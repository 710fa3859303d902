import { z } from 'zod';
import { anyObject, defineFormat, webhookEvent } from '../define-format.js';
import { bold, line, link, list, listOf, paragraphs, time } from '../payload-text.js';
import { bodySignature } from '../signatures.js';

const text = z.string().nullish();
const values = anyObject.nullish();

const alert = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: values,
  annotations: values,
  startsAt: text,
  endsAt: text,
  values,
  valueString: text,
  fingerprint: text,
  generatorURL: text,
  silenceURL: text,
  dashboardURL: text,
  panelURL: text,
  imageURL: text,
});
type Alert = z.output<typeof alert>;

/** Placeholder time that Grafana sends as the end of alerts that have not ended. */
const neverEnded = '0001-01-01T00:00:00Z';

function nameOf({ labels, fingerprint }: Alert): string {
  const { alertname: name } = labels ?? {};
  return typeof name === 'string' && name !== '' ? name : (fingerprint ?? 'alert');
}

/** Maximum number of labels, values or annotations of an alert that a message shows. */
const maxPairs = 20;

function pairs(title: string, shown: z.output<typeof values>): string {
  const names = Object.keys(shown ?? {}).filter((name) => name !== 'alertname');
  const lines = names.slice(0, maxPairs).map((name) => `${line(name)}: ${shownValue(shown?.[name])}`);
  const more = names.length > maxPairs ? `… and ${names.length - maxPairs} more` : '';
  return lines.length === 0 ? '' : paragraphs(`${title}:`, list([...lines, more], maxPairs + 1));
}

function shownValue(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? line(value) : 'none';
}

function alertText(one: Alert, icon: string, state: string): string {
  const hasEnded = one.endsAt !== null && one.endsAt !== undefined && one.endsAt !== neverEnded;
  const times = `Started ${time(one.startsAt)}${hasEnded ? `, ended ${time(one.endsAt)}` : ''}.`;
  const links = [
    ['Rule', one.generatorURL],
    ['Silence', one.silenceURL],
    ['Dashboard', one.dashboardURL],
    ['Panel', one.panelURL],
    ['Image', one.imageURL],
  ] as const;
  const measured = one.values ? pairs('Values', one.values) : one.valueString ? `Values: ${line(one.valueString)}` : '';
  return paragraphs(
    `${icon} **${state}**: ${bold(nameOf(one))}`,
    line(one.startsAt) === '' ? '' : times,
    pairs('Labels', one.labels),
    measured,
    pairs('Annotations', one.annotations),
    links.flatMap(([name, url]) => (url ? [link(name, url)] : [])).join(' · '),
  );
}

const alertEvent = (icon: string, state: string) =>
  webhookEvent({
    payload: alert,
    topic: '[{alert}]',
    values: (p) => ({ alert: nameOf(p) }),
    text: (p) => alertText(p, icon, state),
  });

/** A notification in the format of Grafana versions before 8. */
const legacyAlert = z.object({
  title: z.string(),
  ruleName: z.string(),
  ruleUrl: z.string().default(''),
  message: text,
  imageUrl: text,
  evalMatches: z.array(z.object({ metric: z.string(), value: z.union([z.number(), z.string()]).nullish() })).nullish(),
});

const legacyEvent = (icon: string, state: string) =>
  webhookEvent({
    payload: legacyAlert,
    topic: '{title}',
    values: ({ title }) => ({ title }),
    text: (p) =>
      paragraphs(
        `${icon} **${state}**: ${link(p.ruleName, p.ruleUrl)}`,
        line(p.message),
        listOf(p.evalMatches ?? [], ({ metric, value }) => `${bold(metric)}: ${line(value ?? 'none')}`),
        p.imageUrl ? link('Image', p.imageUrl) : '',
      ),
  });

const [fires, ends, informs] = [':rotating_light:', ':white_check_mark:', ':information_source:'];

/** Format of Grafana's webhook contact points. */
export const grafana = defineFormat({
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
