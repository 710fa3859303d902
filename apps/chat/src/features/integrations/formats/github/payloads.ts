import { z } from 'zod';
import { markdownLink } from '../../payload-text.js';

export const person = z.object({ login: z.string(), html_url: z.string().default('') });
export const repository = z.object({ name: z.string(), full_name: z.string(), html_url: z.string() });
export const common = { sender: person, repository, action: z.string().default('') };
export const text = z.string().nullish();

const pullRequest = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  body: text,
  merged: z.boolean().nullish(),
  assignee: person.nullish(),
  head: z.object({ label: text, ref: z.string() }),
  base: z.object({ label: text, ref: z.string() }),
});
export const issue = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  body: text,
  pull_request: z.unknown().optional(),
});
export const comment = z.object({ html_url: z.string(), body: z.string() });
export const review = z.object({ html_url: z.string(), state: z.string(), body: text });
export const discussion = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  body: text,
  category: z.object({ name: z.string() }),
});

export const pullRequestPayload = z.object({
  ...common,
  pull_request: pullRequest,
  assignee: person.nullish(),
  requested_reviewer: person.nullish(),
  requested_team: z.object({ name: z.string() }).nullish(),
  changes: z.object({ body: z.unknown().optional() }).nullish(),
});
export type PullRequestPayload = z.output<typeof pullRequestPayload>;

export const issuePayload = z.object({
  ...common,
  issue,
  assignee: person.nullish(),
  label: z.object({ name: z.string() }).nullish(),
  milestone: z.object({ title: z.string(), html_url: z.string() }).nullish(),
});
export type IssuePayload = z.output<typeof issuePayload>;

export const onRepository = {
  topic: '{repository}',
  values: (p: { repository: { name: string } }) => ({ repository: p.repository.name }),
};
export const onPullRequest = {
  topic: '{repository} / PR #{number} {title}',
  values: (p: { repository: { name: string }; pull_request: { number: number; title: string } }) => ({
    repository: p.repository.name,
    number: p.pull_request.number,
    title: p.pull_request.title,
  }),
};
export const onIssue = {
  topic: '{repository} / {kind} #{number} {title}',
  values: (p: { repository: { name: string }; issue: z.output<typeof issue> }) => ({
    repository: p.repository.name,
    kind: kindOf(p.issue),
    number: p.issue.number,
    title: p.issue.title,
  }),
};
export const onDiscussion = {
  topic: '{repository} discussion #{number}: {title}',
  values: (p: { repository: { name: string }; discussion: z.output<typeof discussion> }) => ({
    repository: p.repository.name,
    number: p.discussion.number,
    title: p.discussion.title,
  }),
};
export const onDeployment = {
  topic: '{repository} / Deployment on {environment}',
  values: (p: { repository: { name: string }; deployment: { environment: string } }) => ({
    repository: p.repository.name,
    environment: p.deployment.environment,
  }),
};

/** Returns `PR` for a comment on a pull request, otherwise `issue`. GitHub sends both as comments on issues. */
function kindOf(item: z.output<typeof issue>): string {
  return item.pull_request === undefined || item.pull_request === null ? 'issue' : 'PR';
}

export const pullRequestItem = (p: PullRequestPayload, action: string) => ({
  user: p.sender.login,
  action,
  kind: 'PR',
  number: p.pull_request.number,
  title: p.pull_request.title,
  url: p.pull_request.html_url,
});
export const issueItem = (p: IssuePayload, action: string) => ({
  user: p.sender.login,
  action,
  kind: kindOf(p.issue),
  number: p.issue.number,
  title: p.issue.title,
  url: p.issue.html_url,
});
export const userLink = ({ login, html_url: url }: z.output<typeof person>) => markdownLink(login, url);
export const repositoryLink = (p: { repository: z.output<typeof repository> }) =>
  markdownLink(p.repository.full_name, p.repository.html_url);
