import { z } from 'zod';
import { anyObjectSchema, defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import { toMarkdownLine, formatMarkdownLink, formatMarkdownList, joinParagraphs } from '../format-payload-text.js';

const textRecordSchema = anyObjectSchema.default({});

const alertmanagerAlertSchema = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: textRecordSchema,
  annotations: textRecordSchema,
  generatorURL: z.string().default(''),
});

const alertmanagerAlertGroupSchema = z.object({
  name: z.string(),
  description: z.string(),
  alerts: z.array(alertmanagerAlertSchema),
});

/** Maximum number of alerts that one message lists. */
const maxAlertsPerMessage = 50;

const defineAlertmanagerEvent = (icon: string, state: string) =>
  defineWebhookEvent({
    payload: alertmanagerAlertGroupSchema,
    topic: '{name}',
    values: ({ name }) => ({ name }),
    text({ alerts, description }) {
      const lines = alerts.slice(0, maxAlertsPerMessage).map((one) => {
        const text = toMarkdownLine(getLabelValue(one, description) ?? `(no ${description})`);
        return one.generatorURL === '' ? text : `${text} (${formatMarkdownLink('graph', one.generatorURL)})`;
      });
      if (lines.length === 1) return `${icon} **${state}** ${lines[0]}`;
      const more = alerts.length > maxAlertsPerMessage ? `… and ${alerts.length - maxAlertsPerMessage} more` : '';
      return joinParagraphs(`${icon} **${state}**`, formatMarkdownList([...lines, more], maxAlertsPerMessage + 1));
    },
  });

/** Returns the value of an alert's label. If the label is missing, returns the annotation of the same name. */
function getLabelValue(
  { labels, annotations }: z.output<typeof alertmanagerAlertSchema>,
  name: string,
): string | undefined {
  const values = [labels, annotations].flatMap((one) => (Object.hasOwn(one, name) ? [one[name]] : []));
  return values.find((value) => typeof value === 'string');
}

/**
 * Format of the webhook requests of Alertmanager. A request creates one message for each combination of an alert state
 * and a value of a chosen label.
 */
export const alertmanagerFormat = defineWebhookFormat({
  name: 'alertmanager',
  displayName: 'Prometheus Alertmanager',
  sender: 'Alertmanager',
  documentation: 'https://prometheus.io/docs/alerting/latest/configuration/#webhook_config',
  payload: z.object({ alerts: z.array(alertmanagerAlertSchema) }),
  options: {
    name: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'Label or annotation that is the topic; `instance` by default' }),
    desc: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'Label or annotation that is shown; `alertname` by default' }),
  },
  route({ payload, options }) {
    const { name = 'instance', desc: description = 'alertname' } = options;
    const groups = new Map<string, z.output<typeof alertmanagerAlertGroupSchema> & { event: string }>();
    for (const one of payload.alerts) {
      const topic = getLabelValue(one, name) ?? '(unknown)';
      const key = JSON.stringify([topic, one.status]);
      const found = groups.get(key) ?? { event: one.status, name: topic, description, alerts: [] };
      found.alerts.push(one);
      groups.set(key, found);
    }
    return [...groups.values()].map(({ event, ...payload_ }) => ({ event, payload: payload_ }));
  },
  events: {
    firing: defineAlertmanagerEvent(':rotating_light:', 'Firing'),
    resolved: defineAlertmanagerEvent(':white_check_mark:', 'Resolved'),
  },
});
