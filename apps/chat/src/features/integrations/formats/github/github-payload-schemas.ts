import { z } from 'zod';
import { formatMarkdownLink } from '../../format-payload-text.js';

export const personSchema = z.object({ login: z.string(), html_url: z.string().default('') });
export const repositorySchema = z.object({ name: z.string(), full_name: z.string(), html_url: z.string() });
export const commonGithubFields = {
  sender: personSchema,
  repository: repositorySchema,
  action: z.string().default(''),
};
export const textSchema = z.string().nullish();

const pullRequestSchema = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  body: textSchema,
  merged: z.boolean().nullish(),
  assignee: personSchema.nullish(),
  head: z.object({ label: textSchema, ref: z.string() }),
  base: z.object({ label: textSchema, ref: z.string() }),
});
export const issueSchema = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  body: textSchema,
  pull_request: z.unknown().optional(),
});
export const commentSchema = z.object({ html_url: z.string(), body: z.string() });
export const reviewSchema = z.object({ html_url: z.string(), state: z.string(), body: textSchema });
export const discussionSchema = z.object({
  number: z.int(),
  title: z.string(),
  html_url: z.string(),
  body: textSchema,
  category: z.object({ name: z.string() }),
});

export const pullRequestPayload = z.object({
  ...commonGithubFields,
  pull_request: pullRequestSchema,
  assignee: personSchema.nullish(),
  requested_reviewer: personSchema.nullish(),
  requested_team: z.object({ name: z.string() }).nullish(),
  changes: z.object({ body: z.unknown().optional() }).nullish(),
});
export type PullRequestPayload = z.output<typeof pullRequestPayload>;

export const issuePayload = z.object({
  ...commonGithubFields,
  issue: issueSchema,
  assignee: personSchema.nullish(),
  label: z.object({ name: z.string() }).nullish(),
  milestone: z.object({ title: z.string(), html_url: z.string() }).nullish(),
});
export type IssuePayload = z.output<typeof issuePayload>;

export const repositoryTopicTemplate = {
  topic: '{repository}',
  values: (p: { repository: { name: string } }) => ({ repository: p.repository.name }),
};
export const pullRequestTopicTemplate = {
  topic: '{repository} / PR #{number} {title}',
  values: (p: { repository: { name: string }; pull_request: { number: number; title: string } }) => ({
    repository: p.repository.name,
    number: p.pull_request.number,
    title: p.pull_request.title,
  }),
};
export const issueTopicTemplate = {
  topic: '{repository} / {kind} #{number} {title}',
  values: (p: { repository: { name: string }; issue: z.output<typeof issueSchema> }) => ({
    repository: p.repository.name,
    kind: getIssueKind(p.issue),
    number: p.issue.number,
    title: p.issue.title,
  }),
};
export const discussionTopicTemplate = {
  topic: '{repository} discussion #{number}: {title}',
  values: (p: { repository: { name: string }; discussion: z.output<typeof discussionSchema> }) => ({
    repository: p.repository.name,
    number: p.discussion.number,
    title: p.discussion.title,
  }),
};
export const deploymentTopicTemplate = {
  topic: '{repository} / Deployment on {environment}',
  values: (p: { repository: { name: string }; deployment: { environment: string } }) => ({
    repository: p.repository.name,
    environment: p.deployment.environment,
  }),
};

/**
 * Returns `PR` for a comment on a pull request, otherwise `issue`. GitHub reports comments on pull requests as comments
 * on issues.
 */
function getIssueKind(item: z.output<typeof issueSchema>): string {
  return item.pull_request === undefined || item.pull_request === null ? 'issue' : 'PR';
}

export const toPullRequestItem = (p: PullRequestPayload, action: string) => ({
  user: p.sender.login,
  action,
  kind: 'PR',
  number: p.pull_request.number,
  title: p.pull_request.title,
  url: p.pull_request.html_url,
});
export const toIssueItem = (p: IssuePayload, action: string) => ({
  user: p.sender.login,
  action,
  kind: getIssueKind(p.issue),
  number: p.issue.number,
  title: p.issue.title,
  url: p.issue.html_url,
});
export const createUserLink = ({ login, html_url: url }: z.output<typeof personSchema>) =>
  formatMarkdownLink(login, url);
export const createRepositoryLink = (p: { repository: z.output<typeof repositorySchema> }) =>
  formatMarkdownLink(p.repository.full_name, p.repository.html_url);
