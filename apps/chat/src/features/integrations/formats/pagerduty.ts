import { z } from 'zod';
import { defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import {
  formatBold,
  toSingleLine,
  formatMarkdownLink,
  joinParagraphs,
  formatBlockQuote,
} from '../format-payload-text.js';
import { createBodySignatureCheck } from '../check-webhook-signatures.js';

const textSchema = z.string().nullish();
const referenceSchema = z.object({ summary: textSchema, html_url: textSchema });

/**
 * Schema of the payload of an event about a PagerDuty incident. Events about notes, responders and workflows contain
 * the incident in the field `incident`.
 */
const incidentEvent = z.object({
  agent: referenceSchema.nullish(),
  data: z.object({
    number: z.int().nullish(),
    title: textSchema,
    html_url: textSchema,
    incident: referenceSchema.nullish(),
    service: referenceSchema.nullish(),
    assignees: z.array(referenceSchema).nullish(),
    escalation_policy: referenceSchema.nullish(),
    priority: referenceSchema.nullish(),
    user: referenceSchema.nullish(),
    message: textSchema,
    content: textSchema,
    conference_url: textSchema,
    summary: textSchema,
    incident_workflow: referenceSchema.nullish(),
  }),
});
type IncidentEvent = z.output<typeof incidentEvent>;

function getIncidentTitle({ data }: IncidentEvent): string {
  if (data.incident) return data.incident.summary ?? '';
  return `${data.title ?? ''} (#${data.number ?? ''})`;
}

function createIncidentLink(p: IncidentEvent): string {
  return formatMarkdownLink(getIncidentTitle(p), p.data.incident ? p.data.incident.html_url : p.data.html_url);
}

const createReferenceLink = (one: z.output<typeof referenceSchema> | null | undefined) =>
  formatMarkdownLink(one?.summary ?? '', one?.html_url);

function formatAssignees({ data }: IncidentEvent): string {
  const names = (data.assignees ?? []).slice(0, 10).map(createReferenceLink);
  return names.length === 0 ? 'nobody' : names.join(', ');
}

const formatAgent = ({ agent }: IncidentEvent) => (agent ? ` by ${createReferenceLink(agent)}` : '');

/** Defines a PagerDuty event. The message consists of a link to the incident and the given text. */
const pagerDutyEvent = (rest: (p: IncidentEvent) => string, quoted?: (p: IncidentEvent) => string | null | undefined) =>
  defineWebhookEvent({
    payload: incidentEvent,
    topic: 'Incident {incident}',
    values: (p) => ({ incident: getIncidentTitle(p) }),
    text(p) {
      const below = quoted?.(p) ?? '';
      const head = `Incident ${createIncidentLink(p)} ${rest(p)}`;
      return below === '' ? `${head}.` : joinParagraphs(`${head}:`, formatBlockQuote(below));
    },
  });

const defineServiceEvent = (verb: string) =>
  pagerDutyEvent(
    (p) => `${verb} on ${createReferenceLink(p.data.service) || 'a service'} (assigned to ${formatAssignees(p)})`,
  );

/** Event names of the reference server (Zulip), by the event types that PagerDuty sends. */
const resourceNameByType: ReadonlyMap<string, string> = new Map([
  ['incident.triggered', 'triggered'],
  ['incident.acknowledged', 'acknowledged'],
  ['incident.unacknowledged', 'unacknowledged'],
  ['incident.resolved', 'resolved'],
  ['incident.reassigned', 'reassigned'],
  ['incident.escalated', 'escalated'],
  ['incident.delegated', 'delegated'],
  ['incident.reopened', 'reopened'],
  ['incident.priority_updated', 'priority updated'],
  ['incident.status_update_published', 'status updated'],
  ['incident.annotated', 'annotated'],
  ['incident.responder.added', 'responder added'],
  ['incident.responder.replied', 'responder replied'],
  ['incident.conference_bridge.updated', 'conference bridge updated'],
  ['incident.service_updated', 'service updated'],
  ['incident.workflow.started', 'workflow started'],
  ['incident.workflow.completed', 'workflow completed'],
]);

/** Format of the webhook requests of PagerDuty, version 3. */
export const pagerDutyFormat = defineWebhookFormat({
  name: 'pagerduty',
  displayName: 'PagerDuty',
  sender: 'PagerDuty',
  documentation: 'https://developer.pagerduty.com/docs/webhooks-overview',
  payload: z.object({ event: z.looseObject({ event_type: z.string() }) }),
  signature: createBodySignatureCheck('X-PagerDuty-Signature', {
    prefix: 'v1=',
    label: 'Secret of the webhook subscription',
  }),
  route({ payload }) {
    const { event_type: type } = payload.event;
    return type === 'pagey.ping' ? [] : [{ event: resourceNameByType.get(type) ?? type, payload: payload.event }];
  },
  events: {
    triggered: defineServiceEvent('triggered'),
    acknowledged: pagerDutyEvent((p) => `acknowledged${formatAgent(p)}`),
    unacknowledged: defineServiceEvent('unacknowledged'),
    resolved: pagerDutyEvent((p) => `resolved${formatAgent(p)}`),
    reassigned: pagerDutyEvent((p) => `reassigned to ${formatAssignees(p)}`),
    escalated: pagerDutyEvent((p) => `escalated to ${formatAssignees(p)}`),
    delegated: pagerDutyEvent(
      (p) => `delegated to ${createReferenceLink(p.data.escalation_policy) || 'another policy'}`,
    ),
    reopened: pagerDutyEvent((p) => `reopened${formatAgent(p)}`),
    'priority updated': pagerDutyEvent((p) => `has the priority ${formatBold(p.data.priority?.summary ?? 'none')}`),
    'status updated': pagerDutyEvent(
      (p) => `has a status update${formatAgent(p)}`,
      (p) => p.data.message,
    ),
    annotated: pagerDutyEvent(
      (p) => `has a note${formatAgent(p)}`,
      (p) => p.data.content,
    ),
    'responder added': pagerDutyEvent(
      (p) => `has a new responder, ${createReferenceLink(p.data.user)}`,
      (p) => p.data.message,
    ),
    'responder replied': pagerDutyEvent(
      (p) => `has a reply of the responder ${createReferenceLink(p.data.user)}`,
      (p) => p.data.message,
    ),
    'conference bridge updated': pagerDutyEvent(
      (p) => `has the conference ${formatMarkdownLink(p.data.conference_url, p.data.conference_url)}`,
    ),
    'service updated': pagerDutyEvent((p) => `moved to the service ${createReferenceLink(p.data.service)}`),
    'workflow started': pagerDutyEvent((p) => `started the workflow ${formatBold(p.data.incident_workflow?.summary)}`),
    'workflow completed': pagerDutyEvent(
      (p) => `completed the workflow ${formatBold(p.data.incident_workflow?.summary)}`,
      (p) => toSingleLine(p.data.summary),
    ),
  },
});
