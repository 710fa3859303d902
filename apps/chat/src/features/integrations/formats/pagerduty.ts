import { z } from 'zod';
import { defineWebhookFormat, webhookEvent } from '../define-webhook-format.js';
import { boldText, singleLine, markdownLink, paragraphs, blockQuote } from '../format-payload-text.js';
import { bodySignature } from '../check-webhook-signatures.js';

const textSchema = z.string().nullish();
const referenceSchema = z.object({ summary: textSchema, html_url: textSchema });

/**
 * Payload of an event about a PagerDuty incident. Events of notes, responders and workflows contain the incident in
 * `incident`.
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

function titleOf({ data }: IncidentEvent): string {
  if (data.incident) return data.incident.summary ?? '';
  return `${data.title ?? ''} (#${data.number ?? ''})`;
}

function incidentLink(p: IncidentEvent): string {
  return markdownLink(titleOf(p), p.data.incident ? p.data.incident.html_url : p.data.html_url);
}

const referenceLink = (one: z.output<typeof referenceSchema> | null | undefined) =>
  markdownLink(one?.summary ?? '', one?.html_url);

function assigneesOf({ data }: IncidentEvent): string {
  const names = (data.assignees ?? []).slice(0, 10).map(referenceLink);
  return names.length === 0 ? 'nobody' : names.join(', ');
}

const agentText = ({ agent }: IncidentEvent) => (agent ? ` by ${referenceLink(agent)}` : '');

/** Defines a PagerDuty event whose message text follows the link to the incident. */
const pagerDutyEvent = (rest: (p: IncidentEvent) => string, quoted?: (p: IncidentEvent) => string | null | undefined) =>
  webhookEvent({
    payload: incidentEvent,
    topic: 'Incident {incident}',
    values: (p) => ({ incident: titleOf(p) }),
    text(p) {
      const below = quoted?.(p) ?? '';
      const head = `Incident ${incidentLink(p)} ${rest(p)}`;
      return below === '' ? `${head}.` : paragraphs(`${head}:`, blockQuote(below));
    },
  });

const defineServiceEvent = (verb: string) =>
  pagerDutyEvent((p) => `${verb} on ${referenceLink(p.data.service) || 'a service'} (assigned to ${assigneesOf(p)})`);

/** Event names as in the reference server, by the event types that PagerDuty sends. */
const nameByType: ReadonlyMap<string, string> = new Map([
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

/** Format of the webhooks of PagerDuty, version 3. */
export const pagerduty = defineWebhookFormat({
  name: 'pagerduty',
  displayName: 'PagerDuty',
  sender: 'PagerDuty',
  documentation: 'https://developer.pagerduty.com/docs/webhooks-overview',
  payload: z.object({ event: z.looseObject({ event_type: z.string() }) }),
  signature: bodySignature('X-PagerDuty-Signature', { prefix: 'v1=', label: 'Secret of the webhook subscription' }),
  route({ payload }) {
    const { event_type: type } = payload.event;
    return type === 'pagey.ping' ? [] : [{ event: nameByType.get(type) ?? type, payload: payload.event }];
  },
  events: {
    triggered: defineServiceEvent('triggered'),
    acknowledged: pagerDutyEvent((p) => `acknowledged${agentText(p)}`),
    unacknowledged: defineServiceEvent('unacknowledged'),
    resolved: pagerDutyEvent((p) => `resolved${agentText(p)}`),
    reassigned: pagerDutyEvent((p) => `reassigned to ${assigneesOf(p)}`),
    escalated: pagerDutyEvent((p) => `escalated to ${assigneesOf(p)}`),
    delegated: pagerDutyEvent((p) => `delegated to ${referenceLink(p.data.escalation_policy) || 'another policy'}`),
    reopened: pagerDutyEvent((p) => `reopened${agentText(p)}`),
    'priority updated': pagerDutyEvent((p) => `has the priority ${boldText(p.data.priority?.summary ?? 'none')}`),
    'status updated': pagerDutyEvent(
      (p) => `has a status update${agentText(p)}`,
      (p) => p.data.message,
    ),
    annotated: pagerDutyEvent(
      (p) => `has a note${agentText(p)}`,
      (p) => p.data.content,
    ),
    'responder added': pagerDutyEvent(
      (p) => `has a new responder, ${referenceLink(p.data.user)}`,
      (p) => p.data.message,
    ),
    'responder replied': pagerDutyEvent(
      (p) => `has a reply of the responder ${referenceLink(p.data.user)}`,
      (p) => p.data.message,
    ),
    'conference bridge updated': pagerDutyEvent(
      (p) => `has the conference ${markdownLink(p.data.conference_url, p.data.conference_url)}`,
    ),
    'service updated': pagerDutyEvent((p) => `moved to the service ${referenceLink(p.data.service)}`),
    'workflow started': pagerDutyEvent((p) => `started the workflow ${boldText(p.data.incident_workflow?.summary)}`),
    'workflow completed': pagerDutyEvent(
      (p) => `completed the workflow ${boldText(p.data.incident_workflow?.summary)}`,
      (p) => singleLine(p.data.summary),
    ),
  },
});
