import { z } from 'zod';
import { anyObjectSchema, defineWebhookFormat, webhookEvent } from '../define-webhook-format.js';
import { singleLine, markdownLink, markdownList, paragraphs } from '../format-payload-text.js';

const texts = anyObjectSchema.default({});

const alertSchema = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: texts,
  annotations: texts,
  generatorURL: z.string().default(''),
});

const groupSchema = z.object({ name: z.string(), description: z.string(), alerts: z.array(alertSchema) });

/** Maximum number of alerts in one message. */
const maxAlerts = 50;

const groupEvent = (icon: string, state: string) =>
  webhookEvent({
    payload: groupSchema,
    topic: '{name}',
    values: ({ name }) => ({ name }),
    text({ alerts, description }) {
      const lines = alerts.slice(0, maxAlerts).map((one) => {
        const text = singleLine(labelValue(one, description) ?? `(no ${description})`);
        return one.generatorURL === '' ? text : `${text} (${markdownLink('graph', one.generatorURL)})`;
      });
      if (lines.length === 1) return `${icon} **${state}** ${lines[0]}`;
      const more = alerts.length > maxAlerts ? `… and ${alerts.length - maxAlerts} more` : '';
      return paragraphs(`${icon} **${state}**`, markdownList([...lines, more], maxAlerts + 1));
    },
  });

/** Returns a label of an alert; if it is missing, the annotation of the same name. */
function labelValue({ labels, annotations }: z.output<typeof alertSchema>, name: string): string | undefined {
  const values = [labels, annotations].flatMap((one) => (Object.hasOwn(one, name) ? [one[name]] : []));
  return values.find((value) => typeof value === 'string');
}

/**
 * Format of Alertmanager's webhooks. A request causes one message for each value of a chosen label and each alert
 * state.
 */
export const alertmanager = defineWebhookFormat({
  name: 'alertmanager',
  displayName: 'Prometheus Alertmanager',
  sender: 'Alertmanager',
  documentation: 'https://prometheus.io/docs/alerting/latest/configuration/#webhook_config',
  payload: z.object({ alerts: z.array(alertSchema) }),
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
    const groups = new Map<string, z.output<typeof groupSchema> & { event: string }>();
    for (const one of payload.alerts) {
      const topic = labelValue(one, name) ?? '(unknown)';
      const key = JSON.stringify([topic, one.status]);
      const found = groups.get(key) ?? { event: one.status, name: topic, description, alerts: [] };
      found.alerts.push(one);
      groups.set(key, found);
    }
    return [...groups.values()].map(({ event, ...payload_ }) => ({ event, payload: payload_ }));
  },
  events: {
    firing: groupEvent(':rotating_light:', 'Firing'),
    resolved: groupEvent(':white_check_mark:', 'Resolved'),
  },
});
