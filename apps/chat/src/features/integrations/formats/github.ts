import { z } from 'zod';
import {
  defineWebhookFormat,
  type UncheckedWebhookEvent,
  type IncomingWebhookDelivery,
} from '../define-webhook-format.js';
import { branchesFilterOption, isSelectedBranch, shortenGitRef } from '../format-git-messages.js';
import { createBodySignatureCheck } from '../check-webhook-signatures.js';
import { githubDiscussionEvents, githubIssueEvents } from './github/issue-events.js';
import { githubPullRequestEvents } from './github/pull-request-events.js';
import { organizationEvents, githubRepositoryEvents } from './github/repository-events.js';
import { sponsorshipEvents } from './github/sponsorship-events.js';

/**
 * Names of GitHub events by request header and by the `action` of the payload, for headers that do not identify the
 * event alone. Null means that the event creates no message.
 */
const githubEventNamesByAction: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  pull_request: {
    opened: 'opened_pull_request',
    reopened: 'opened_pull_request',
    synchronize: 'updated_pull_request',
    edited: 'updated_pull_request',
    assigned: 'assigned_or_unassigned_pull_request',
    unassigned: 'assigned_or_unassigned_pull_request',
    closed: 'closed_pull_request',
    review_requested: 'pull_request_review_requested',
    ready_for_review: 'pull_request_ready_for_review',
    locked: 'locked_or_unlocked_pull_request',
    unlocked: 'locked_or_unlocked_pull_request',
    auto_merge_enabled: 'pull_request_auto_merge',
    auto_merge_disabled: 'pull_request_auto_merge',
    converted_to_draft: null,
    labeled: null,
    unlabeled: null,
    milestoned: null,
    demilestoned: null,
    review_request_removed: null,
    enqueued: null,
    dequeued: null,
  },
  issues: {
    labeled: 'issue_labeled_or_unlabeled',
    unlabeled: 'issue_labeled_or_unlabeled',
    milestoned: 'issue_milestoned_or_demilestoned',
    demilestoned: 'issue_milestoned_or_demilestoned',
    transferred: 'issues_transferred',
  },
  sponsorship: Object.fromEntries(Object.keys(sponsorshipEvents).map((name) => [name, name])),
  team: { added_to_repository: null, created: null, deleted: null, removed_from_repository: null },
};

const githubEventNamesByHeader: ReadonlyMap<string, string | null> = new Map(
  Object.entries(githubEventNamesByAction).flatMap(([header, names]) =>
    Object.entries(names).map(([action, name]) => [`${header} ${action}`, name] as const),
  ),
);

/**
 * Names of the GitHub events that create no message, because another event reports the same change or because the
 * events are too frequent.
 */
const githubEventsWithoutMessage: ReadonlySet<string> = new Set([
  'check_suite',
  'label',
  'meta',
  'milestone',
  'organization',
  'project_card',
  'repository_vulnerability_alert',
]);

const githubPayloadSchema = z.looseObject({
  action: z.string().optional(),
  ref: z.unknown().optional(),
  repository: z.looseObject({ private: z.boolean().optional() }).optional(),
  check_run: z.looseObject({ status: z.unknown().optional() }).optional(),
  comment: z.looseObject({ body: z.unknown().optional() }).optional(),
  changes: z
    .looseObject({
      body: z.looseObject({ from: z.unknown().optional() }).optional(),
      old_issue: z.unknown().optional(),
    })
    .nullish(),
});

const githubUrlOptions = {
  ...branchesFilterOption,
  ignore_private_repositories: z.boolean().optional().meta({ description: 'Exclude private repositories' }),
};

type GithubWebhookDelivery = IncomingWebhookDelivery<
  z.output<typeof githubPayloadSchema>,
  z.output<z.ZodObject<typeof githubUrlOptions>>
>;

/** Returns the name of the GitHub event in a webhook request; null if the event creates no message. */
function getGithubEventName({ payload: body, header, options: { branches } }: GithubWebhookDelivery): string | null {
  if (githubEventsWithoutMessage.has(header)) return null;
  if (header === 'push' && typeof body.ref === 'string') {
    if (body.ref.startsWith('refs/tags/')) return 'push_tags';
    const branch = shortenGitRef(body.ref);
    return branch.startsWith('gh-readonly-queue/') || !isSelectedBranch(branch, branches) ? null : 'push_commits';
  }
  if (header === 'push') return 'push_commits';
  if (header === 'check_run' && body.check_run?.status !== 'completed') return null;
  if (header === 'pull_request_review' && body.action === 'edited' && Object.keys(body.changes ?? {}).length === 0) {
    return null;
  }
  const isUnchanged =
    body.action === 'edited' && body.comment !== undefined && body.changes?.body?.from === body.comment.body;
  if (isUnchanged) return null;
  if (header === 'issues' && body.action === 'opened' && body.changes?.old_issue) return 'issues_opened_via_transfer';
  const name = githubEventNamesByHeader.get(`${header} ${body.action ?? ''}`);
  if (name !== undefined) return name;
  return header === 'pull_request' ? `pull_request/${body.action ?? ''}` : header;
}

function routeGithubEvent(delivery: GithubWebhookDelivery): UncheckedWebhookEvent[] {
  const { payload: body, options: chosen } = delivery;
  if (chosen.ignore_private_repositories === true && body.repository?.private === true) return [];
  const event = getGithubEventName(delivery);
  return event === null ? [] : [{ event, payload: body }];
}

/** Format of the webhook requests of GitHub. */
export const githubFormat = defineWebhookFormat({
  name: 'github',
  displayName: 'GitHub',
  sender: 'GitHub',
  documentation: 'https://docs.github.com/en/webhooks/webhook-events-and-payloads',
  eventHeader: 'X-GitHub-Event',
  payload: githubPayloadSchema,
  options: githubUrlOptions,
  signature: createBodySignatureCheck('X-Hub-Signature-256', { prefix: 'sha256=' }),
  route: routeGithubEvent,
  events: {
    ...githubRepositoryEvents,
    ...githubPullRequestEvents,
    ...githubIssueEvents,
    ...githubDiscussionEvents,
    ...organizationEvents,
    ...sponsorshipEvents,
  },
});
